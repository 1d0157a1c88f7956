/** Every problem that tonado reports: code, HTTP status, title and hint. */
export type { ProblemDetail } from "./http_problems.ts";
export { type ExitCodeName, exitCodeName, exitCodes } from "./exit_codes.ts";
import { httpProblems, problem, type ProblemDetail, type ProblemKind } from "./http_problems.ts";

/** Every problem that tonado reports, by its stable code. */
export const problems = {
  ...httpProblems,

  invalid_note: problem(400, "Note is malformed", "Check that the whole note was copied."),
  invalid_seed: problem(
    400,
    "Seed is malformed",
    "Check that the whole seed was copied, and each character.",
  ),
  seed_conflict: problem(
    409,
    "The note store has another seed",
    "Use an empty note store for this seed, or keep the store's own. Nothing was changed.",
  ),
  seed_missing: problem(
    404,
    "The note store has no seed",
    "Create one with the next note, or restore one with `tonado note seed restore`.",
  ),
  note_gap_reached: problem(
    422,
    "Too many notes of this pool wait for their deposit",
    "Deposit one of them first: a recovery from the seed would not find later notes.",
  ),
  wrong_pool: problem(
    400,
    "Note belongs to another pool",
    "Use the pool with the note's asset, amount and network.",
  ),
  pool_closed: problem(
    400,
    "Pool takes no deposits now",
    "Pay later, or into another pool.",
  ),
  wrong_network: problem(
    400,
    "Endpoint serves another network",
    "Use an endpoint for your network, or correct the network.",
  ),
  invalid_address: problem(400, "Address is malformed", "Give a standard TON address."),
  unpayable_recipient: problem(
    400,
    "Recipient cannot spend the money",
    "Nothing was sent. Choose a wallet that you have the keys of.",
  ),
  invalid_amount: problem(400, "Amount is malformed", "Give a decimal number of whole units."),
  invalid_proof: problem(400, "Proof is malformed", "Send a snarkjs Groth16 proof over bls12381."),
  constraints_unsatisfied: problem(
    422,
    "Inputs do not satisfy the circuit",
    "Check the note and its pool, and use the path and root of the pool's current tree.",
  ),
  invalid_config: problem(
    500,
    "Configuration is invalid",
    "Correct the flags, files or variables listed.",
  ),
  write_failed: problem(
    500,
    "Output cannot be written",
    "Free disk space, or choose another path, and run the command again. No partial file was left.",
  ),
  artifact_corrupted: problem(
    500,
    "Artifact does not match its pinned hash",
    "Restore the file, or install the release again.",
  ),
  artifact_unavailable: problem(
    503,
    "Artifact cannot be fetched",
    "Serve the package's dist/ and artifacts/, and call `locate` with the URL of their folder.",
  ),
  invalid_registry: problem(
    500,
    "Deployments registry is invalid",
    "Correct the file, or create it again with `tonado deploy`.",
  ),
  chain_unavailable: problem(
    503,
    "Chain endpoint does not answer",
    "Check the endpoint and its API key, then try again. A running relayer retries by itself.",
  ),
  chain_inconsistent: problem(
    503,
    "Chain endpoint contradicts itself",
    "Try again later, or use another endpoint.",
  ),
  relayer_unavailable: problem(
    503,
    "Relayer gave no valid response",
    "Check its URL and try again, or use another relayer.",
  ),
  tree_incomplete: problem(
    503,
    "Tree lacks the newest deposits",
    "Try again in a minute, or use another relayer. Only a complete tree gives full privacy.",
  ),
  fee_above_limit: problem(
    422,
    "Every relayer's fee is above your limit",
    "Nothing was submitted. Raise the maximum fee, or use another relayer.",
  ),
  contract_refused: problem(
    422,
    "Contract rejected the message",
    "Look up the exit code in contracts/v1/SPEC.md, or for a version 2 pool in contracts/v2/SPEC.md.",
  ),
  insufficient_funds: problem(422, "Wallet is short of funds", "Fund the wallet and try again."),
  tree_full: problem(422, "Tree is full", "Use another pool."),
  payment_timeout: problem(
    503,
    "Deposit did not arrive in time",
    "If you have paid, resume this deposit: a payment of the shown amount completes it, or returns to its sender.",
  ),
  out_of_memory: problem(
    503,
    "This device has too little free memory",
    "Close other programs, or use a computer with more memory. Nothing was changed.",
  ),
  cancelled: problem(499, "Cancelled", "Run it again to continue."),
  cache_unavailable: problem(
    503,
    "Shared cache does not answer, or refuses to count",
    "Check CACHE_URL, its account and its server. A running relayer recovers by itself.",
  ),
  store_conflict: problem(
    503,
    "Another process wrote to the store first",
    "Let the other process continue. If you restored a backup, restart the relayer.",
  ),
  store_unavailable: problem(
    503,
    "Database does not answer",
    "Check DATABASE_URL and its server. A running relayer recovers by itself.",
  ),
  not_leader: problem(503, "Another replica is the leader", "Nothing to do: only the leader writes."),
  unknown_store: problem(
    404,
    "No store at this location",
    "Name one with --data-dir, RELAYER_DATA_DIR or DATABASE_URL. `tonado serve` creates it.",
  ),
  store_not_empty: problem(422, "Store is not empty", "Import into a new database or a new data directory."),
  store_corrupted: problem(
    422,
    "Store is inconsistent",
    "Stop the relayers that use it. Restore a backup, or rebuild it as docs/operating.md describes.",
  ),
  invalid_export: problem(
    422,
    "File is not a complete export of a store",
    "Nothing was imported. Export the store again.",
  ),
  folder_in_use: problem(
    500,
    "Data directory is in use",
    "Stop the other process, or choose another directory.",
  ),
  deployment_refused: problem(
    422,
    "Deployment was stopped",
    "Nothing was sent. Correct what is listed and run the command again.",
  ),
  rescue_refused: problem(
    422,
    "Pool cannot be rescued",
    "Nothing was sent. docs/operating.md says what can still be done.",
  ),
  audit_failed: problem(422, "Pool failed its audit", "Do not deposit into it. See the checks that failed."),
  invalid_report: problem(
    400,
    "Compliance report is malformed",
    "Use the complete, unchanged output of `tonado compliance report`.",
  ),
  report_verification_failed: problem(
    422,
    "Compliance report is not valid",
    "Do not rely on it. See the checks that failed.",
  ),
  note_unspent: problem(
    422,
    "Note is not withdrawn",
    "Withdraw it first. A report made now would reveal the later withdrawal.",
  ),
  unknown_note: problem(
    404,
    "The note store has no such note",
    "`tonado note show` lists the notes in the store.",
  ),
  wrong_passphrase: problem(
    422,
    "The passphrase does not open the note store",
    "Try again. If the passphrase is lost, restore a backup or the seed into a new store.",
  ),
  note_store_corrupted: problem(
    422,
    "Note store cannot be read",
    "Move the file away, keep it, and restore a backup with `tonado note restore`.",
  ),
  note_store_in_use: problem(
    503,
    "Another process is using this note store",
    "Wait until it ends, or stop it. You can resume what it started.",
  ),
  invalid_ceremony: problem(
    422,
    "Ceremony does not verify",
    "Do not continue from it. Return to the last transcript that verified (docs/ceremony.md).",
  ),
  wrong_backup: problem(
    422,
    "Backup is of another note store",
    "Choose the file that was saved last, or make a new backup.",
  ),
  wallet_declined: problem(
    422,
    "Wallet declined",
    "Nothing was sent. Ask again when you are ready, or pay with another wallet.",
  ),
  wallet_unavailable: problem(
    503,
    "Wallet gave no valid answer",
    "Open the wallet and look at its history before you pay again. The pool's log decides what was paid.",
  ),
  camera_unavailable: problem(
    503,
    "Camera cannot be used",
    "Allow the camera for this page, or type the code that is printed below the picture.",
  ),
  passkey_unavailable: problem(
    503,
    "Passkey cannot be used",
    "Use the passphrase. It always opens the store.",
  ),
  note_paid_elsewhere: problem(
    409,
    "Note was paid to another recipient",
    "A note is paid only once. If this payment was not yours, someone else has your note.",
  ),
  confirmation_required: problem(
    400,
    "Confirmation is required",
    "Nothing was sent. Confirm at the prompt, or pass --yes.",
  ),
} as const satisfies Record<string, ProblemKind>;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problems;

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
  readonly members: Readonly<Record<string, unknown>>;
  readonly #hint: string | undefined;

  constructor(
    code: ProblemCode,
    detail?: string,
    options: {
      errors?: readonly ProblemDetail[];
      members?: Record<string, unknown>;
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

  get status(): number {
    return problems[this.code].status;
  }

  get hint(): string {
    return this.#hint ?? problems[this.code].hint;
  }
}
