/** What the HTTP interface answers with; the first part of the one table in `errors.ts`. */

/** HTTP status, title, and what the reader can do about it. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly todo: string;
}

/** By their stable codes, in the order of their statuses; what is nobody's fault comes last. */
export const httpProblems = {
  invalid_request: {
    status: 400,
    title: "Request is malformed",
    todo: "Correct the members listed in `errors`.",
  },
  secret_in_body: {
    status: 400,
    title: "Request carries note secrets",
    todo:
      "Never send a note: it is not needed here, and whoever reads it can spend it. Treat this note as exposed.",
  },
  not_found: { status: 404, title: "No such route", todo: "See GET /openapi.json for the routes." },
  unknown_pool: {
    status: 404,
    title: "Pool is not served by this relayer",
    todo: "Choose one of GET /pools.",
  },
  commitment_not_found: {
    status: 404,
    title: "Commitment is not in the tree",
    todo: "Check the pool, or wait until the deposit is indexed.",
  },
  withdrawal_not_found: {
    status: 404,
    title: "No withdrawal with this nullifier hash",
    todo: "Submit it with POST /withdraw.",
  },
  method_not_allowed: { status: 405, title: "Method is not allowed here", todo: "See the Allow header." },
  request_timeout: { status: 408, title: "Body did not arrive in time", todo: "Send it again, faster." },
  nullifier_already_used: {
    status: 409,
    title: "Nullifier hash is already used",
    todo: "The member `withdrawal` says where that withdrawal stands; do not submit it again.",
  },
  pool_retired: {
    status: 410,
    title: "Pool takes no new withdrawals at this relayer",
    todo: "Use another relayer, or none; a withdrawal that was taken on is paid all the same.",
  },
  body_too_large: { status: 413, title: "Body is too large", todo: "Send at most 32 KiB." },
  unsupported_media_type: {
    status: 415,
    title: "Body is not JSON",
    todo: "Send content-type: application/json.",
  },
  relayer_mismatch: {
    status: 422,
    title: "Proof names another relayer",
    todo: "Bind relayerAddress of GET /status and prove again.",
  },
  recipient_mismatch: {
    status: 422,
    title: "Recipient is not the proven one",
    todo: "Send the recipient that the proof binds.",
  },
  fee_mismatch: {
    status: 422,
    title: "Fee is not the proven one",
    todo: "Send the fee that the proof binds.",
  },
  refund_mismatch: {
    status: 422,
    title: "Refund is not the proven one",
    todo: "Send the refund that the proof binds.",
  },
  fee_below_floor: {
    status: 422,
    title: "Fee is below the policy floor",
    todo: "Ask GET /status for the fee and prove again.",
  },
  fee_not_below_denomination: {
    status: 422,
    title: "Fee is not below the denomination",
    todo: "Choose a smaller fee and prove again.",
  },
  refund_above_limit: {
    status: 422,
    title: "Refund is above the relayer's limit",
    todo: "Choose a smaller refund, or add it to the fee, and prove again.",
  },
  unknown_root: {
    status: 422,
    title: "Root is not among the last 30",
    todo: "Rebuild the tree and prove against the current root.",
  },
  proof_invalid: {
    status: 422,
    title: "Proof does not hold",
    todo: "Prove again with the pool's own artifacts.",
  },
  not_in_field: {
    status: 422,
    title: "Value is not a canonical field element",
    todo: "Send a value in [0, r).",
  },
  rate_limited: { status: 429, title: "Too many requests", todo: "Wait as long as Retry-After says." },
  hourly_cap_reached: {
    status: 429,
    title: "Hourly cap is reached",
    todo: "Wait as long as Retry-After says, or use another relayer.",
  },
  retry_later: {
    status: 429,
    title: "Withdrawal failed on chain a short while ago",
    todo: "Wait as long as Retry-After says.",
  },
  not_ready: {
    status: 503,
    title: "Not ready",
    todo: "Wait and ask again; GET /readyz says what is missing.",
  },
  overloaded: {
    status: 503,
    title: "Too many requests are under way",
    todo: "Wait as long as Retry-After says.",
  },
  relayer_balance_low: {
    status: 503,
    title: "Relayer wallet is short of funds",
    todo: "Use another relayer.",
  },
  uneconomic: {
    status: 503,
    title: "Fee does not cover the cost",
    todo: "Wait for cheaper gas, or offer a higher fee and prove again.",
  },
  verification_busy: {
    status: 503,
    title: "Too many proofs are being verified",
    todo: "Wait as long as Retry-After says.",
  },
  internal: { status: 500, title: "Internal error", todo: "Report it with the request id." },
} as const satisfies Record<string, ProblemKind>;

/** Stable code of a problem that the HTTP interface answers with. */
export type HttpProblemCode = keyof typeof httpProblems;
