/** The HTTP status, title and next step of a problem. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

export function problem(status: number, title: string, hint: string): ProblemKind {
  return { status, title, hint };
}

export const httpProblems = {
  invalid_request: problem(400, "Request is malformed", "Correct the members listed in `errors`."),
  secret_in_body: problem(
    400,
    "Request carries note secrets",
    "Never send a note: the relayer does not need it, and anyone who reads it can spend it. Treat this note as compromised and withdraw it now.",
  ),
  not_found: problem(404, "No such route", "GET /openapi.json lists the routes."),
  unknown_pool: problem(
    404,
    "Pool is not served by this relayer",
    "Choose one of the pools that GET /pools lists.",
  ),
  commitment_not_found: problem(
    404,
    "Commitment is not in the tree",
    "Check that the pool is right. For a new deposit, wait until the relayer has indexed it.",
  ),
  withdrawal_not_found: problem(
    404,
    "No withdrawal has this nullifier hash",
    "Submit it with POST /withdraw.",
  ),
  method_not_allowed: problem(405, "Method is not allowed here", "Use a method that the Allow header lists."),
  request_timeout: problem(408, "Body did not arrive in time", "Send the request again."),
  nullifier_already_used: problem(
    409,
    "Nullifier hash is already used",
    "Do not submit it again. The member `withdrawal` contains the state of the withdrawal that used it.",
  ),
  pool_retired: problem(
    410,
    "Relayer accepts no new withdrawals for this pool",
    "Use another relayer, or withdraw without one. Withdrawals already accepted are still paid.",
  ),
  body_too_large: problem(413, "Body is too large", "Send at most 32 KiB."),
  unsupported_media_type: problem(415, "Body is not JSON", "Send content-type: application/json."),
  relayer_mismatch: problem(
    422,
    "Proof names another relayer",
    "Make a new proof for the relayerAddress of GET /status.",
  ),
  recipient_mismatch: problem(
    422,
    "Recipient differs from the proof",
    "Send the recipient that the proof was made for.",
  ),
  fee_mismatch: problem(422, "Fee differs from the proof", "Send the fee that the proof was made for."),
  refund_mismatch: problem(
    422,
    "Refund differs from the proof",
    "Send the refund that the proof was made for.",
  ),
  fee_below_floor: problem(
    422,
    "Fee is below the minimum fee",
    "Get the fee from GET /status and make a new proof.",
  ),
  fee_not_below_denomination: problem(
    422,
    "Fee is not below the denomination",
    "Choose a smaller fee and make a new proof.",
  ),
  refund_above_limit: problem(
    422,
    "Refund is above the relayer's limit",
    "Choose a smaller refund, or a fee that covers it, and make a new proof.",
  ),
  unknown_root: problem(
    422,
    "Pool does not accept the root",
    "Rebuild the tree and make a new proof for the current root.",
  ),
  stale_root: problem(
    422,
    "Pool will soon reject the root",
    "Rebuild the tree and make a new proof for the current root.",
  ),
  proof_invalid: problem(
    422,
    "Proof is invalid",
    "Make a new proof with the artifacts of this pool's release.",
  ),
  not_in_field: problem(422, "Value is not a canonical field element", "Send a value in [0, r)."),
  rate_limited: problem(429, "Too many requests", "Wait as long as Retry-After says."),
  hourly_cap_reached: problem(
    429,
    "Hourly cap is reached",
    "Wait as long as Retry-After says, or use another relayer.",
  ),
  retry_later: problem(429, "Withdrawal failed on chain recently", "Wait as long as Retry-After says."),
  not_ready: problem(503, "Not ready", "Try again later. GET /readyz lists what is missing."),
  fee_min_missing: problem(
    503,
    "Pool has no minimum fee at this relayer",
    "Use another relayer. As its operator, set `feeMin` of the pool in the registry and start it again.",
  ),
  payouts_blocked: problem(
    503,
    "Pool's jetton wallet refuses payouts",
    "The note is safe. Wait until the jetton's issuer unlocks the wallet and `tonado pool retry` has paid the claims.",
  ),
  overloaded: problem(503, "Too many requests are in progress", "Wait as long as Retry-After says."),
  relayer_balance_low: problem(503, "Relayer wallet is short of funds", "Use another relayer."),
  fee_below_cost: problem(
    503,
    "Fee does not cover the cost",
    "Make a new proof with a higher fee, or wait until gas is cheaper.",
  ),
  verification_busy: problem(503, "Too many proofs are being verified", "Wait as long as Retry-After says."),
  internal: problem(500, "Internal error", "Report it to the relayer's operator with the request id."),
} as const satisfies Record<string, ProblemKind>;

/** The stable code of a problem that the HTTP interface reports. */
export type HttpProblemCode = keyof typeof httpProblems;

/** An invalid member: its JSON pointer in the body, or the parameter's name, and what is wrong with it. */
export interface ProblemDetail {
  readonly pointer: string;
  readonly detail: string;
  /** The code with which a relayer refused. */
  readonly code?: HttpProblemCode;
}
