/** The JSON of a note store. Separate from the records, because the app's worker has no schemas. */
import * as z from "zod";
import { proofSchema } from "../../../core/crypto/proof_schema.ts";

const decimalSchema = z.string().regex(/^(0|[1-9][0-9]{0,90})$/);
const withdrawalSchema = z.object({
  relayer: z.string().optional(), // absent: the user's own wallet sent it
  recipient: z.string(),
  fee: decimalSchema, // in the pool's asset
  refund: decimalSchema, // nano
  request: z.object({ proof: proofSchema, publicSignals: z.array(decimalSchema) }),
  at: z.number(), // Unix milliseconds
});
/** The members of a stored note that contain no secret. */
export const noteJournalSchema = z.object({
  state: z.enum(["created", "depositing", "deposited", "withdrawing", "withdrawn"]),
  createdAt: z.number(), // Unix milliseconds
  pool: z.string().optional(), // raw address
  deposit: z.object({
    from: z.string().optional(), // raw address of the paying wallet, once known
    leafIndex: z.number().optional(),
    timestamp: z.number().optional(), // Unix seconds of the block
    settled: z.boolean().optional(), // whether this leaf of a version 2 pool was seen in its tree, or an endpoint said so
  }).optional(),
  /** The last attempt; for a withdrawn note, the one that was paid. */
  withdrawal: withdrawalSchema.optional(),
  /** Oldest first. Until the note is withdrawn, each may still pay its recipient. */
  earlier: z.array(withdrawalSchema).optional(),
});
const noteRecordSchema = noteJournalSchema.extend({ note: z.string() });
export const noteStoreSchema = z.object({
  format: z.literal("tonado-notes"),
  version: z.literal([1, 2]), // 1: without a seed
  seed: z.string().optional(),
  notes: z.array(noteRecordSchema),
});

export type StoredContent = Pick<z.output<typeof noteStoreSchema>, "seed" | "notes">;
