/** The errors that the HTTP interface, the command line and the library report, and the pools' exit codes. */
import { httpProblems, type ProblemKind } from "./http_problems.ts";

/** Every problem that tonado reports, by its stable code. */
export const problems = {
  ...httpProblems,

  invalid_note: { status: 400, title: "Note is malformed", hint: "Check that the whole note was copied." },
  wrong_pool: {
    status: 400,
    title: "Note belongs to another pool",
    hint: "Use the pool with the note's asset, amount and network.",
  },
  wrong_network: {
    status: 400,
    title: "Endpoint serves another network",
    hint: "Use an endpoint for your network, or correct the network.",
  },
  invalid_address: { status: 400, title: "Address is malformed", hint: "Give a standard TON address." },
  unpayable_recipient: {
    status: 400,
    title: "Recipient cannot spend the money",
    hint: "Nothing was sent. Choose a wallet that you have the keys of.",
  },
  invalid_amount: {
    status: 400,
    title: "Amount is malformed",
    hint: "Give a decimal number of whole units.",
  },
  invalid_proof: {
    status: 400,
    title: "Proof is malformed",
    hint: "Send a snarkjs Groth16 proof over bls12381.",
  },
  constraints_unsatisfied: {
    status: 422,
    title: "Inputs do not satisfy the circuit",
    hint: "Check the note and its pool, and use the path and root of the pool's current tree.",
  },
  invalid_config: { status: 500, title: "Configuration is invalid", hint: "Correct the settings listed." },
  write_failed: {
    status: 500,
    title: "Output cannot be written",
    hint: "Free disk space, or choose another path, and run the command again. No partial file was left.",
  },
  artifact_corrupted: {
    status: 500,
    title: "Artifact does not match its pinned hash",
    hint: "Restore the file, or install the release again.",
  },
  artifact_unavailable: {
    status: 503,
    title: "Artifact cannot be fetched",
    hint: "Serve the package's dist/ and artifacts/, and call `locate` with the URL of their folder.",
  },
  invalid_registry: {
    status: 500,
    title: "Deployments registry is invalid",
    hint: "Correct the file, or create it again with `tonado deploy`.",
  },
  chain_unavailable: {
    status: 503,
    title: "Chain endpoint does not answer",
    hint: "Check the endpoint and its API key, then try again. A running relayer retries by itself.",
  },
  chain_inconsistent: {
    status: 503,
    title: "Chain endpoint contradicts itself",
    hint: "Try again later, or use another endpoint.",
  },
  relayer_unavailable: {
    status: 503,
    title: "Relayer gave no valid response",
    hint: "Check its URL and try again, or use another relayer.",
  },
  tree_incomplete: {
    status: 503,
    title: "Tree lacks the newest deposits",
    hint: "Try again in a minute, or use another relayer. Only a complete tree gives full privacy.",
  },
  fee_above_limit: {
    status: 422,
    title: "Every relayer's fee is above your limit",
    hint: "Nothing was submitted. Raise the maximum fee, or use another relayer.",
  },
  contract_refused: { status: 422, title: "Contract rejected the message", hint: "See the exit code." },
  insufficient_funds: {
    status: 422,
    title: "Wallet is short of funds",
    hint: "Fund the wallet and try again.",
  },
  tree_full: { status: 422, title: "Tree is full", hint: "Use another pool." },
  payment_timeout: {
    status: 503,
    title: "Deposit did not arrive in time",
    hint: "Nothing is lost. A late payment either completes the deposit or bounces back.",
  },
  cancelled: { status: 499, title: "Cancelled", hint: "Run it again to continue." },
  cache_unavailable: {
    status: 503,
    title: "Shared cache does not answer",
    hint: "Check CACHE_URL and its server. A running relayer recovers by itself.",
  },
  store_conflict: {
    status: 503,
    title: "Another process wrote to the store first",
    hint: "Let the other process continue. If you restored a backup, restart the relayer.",
  },
  store_unavailable: {
    status: 503,
    title: "Database does not answer",
    hint: "Check DATABASE_URL and its server. A running relayer recovers by itself.",
  },
  not_leader: {
    status: 503,
    title: "Another replica is the leader",
    hint: "Nothing to do: only the leader writes.",
  },
  unknown_store: {
    status: 404,
    title: "No store at this location",
    hint: "Name one with --data-dir, RELAYER_DATA_DIR or DATABASE_URL. `tonado serve` creates it.",
  },
  store_not_empty: {
    status: 422,
    title: "Store is not empty",
    hint: "Import into a new database or a new data directory.",
  },
  store_corrupted: {
    status: 422,
    title: "Store is inconsistent",
    hint: "Start no relayer with it. Restore a backup, or rebuild it (docs/operating.md).",
  },
  invalid_export: {
    status: 422,
    title: "File is not a complete export of a store",
    hint: "Nothing was imported. Export the store again.",
  },
  folder_in_use: {
    status: 500,
    title: "Data directory is in use",
    hint: "Stop the other process, or choose another directory.",
  },
  deployment_refused: {
    status: 422,
    title: "Deployment was stopped",
    hint: "Nothing was sent. Correct what is listed and run the command again.",
  },
  audit_failed: {
    status: 422,
    title: "Pool failed its audit",
    hint: "Do not deposit into it. See the checks that failed.",
  },
  invalid_report: {
    status: 400,
    title: "Compliance report is malformed",
    hint: "Use the complete, unchanged output of `tonado compliance report`.",
  },
  report_verification_failed: {
    status: 422,
    title: "Compliance report is not valid",
    hint: "Do not rely on it. See the checks that failed.",
  },
  note_unspent: {
    status: 422,
    title: "Note is not withdrawn",
    hint: "Withdraw it first. A report made now would reveal the later withdrawal.",
  },
  unknown_note: {
    status: 404,
    title: "The note store has no such note",
    hint: "`tonado note show` lists the notes in the store.",
  },
  wrong_passphrase: {
    status: 422,
    title: "The passphrase does not open the note store",
    hint: "Enter the passphrase of this note store. It cannot be opened without.",
  },
  note_store_corrupted: {
    status: 422,
    title: "Note store cannot be read",
    hint: "Move the file away, keep it, and restore a backup with `tonado note restore`.",
  },
  note_store_in_use: {
    status: 503,
    title: "Another process is using this note store",
    hint: "Wait until it ends, or stop it. You can resume what it started.",
  },
  invalid_ceremony: {
    status: 422,
    title: "Ceremony does not verify",
    hint: "Do not continue from it. Return to the last transcript that verified (docs/ceremony.md).",
  },
  note_paid_elsewhere: {
    status: 409,
    title: "Note was paid to another recipient",
    hint: "A note is paid only once. If this payment was not yours, someone else has your note.",
  },
  confirmation_required: {
    status: 400,
    title: "Confirmation is required",
    hint: "Nothing was sent. Confirm at the prompt, or pass --yes.",
  },
} as const satisfies Record<string, ProblemKind>;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problems;

