/** The problems that the HTTP interface reports: the first part of the table in `problem.ts`. */

/** The HTTP status, title and next step of a problem. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

/** HTTP problems by code, ordered by status. */
export const httpProblems = {
  invalid_request: {
    status: 400,
    title: "Request is malformed",
    hint: "Correct the members listed in `errors`.",
  },
  secret_in_body: {
    status: 400,
    title: "Request carries note secrets",
    hint:
      "Never send a note: the relayer does not need it, and anyone who reads it can spend it. Treat this note as compromised and withdraw it now.",
  },
  not_found: { status: 404, title: "No such route", hint: "GET /openapi.json lists the routes." },
  unknown_pool: {
    status: 404,
    title: "Pool is not served by this relayer",
    hint: "Choose one of the pools that GET /pools lists.",
  },
  commitment_not_found: {
    status: 404,
    title: "Commitment is not in the tree",
    hint: "Check that the pool is right. For a new deposit, wait until the relayer has indexed it.",
  },
  withdrawal_not_found: {
    status: 404,
    title: "No withdrawal has this nullifier hash",
    hint: "Submit it with POST /withdraw.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method is not allowed here",
    hint: "Use a method that the Allow header lists.",
  },
  request_timeout: { status: 408, title: "Body did not arrive in time", hint: "Send the request again." },
  nullifier_already_used: {
    status: 409,
    title: "Nullifier hash is already used",
    hint:
      "Do not submit it again. The member `withdrawal` contains the state of the withdrawal that used it.",
  },
  pool_retired: {
    status: 410,
    title: "Relayer accepts no new withdrawals for this pool",
    hint: "Use another relayer, or withdraw without one. Withdrawals already accepted are still paid.",
  },
  body_too_large: { status: 413, title: "Body is too large", hint: "Send at most 32 KiB." },
  unsupported_media_type: {
    status: 415,
    title: "Body is not JSON",
    hint: "Send content-type: application/json.",
  },
  relayer_mismatch: {
    status: 422,
    title: "Proof names another relayer",
    hint: "Make a new proof for the relayerAddress of GET /status.",
  },
  recipient_mismatch: {
    status: 422,
    title: "Recipient differs from the proof",
    hint: "Send the recipient that the proof was made for.",
  },
  fee_mismatch: {
    status: 422,
    title: "Fee differs from the proof",
    hint: "Send the fee that the proof was made for.",
  },
  refund_mismatch: {
    status: 422,
    title: "Refund differs from the proof",
    hint: "Send the refund that the proof was made for.",
  },
  fee_below_floor: {
    status: 422,
    title: "Fee is below the policy floor",
    hint: "Get the fee from GET /status and make a new proof.",
  },
  fee_not_below_denomination: {
    status: 422,
    title: "Fee is not below the denomination",
    hint: "Choose a smaller fee and make a new proof.",
  },
  refund_above_limit: {
    status: 422,
    title: "Refund is above the relayer's limit",
    hint: "Choose a smaller refund, or a fee that covers it, and make a new proof.",
  },
  unknown_root: {
    status: 422,
    title: "Root is not among the last 30",
    hint: "Rebuild the tree and make a new proof for the current root.",
  },
  stale_root: {
    status: 422,
    title: "Root is about to leave the last 30",
    hint: "Rebuild the tree and prove again against the current root.",
  },
  proof_invalid: {
    status: 422,
    title: "Proof is invalid",
    hint: "Make a new proof with the artifacts of this pool's release.",
  },
  not_in_field: {
    status: 422,
    title: "Value is not a canonical field element",
    hint: "Send a value in [0, r).",
  },
  rate_limited: { status: 429, title: "Too many requests", hint: "Wait as long as Retry-After says." },
  hourly_cap_reached: {
    status: 429,
    title: "Hourly cap is reached",
    hint: "Wait as long as Retry-After says, or use another relayer.",
  },
  retry_later: {
    status: 429,
    title: "Withdrawal failed on chain recently",
    hint: "Wait as long as Retry-After says.",
  },
  not_ready: {
    status: 503,
    title: "Not ready",
    hint: "Try again later. GET /readyz lists what is missing.",
  },
  fee_min_missing: {
    status: 503,
    title: "Pool has no minimum fee at this relayer",
    hint:
      "Use another relayer. As its operator, set `feeMin` of the pool in the registry and start it again.",
  },
  overloaded: {
    status: 503,
    title: "Too many requests are in progress",
    hint: "Wait as long as Retry-After says.",
  },
  relayer_balance_low: {
    status: 503,
    title: "Relayer wallet is short of funds",
    hint: "Use another relayer.",
  },
  fee_below_cost: {
    status: 503,
    title: "Fee does not cover the cost",
    hint: "Make a new proof with a higher fee, or wait until gas is cheaper.",
  },
  verification_busy: {
    status: 503,
    title: "Too many proofs are being verified",
    hint: "Wait as long as Retry-After says.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    hint: "Report it to the relayer's operator with the request id.",
  },
} as const satisfies Record<string, ProblemKind>;

/** The stable code of a problem that the HTTP interface reports. */
export type HttpProblemCode = keyof typeof httpProblems;
