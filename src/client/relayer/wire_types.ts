/** The relayer's responses as the client accepts them: unused fields are optional. */
import * as z from "zod";
import { FIELD_MODULUS } from "../../core/crypto/field.ts";
import { poolsResponse, relayerResponses } from "../../core/protocol/api/relayer_api.ts";
import { addressSchema, amountSchema } from "../../core/protocol/api/scalars.ts";

const responses = relayerResponses({
  address: addressSchema,
  amount: amountSchema,
  fieldElement: z.string().regex(/^0x[0-9a-fA-F]{1,64}$/).transform(BigInt)
    .refine((x) => x < FIELD_MODULUS, "is not below r"),
});
const poolSchema = responses.pool.partial({ feeMin: true, maxRefund: true });
const { withdrawal } = responses;

export const statusSchema = responses.status;
export const poolsSchema = poolsResponse(poolSchema);
export const noteCheckSchema = responses.noteCheck;
export const treeRootSchema = responses.root;
export const treePathSchema = responses.path;
export const commitmentsPageSchema = responses.commitmentsPage.omit({ pool: true });
export const spentPageSchema = responses.spentPage.omit({ pool: true });
export const withdrawResponseSchema = z.object({
  seqno: withdrawal.shape.seqno.unwrap(),
  fee: withdrawal.shape.fee.unwrap(),
});
export const withdrawalStatusSchema = withdrawal
  .pick({ state: true, seqno: true, fee: true, messageHash: true, txHash: true, reason: true })
  .partial({ seqno: true, fee: true, messageHash: true, txHash: true, reason: true });

/** The response of `GET /status`. */
export type RelayerStatus = z.output<typeof statusSchema>;
/** One pool of `GET /pools`. */
export type RelayerPool = z.output<typeof poolSchema>;
/** A Merkle path from a relayer. Requesting it reveals the deposit. */
export type RelayerMerklePath = z.output<typeof treePathSchema>;
/** `superseded`: another proof of the note was paid. Only `failed` and `expired` withdrawals may be submitted again. */
export type WithdrawalStatus = z.output<typeof withdrawalStatusSchema>;
export type RelayerPools = z.output<typeof poolsSchema>;
export type NoteCheck = z.output<typeof noteCheckSchema>;
export type CommitmentsPage = z.output<typeof commitmentsPageSchema>;