/** One invalid member: a JSON pointer into the body, or a parameter's name, and what is wrong. */
export interface ProblemDetail {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * The error that this library throws. `message` and `hint` never contain a secret.
 * @example
 * ```ts
 * await depositNative(request).catch((error) => {
 *   if (error instanceof Problem) console.error(error.code, error.message, error.hint);
 * });
 * ```
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly errors: readonly ProblemDetail[];
  /** Additional members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly #hint: string | undefined;

  constructor(
    code: ProblemCode,
    detail?: string,
    options: {
      errors?: readonly ProblemDetail[];
      members?: Record<string, unknown>;
      /** Replaces the hint of the table. */
      hint?: string;
      cause?: unknown;
    } = {},
  ) {
    super(detail ?? problems[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.#hint = options.hint;
  }

  /** The HTTP status of this problem. */
  get status(): number {
    return problems[this.code].status;
  }

  /** What to do next. */
  get hint(): string {
    return this.#hint ?? problems[this.code].hint;
  }
}

/** Exit codes of the pool contracts. `contracts/errors.tolk` is generated from this table. */
export const exitCodes = {
  ERR_WRONG_DENOMINATION: 101,
  ERR_DUPLICATE_COMMITMENT: 102,
  ERR_STALE_DEPOSIT: 103,
  ERR_POOL_FULL: 104,
  ERR_PAUSED: 105,
  ERR_NOT_JETTON_WALLET: 106,
  ERR_JETTON_WALLET_UNKNOWN: 107,
  ERR_NOT_MASTER: 108,
  ERR_PROOF_INVALID: 201,
  ERR_ALREADY_SPENT: 202,
  ERR_UNKNOWN_ROOT: 203,
  ERR_FEE_TOO_HIGH: 204,
  ERR_INSUFFICIENT_VALUE: 205,
  ERR_NOT_IN_FIELD: 206,
  ERR_BAD_ADDRESS: 207,
  ERR_MALFORMED: 208,
  ERR_PAYOUTS_BLOCKED: 209,
  ERR_UNKNOWN_CLAIM: 210,
  ERR_NOT_OWNER: 301,
  ERR_NOT_SURPLUS: 302,
} as const;

/** The name of an exit code. */
export type ExitCodeName = keyof typeof exitCodes;

/**
 * Returns the name of a pool's exit code, or undefined for any other code.
 * @example
 * ```ts
 * exitCodeName(103); // "ERR_STALE_DEPOSIT"
 * ```
 */
export function exitCodeName(code: number): ExitCodeName | undefined {
  return (Object.keys(exitCodes) as ExitCodeName[]).find((name) => exitCodes[name] === code);
}
