/** Schemas check the format only. `relay` checks values, which have their own problem codes. */
import { Address } from "@ton/core";
import { z } from "@hono/zod-openapi";
import { poolsResponse as poolListResponse, relayerResponses } from "../../core/protocol/api/relayer_api.ts";
import { amountTextSchema, countSchema, fieldElementTextSchema } from "../../core/protocol/api/scalars.ts";

const EXAMPLE_POOL = "kQCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq36u";
const EXAMPLE_RECIPIENT = "0QBCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQoOt";
const MAX_PAGE_SIZE = 10_000;
const DEFAULT_PAGE_SIZE = 1_000;
const MAX_ADDRESS_LENGTH = 80;
/** Stricter than the address parser, which accepts a workchain of `1e3`. */
const ADDRESS_PATTERN = /^([A-Za-z0-9+/_-]{48}|(0|-1):[0-9a-fA-F]{64})$/;

function missingOrInvalid(wrong: string): (issue: { input?: unknown }) => string {
  return ({ input }) => input === undefined ? "is missing" : wrong;
}

function addressSchema(read: (text: string) => Address) {
  return z.string({ error: missingOrInvalid("is not a string") })
    .max(MAX_ADDRESS_LENGTH, { error: "is too long", abort: true }) // abort, so that later checks see an Address
    .regex(ADDRESS_PATTERN, { error: "is not a TON address", abort: true })
    .transform((text, context) => {
      try {
        return read(text);
      } catch {
        context.addIssue({ code: "custom", message: "is not a TON address" });
        return z.NEVER;
      }
    }).openapi({
      type: "string",
      pattern: ADDRESS_PATTERN.source,
      description: "TON address, user-friendly or raw",
      example: EXAMPLE_POOL,
    });
}

const MAX_CACHED_POOLS = 1_000;
const poolCache = new Map<string, Address>();

/** Caches addresses: pools are few, and parsing an address takes an eighth of a note check. */
function parsePoolAddress(text: string): Address {
  const known = poolCache.get(text);
  if (known) return known;
  const pool = Address.parse(text);
  if (poolCache.size >= MAX_CACHED_POOLS) poolCache.clear();
  poolCache.set(text, pool);
  return pool;
}

const pool = addressSchema(parsePoolAddress);
const address = addressSchema((text) => Address.parse(text));

/** A bigint as a string. 78 digits exceed r and every uint256. */
function bigintSchema(form: RegExp, description: string, example: string) {
  return z.string({ error: missingOrInvalid("is not a string") })
    .regex(form, `is not ${description}`)
    .transform(BigInt)
    .openapi({ type: "string", pattern: form.source, description, example });
}

const hex = bigintSchema(/^0x[0-9a-fA-F]{1,64}$/, "0x and 1 to 64 hex digits", `0x${"2a".padStart(64, "0")}`);
const amount = bigintSchema(/^(0|[1-9][0-9]{0,77})$/, "a decimal integer", "50000000");
const signal = bigintSchema(
  /^(0|[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/,
  "a decimal integer or 0x hex",
  "42",
);

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
const g1 = z.array(element, { error: missingOrInvalid("is not an array") }).min(
  2,
  "is not an array of 2 or 3",
)
  .max(3, "is not an array of 2 or 3");
const pair = z.array(element, { error: missingOrInvalid("is not an array") }).length(
  2,
  "is not an array of 2",
)
  .openapi({ minItems: 2, maxItems: 2 });
const g2 = z.array(pair, { error: missingOrInvalid("is not an array") }).min(2, "is not an array of 2 or 3")
  .max(3, "is not an array of 2 or 3");

const proof = z.object({
  pi_a: g1,
  pi_b: g2,
  pi_c: g1,
  protocol: z.literal("groth16", { error: 'is not "groth16"' }),
  curve: z.literal("bls12381", { error: 'is not "bls12381"' }),
}, { error: missingOrInvalid("is not an object") }).openapi("Proof");

const PAYABLE_WORKCHAINS = new Set([0, -1]);

export const withdrawBody = z.object({
  pool,
  proof,
  publicSignals: z.array(signal, { error: missingOrInvalid("is not an array") }).length(
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
}, { error: missingOrInvalid("is not an object") }).superRefine(({ pool, recipient }, context) => {
  const refuse = (message: string) => context.addIssue({ code: "custom", path: ["recipient"], message });
  if (!PAYABLE_WORKCHAINS.has(recipient.workChain)) refuse("is in a workchain that pools do not pay to");
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
}, { error: missingOrInvalid("is not an object") }).refine(
  ({ commitment, nullifierHash }) => commitment !== undefined || nullifierHash !== undefined,
  "has neither commitment nor nullifierHash",
).openapi("NoteQuery", { anyOf: [{ required: ["commitment"] }, { required: ["nullifierHash"] }] });

export const poolQuery = z.object({ pool });
export const pathQuery = z.object({ pool, commitment: hex });
export const commitmentsQuery = z.object({
  pool,
  from: z.string().regex(/^(0|[1-9][0-9]{0,14})$/, "is not a leaf index").transform(Number).default(0)
    .openapi({ type: "integer", minimum: 0, maximum: 10 ** 15 - 1, default: 0 }),
  limit: z.string().regex(/^[1-9][0-9]*$/, "is not an integer of at least 1")
    .transform((text) => Math.min(Number(text), MAX_PAGE_SIZE)).default(DEFAULT_PAGE_SIZE)
    .openapi({
      type: "integer",
      minimum: 1,
      default: DEFAULT_PAGE_SIZE,
      description: `above ${MAX_PAGE_SIZE}: ${MAX_PAGE_SIZE}`,
    }),
});

// Responses. `clone`: only schemas created after this module's import of zod have `openapi`.
const responses = relayerResponses({
  address: z.string(),
  amount: amountTextSchema,
  fieldElement: fieldElementTextSchema,
});

export const statusResponse = responses.status.clone().openapi("Status");
export const poolsResponse = poolListResponse(responses.pool).openapi("Pools");
export const noteCheckResponse = responses.noteCheck.clone().openapi("NoteState");
export const withdrawalResponse = responses.withdrawal.clone().openapi("Withdrawal");
export const broadcastResponse = withdrawalResponse.extend({ seqno: countSchema, fee: amountTextSchema })
  .openapi("SentWithdrawal");
export const rootResponse = responses.root.clone().openapi("Root");
export const pathResponse = responses.path.clone().openapi("Path");
export const commitmentsResponse = responses.commitmentsPage.clone().openapi("CommitmentsPage");

export const spentResponse = responses.spentPage.clone().openapi("SpentPage");

export const livezResponse = z.object({ status: z.literal("alive") }).openapi("Liveness");

export const readyzResponse = z.object({
  ready: z.boolean(),
  dependencies: z.record(
    z.string(),
    z.object({ state: z.enum(["ok", "degraded", "down"]), reason: z.string().optional() }),
  ).openapi({
    description:
      "registry, store, chain, wallet, prover, cache if there is one, and lead if replicas are possible",
  }),
  pools: z.record(
    z.string(),
    z.object({ ready: z.boolean(), reason: z.string().optional(), leaves: countSchema }),
  ),
  leads: z.boolean().openapi({ description: "whether this replica indexes and signs" }),
}).openapi("Readiness");

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().openapi({ description: "stable code" }),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  withdrawal: withdrawalResponse.optional(),
}).openapi("Problem");
