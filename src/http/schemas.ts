/**
 * Shapes of requests and responses: one declaration parses, types and documents each. Shape only: whether a number is
 * in the field or a pool is served is `relay`'s business, because each has a problem code of its own.
 */
import { Address } from "@ton/core";
import { z } from "@hono/zod-openapi";
import { networks } from "../core/network.ts";

const EXAMPLE_POOL = "kQCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq36u";
const EXAMPLE_RECIPIENT = "0QBCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQoOt";
const LARGEST_PAGE = 10_000;
const PAGE = 1_000;
const LONGEST_ADDRESS = 80;
/** Narrower than what the parser takes, which reads a workchain of `1e3`. */
const ADDRESS = /^([A-Za-z0-9+/_-]{48}|(0|-1):[0-9a-fA-F]{64})$/;

/** What is said of a member that is absent, and of one of another type. */
function missingOr(wrong: string): (issue: { input?: unknown }) => string {
  return ({ input }) => input === undefined ? "is missing" : wrong;
}

/** @param read throws for what is none */
function addressBy(read: (text: string) => Address) {
  return z.string({ error: missingOr("is not a string") })
    .max(LONGEST_ADDRESS, { error: "is too long", abort: true }) // or the body's own check would see a string
    .regex(ADDRESS, { error: "is not a TON address", abort: true })
    .transform((text, context) => {
      try {
        return read(text);
      } catch {
        context.addIssue({ code: "custom", message: "is not a TON address" });
        return z.NEVER;
      }
    }).openapi({
      type: "string",
      pattern: ADDRESS.source,
      description: "TON address, user-friendly or raw",
      example: EXAMPLE_POOL,
    });
}

const MOST_POOLS = 1_000;
const pools = new Map<string, Address>();

/** Pools are few, and reading one takes an eighth of a note's check: they are kept, unlike recipients. */
function poolOf(text: string): Address {
  const known = pools.get(text);
  if (known) return known;
  const pool = Address.parse(text);
  if (pools.size >= MOST_POOLS) pools.clear();
  pools.set(text, pool);
  return pool;
}

const pool = addressBy(poolOf);
const address = addressBy((text) => Address.parse(text));

/** A string of one form as a bigint; the form is documented, too. 78 digits are more than r and its like have. */
function number(form: RegExp, description: string, example: string) {
  return z.string({ error: missingOr("is not a string") })
    .regex(form, `is not ${description}`)
    .transform(BigInt)
    .openapi({ type: "string", pattern: form.source, description, example });
}

