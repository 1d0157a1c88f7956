/** Both sides use these schemas: the relayer documents what it sends, the client parses what it receives. */
import * as z from "zod";
import { MERKLE_TREE_HEIGHT } from "../../tree/merkle_tree.ts";
import { networks } from "../network.ts";
import { countSchema, hashTextSchema } from "./scalars.ts";

interface ResponseScalars<A extends z.ZodType, N extends z.ZodType, F extends z.ZodType> {
  readonly address: A;
  /** In nano, or in the smallest unit of the pool's asset. */
  readonly amount: N;
  readonly fieldElement: F;
}

/** The states of a withdrawal, in their order. The last four are final. */
export const withdrawalStates = [
  "accepted",
  "broadcast",
  "confirmed",
  "superseded",
  "failed",
  "expired",
] as const;

const unixSeconds = countSchema.nullable().meta({ description: "Unix seconds" });

export function relayerResponses<A extends z.ZodType, N extends z.ZodType, F extends z.ZodType>(
  { address, amount, fieldElement }: ResponseScalars<A, N, F>,
) {
  return {
    status: z.object({
      network: z.enum(networks),
      feeBps: countSchema,
      feeMinNanoNative: amount,
      relayerAddress: address.meta({ description: "bind this address as the relayer of the proof" }),
    }),

    pool: poolSchema({ address, amount, fieldElement }),

    noteCheck: z.object({
      deposited: z.boolean().nullable(),
      leafIndex: countSchema.nullable(),
      timestamp: unixSeconds,
      spent: z.boolean().nullable(),
      settled: z.boolean().nullable().optional().meta({
        description: "version 2 pools only: whether the deposit can be withdrawn; false while it waits",
      }),
      leafIndices: z.array(countSchema).nullable().optional().meta({
        description: "version 2 pools only: all leaves with the commitment; each can be withdrawn once",
      }),
    }),

    withdrawal: withdrawalSchema({ address, amount, fieldElement }),

    root: z.object({ root: fieldElement }),

    path: z.object({
      root: fieldElement,
      pathIndices: z.array(z.int().min(0).max(1)).length(MERKLE_TREE_HEIGHT),
      pathElements: z.array(fieldElement).length(MERKLE_TREE_HEIGHT),
    }),

    commitmentsPage: z.object({
      pool: address,
      from: countSchema,
      count: countSchema.meta({ description: "items of this page" }),
      nextFrom: countSchema.nullable().meta({ description: "null on the last page" }),
      commitments: z.array(z.object({ leafIndex: countSchema, commitment: fieldElement })),
      pending: z.array(z.object({ leafIndex: countSchema, commitment: fieldElement })).optional().meta({
        description: "on the last page of a version 2 pool: deposits that wait for their settlement",
      }),
    }),

    spentPage: z.object({
      pool: address,
      from: countSchema,
      count: countSchema.meta({ description: "items of this page" }),
      nextFrom: countSchema.nullable().meta({ description: "null on the last page" }),
      nullifierHashes: z.array(fieldElement),
    }),
  };
}

export function poolsResponse<P extends z.ZodType>(pool: P) {
  return z.object({ network: z.enum(networks), pools: z.record(z.string(), pool) });
}

function poolSchema<A extends z.ZodType, N extends z.ZodType, F extends z.ZodType>(
  { address, amount }: ResponseScalars<A, N, F>,
) {
  return z.object({
    address,
    version: z.literal(2).optional().meta({
      description: "of the pool's contract; absent: 1",
    }),
    asset: z.string(),
    amount: z.string().meta({ description: "denomination in whole units" }),
    generation: z.int().positive().optional().meta({
      description: "successor pools only, 1 and up: number of earlier pools of the same asset and amount",
    }),
    denomination: amount,
    deployedSeqno: countSchema,
    feeMin: amount.meta({ description: "minimum fee, in the pool's asset" }),
    maxRefund: amount.meta({
      description:
        "largest refund, in nano, that the fee need not cover. A larger refund is accepted in native " +
        "pools only, if the fee without the refund is at least the minimum fee",
    }),
    retired: z.boolean().optional().meta({
      description: "true: new withdrawals are rejected; all other requests are served",
    }),
    jettonMaster: address.optional().meta({ description: "of jetton pools only" }),
    decimals: z.int().min(0).max(30).optional().meta({ description: "of jetton pools only" }),
    openClaims: countSchema.optional().meta({
      description:
        "of jetton pools only: payouts that the jetton refused; from 255 on withdrawals are rejected",
    }),
  });
}

function withdrawalSchema<A extends z.ZodType, N extends z.ZodType, F extends z.ZodType>(
  { address, amount, fieldElement }: ResponseScalars<A, N, F>,
) {
  return z.object({
    pool: address,
    nullifierHash: fieldElement,
    state: z.enum(withdrawalStates),
    seqno: countSchema.nullable().meta({ description: "wallet sequence number of the broadcast" }),
    fee: amount.nullable(),
    refund: amount.nullable(),
    messageHash: hashTextSchema.nullable().meta({
      description: "normalised hash of the external message (TEP-467)",
    }),
    txHash: hashTextSchema.nullable().meta({
      description: "the pool's transaction that ended the withdrawal",
    }),
    reason: z.string().nullable(),
    acceptedAt: unixSeconds,
    broadcastAt: unixSeconds,
    settledAt: unixSeconds,
  });
}