const hex = number(/^0x[0-9a-fA-F]{1,64}$/, "0x and 1 to 64 hex digits", `0x${"2a".padStart(64, "0")}`);
const amount = number(/^(0|[1-9][0-9]{0,77})$/, "a decimal integer", "50000000");
const signal = number(/^(0|[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/, "a decimal integer or 0x hex", "42");

const coordinate = /^(0|[1-9][0-9]{0,114}|0x[0-9a-fA-F]{1,96})$/;
const element = z.union([z.string().regex(coordinate), z.int().nonnegative()], {
  error: "is not a decimal string",
})
  .openapi({
    oneOf: [
      { type: "string", pattern: coordinate.source },
      { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ],
    description: "decimal integer or 0x hex as a string, or an integer below 2^53",
    example: "1",
  });
const g1 = z.array(element, { error: missingOr("is not an array") }).min(2, "is not an array of 2 or 3")
  .max(3, "is not an array of 2 or 3");
const pair = z.array(element, { error: missingOr("is not an array") }).length(2, "is not an array of 2")
  .openapi({ minItems: 2, maxItems: 2 });
const g2 = z.array(pair, { error: missingOr("is not an array") }).min(2, "is not an array of 2 or 3")
  .max(3, "is not an array of 2 or 3");

const proof = z.object({
  pi_a: g1,
  pi_b: g2,
  pi_c: g1,
  protocol: z.literal("groth16", { error: 'is not "groth16"' }),
  curve: z.literal("bls12381", { error: 'is not "bls12381"' }),
}, { error: missingOr("is not an object") }).openapi("Proof");

/** Workchains that a pool pays in. */
const PAYABLE = new Set([0, -1]);

export const withdrawBody = z.object({
  pool,
  proof,
  publicSignals: z.array(signal, { error: missingOr("is not an array") }).length(
    6,
    "is not an array of exactly 6",
  )
    .openapi({
      minItems: 6,
      maxItems: 6,
      description: "root, nullifierHash, recipient, relayer, fee, refund",
    }),
  recipient: address.openapi({ example: EXAMPLE_RECIPIENT }),
  fee: amount,
  refund: amount,
}, { error: missingOr("is not an object") }).superRefine(({ pool, recipient }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["recipient"], message });
  if (!PAYABLE.has(recipient.workChain)) refuse("is in a workchain that a pool does not pay in");
  if (recipient.equals(pool)) refuse("is the pool itself");
}).openapi("BroadcastPayload");

export const withdrawStatusBody = z.object({ pool, nullifierHash: hex }, {
  error: "is not an object",
})
  .openapi("WithdrawalQuery");

export const noteCheckBody = z.object({
  pool,
  commitment: hex.optional(),
  nullifierHash: hex.optional(),
}, { error: missingOr("is not an object") }).refine(
  ({ commitment, nullifierHash }) => commitment !== undefined || nullifierHash !== undefined,
  "has neither commitment nor nullifierHash",
).openapi("NoteQuery", { anyOf: [{ required: ["commitment"] }, { required: ["nullifierHash"] }] });

export const poolQuery = z.object({ pool });
export const pathQuery = z.object({ pool, commitment: hex });
export const pageQuery = z.object({
  pool,
  from: z.string().regex(/^(0|[1-9][0-9]{0,14})$/, "is not a leaf index").transform(Number).default(0)
    .openapi({ type: "integer", minimum: 0, maximum: 10 ** 15 - 1, default: 0 }),
  limit: z.string().regex(/^[1-9][0-9]*$/, "is not an integer of at least 1")
    .transform((text) => Math.min(Number(text), LARGEST_PAGE)).default(PAGE)
    .openapi({
      type: "integer",
      minimum: 1,
      default: PAGE,
      description: `above ${LARGEST_PAGE}: ${LARGEST_PAGE}`,
    }),
});

// ── Responses ────────────────────────────────────────────────────────────────
const count = z.int().nonnegative();
const hexOut = z.string().regex(/^0x[0-9a-f]{64}$/);
const amountOut = z.string().regex(/^(0|[1-9][0-9]*)$/);
const unixSeconds = count.openapi({ description: "Unix seconds" });

export const statusAnswer = z.object({
  network: z.enum(networks),
  feeBps: count,
  feeMinNanoNative: amountOut,
  relayerAddress: z.string().openapi({ description: "bind this address as the relayer of the proof" }),
}).openapi("Status");

export const poolsAnswer = z.object({
  network: z.enum(networks),
  pools: z.record(
    z.string(),
    z.object({
      address: z.string(),
      asset: z.string(),
      amount: z.string().openapi({ description: "denomination in whole units" }),
      generation: count.optional().openapi({
        description: "of successors only, 1 and up: pools of the same asset and amount came before this one",
      }),
      denomination: amountOut,
      deployedSeqno: count,
      feeMin: amountOut.openapi({ description: "smallest fee, in the pool's asset" }),
      maxRefund: amountOut.openapi({
        description: "largest refund that the fee need not cover, nano native",
      }),
      retired: z.boolean().optional().openapi({
        description: "true: no new withdrawals are taken on, and everything else is served",
      }),
      jettonMaster: z.string().optional().openapi({ description: "of jetton pools only" }),
      decimals: count.optional().openapi({ description: "of jetton pools only" }),
    }),
  ),
}).openapi("Pools");

export const noteAnswer = z.object({
  deposited: z.boolean().nullable(),
  leafIndex: count.nullable(),
  timestamp: unixSeconds.nullable(),
  spent: z.boolean().nullable(),
}).openapi("NoteState");

export const withdrawalAnswer = z.object({
  pool: z.string(),
  nullifierHash: hexOut,
  state: z.enum(["accepted", "broadcast", "confirmed", "failed", "expired"]),
  seqno: count.nullable().openapi({ description: "wallet sequence number of the broadcast" }),
  fee: amountOut.nullable(),
  refund: amountOut.nullable(),
  messageHash: z.string().nullable().openapi({
    description: "normalised hash of the external message (TEP-467)",
  }),
  txHash: z.string().nullable().openapi({ description: "the pool's transaction that ended it" }),
  reason: z.string().nullable(),
  acceptedAt: unixSeconds.nullable(),
  broadcastAt: unixSeconds.nullable(),
  settledAt: unixSeconds.nullable(),
}).openapi("Withdrawal");

export const sentAnswer = withdrawalAnswer.extend({ seqno: count, fee: amountOut }).openapi("SentWithdrawal");

export const rootAnswer = z.object({ root: hexOut }).openapi("Root");

export const pathAnswer = z.object({
  root: hexOut,
  pathIndices: z.array(z.int().min(0).max(1)).length(20),
  pathElements: z.array(hexOut).length(20),
}).openapi("Path");

export const pageAnswer = z.object({
  pool: z.string(),
  from: count,
  count: count.openapi({ description: "items of this page" }),
  nextFrom: count.nullable().openapi({ description: "null on the last page" }),
  commitments: z.array(z.object({ leafIndex: count, commitment: hexOut })),
}).openapi("CommitmentsPage");

export const livezAnswer = z.object({ status: z.literal("alive") }).openapi("Liveness");

export const readyzAnswer = z.object({
  ready: z.boolean(),
  dependencies: z.record(
    z.string(),
    z.object({ state: z.enum(["ok", "degraded", "down"]), reason: z.string().optional() }),
  ).openapi({
    description:
      "registry, store, chain, wallet, prover, cache if there is one, and lead if there may be replicas",
  }),
  pools: z.record(
    z.string(),
    z.object({ ready: z.boolean(), reason: z.string().optional(), leaves: count }),
  ),
  leads: z.boolean().openapi({ description: "whether this replica indexes and signs" }),
}).openapi("Readiness");

export const problemAnswer = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().openapi({ description: "stable code" }),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  withdrawal: withdrawalAnswer.optional(),
}).openapi("Problem");
