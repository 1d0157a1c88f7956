/**
 * The one table of errors: what this product reports over HTTP, on the command line and from the library, and the
 * exit codes of the pool contracts. Nothing throws a bare string; nothing is declared a second time elsewhere.
 */
import { httpProblems, type ProblemKind } from "./http_problems.ts";

/** Every problem this product reports, by its stable code. */
export const problems = {
  ...httpProblems,

  // Not of the HTTP interface: what the library and the command line report.
  invalid_note: { status: 400, title: "Note is malformed", todo: "Check that the whole note was copied." },
  wrong_pool: {
    status: 400,
    title: "Note belongs to another pool",
    todo: "Use the pool of the note's asset, amount and network.",
  },
  wrong_network: {
    status: 400,
    title: "Endpoint serves another network",
    todo: "Use an endpoint of your network, or correct the network.",
  },
  invalid_address: { status: 400, title: "Address is malformed", todo: "Give a standard TON address." },
  unpayable_recipient: {
    status: 400,
    title: "Recipient would lose the money",
    todo: "Pay a wallet whose keys somebody holds; nothing was sent.",
  },
  invalid_amount: {
    status: 400,
    title: "Amount is malformed",
    todo: "Give a decimal number of whole units.",
  },
  invalid_proof: {
    status: 400,
    title: "Proof is malformed",
    todo: "Send a snarkjs Groth16 proof over bls12381.",
  },
  unsatisfied: {
    status: 422,
    title: "Inputs do not satisfy the circuit",
    todo: "Check the note and its pool, and build the path and the root from the pool's current tree.",
  },
  invalid_config: { status: 500, title: "Configuration is invalid", todo: "Correct the settings listed." },
  cannot_write: {
    status: 500,
    title: "Output cannot be written",
    todo:
      "Make room, or name a place that can be written to, and run it again: nothing half-written is left.",
  },
  artifact_corrupted: {
    status: 500,
    title: "Artifact does not match its pin",
    todo: "Restore the file, or install the release again.",
  },
  artifact_unavailable: {
    status: 503,
    title: "Artifact cannot be fetched",
    todo:
      "Serve the package's dist/ and artifacts/ folders, and give the URL of their parent to `locate` first.",
  },
  invalid_registry: {
    status: 500,
    title: "Deployments registry is invalid",
    todo: "Correct the file, or write it again with `tonado deploy`.",
  },
  chain_unavailable: {
    status: 503,
    title: "Chain endpoint does not answer",
    todo: "Check the endpoint and its key; the work resumes by itself.",
  },
  chain_inconsistent: {
    status: 503,
    title: "Chain endpoint contradicts itself",
    todo: "Wait, or use another endpoint.",
  },
  relayer_unavailable: {
    status: 503,
    title: "Relayer does not answer as it should",
    todo: "Check its address, try again, or use another relayer.",
  },
  tree_incomplete: {
    status: 503,
    title: "Tree lacks the newest deposits",
    todo:
      "Try again in a minute, or use another relayer. With fewer deposits a withdrawal hides among fewer, and a deposit would be refused.",
  },
  fee_above_limit: {
    status: 422,
    title: "Every relayer asks for more than it may cost",
    todo: "Allow more, or ask another relayer; nothing was submitted.",
  },
  contract_refused: { status: 422, title: "Contract refused the message", todo: "See the exit code." },
  insufficient_funds: {
    status: 422,
    title: "Wallet is short of funds",
    todo: "Fund the wallet and try again.",
  },
  tree_full: { status: 422, title: "Tree is full", todo: "Use another pool." },
  deposit_lost: {
    status: 503,
    title: "Deposit did not arrive in time",
    todo: "Nothing was lost: the note stays valid if the deposit still arrives, else the value bounces.",
  },
  cancelled: { status: 499, title: "Cancelled", todo: "Start again when you like." },
  cache_unavailable: {
    status: 503,
    title: "Shared cache does not answer",
    todo: "Check CACHE_URL and the server behind it; a relayer that runs goes on by itself when it answers.",
  },
  store_conflict: {
    status: 503,
    title: "Another writer was first",
    todo:
      "Wait: who was first goes on. Restoring a backup under a running relayer does this too: start it again.",
  },
  store_unavailable: {
    status: 503,
    title: "Database does not answer",
    todo: "Check DATABASE_URL and the server; a relayer that runs goes on by itself when it answers.",
  },
  not_leader: {
    status: 503,
    title: "Another replica leads",
    todo: "Nothing to do: the leader writes, and this replica follows.",
  },
  unknown_store: {
    status: 404,
    title: "There is no store there",
    todo: "Name one with --data-dir, RELAYER_DATA_DIR or DATABASE_URL: `tonado serve` makes it.",
  },
  store_not_empty: {
    status: 422,
    title: "Store is not empty",
    todo: "Import into an empty store only: a fresh database, or a fresh data directory.",
  },
  store_damaged: {
    status: 422,
    title: "Store contradicts itself",
    todo:
      "Do not start a relayer on it: restore a backup, or see docs/operating.md on rebuilding it from the chain.",
  },
  invalid_export: {
    status: 422,
    title: "File is no whole export of a store",
    todo: "Export again; nothing was imported.",
  },
  already_running: {
    status: 500,
    title: "Data directory is in use",
    todo: "Stop the other process, or choose another directory.",
  },
  deployment_refused: {
    status: 422,
    title: "Deployment is refused",
    todo: "Correct what is listed and run it again; nothing was sent.",
  },
  audit_failed: {
    status: 422,
    title: "Pool failed its audit",
    todo: "Do not deposit into it; see the checks that failed.",
  },
  invalid_report: {
    status: 400,
    title: "Compliance report is malformed",
    todo: "Give the whole report as `tonado compliance report` wrote it.",
  },
  report_refused: {
    status: 422,
    title: "Compliance report does not hold",
    todo: "Do not rely on it; see the checks that failed.",
  },
  note_unspent: {
    status: 422,
    title: "Note is not withdrawn",
    todo: "Withdraw it first: a report made before would link the withdrawal to come.",
  },
  unknown_note: {
    status: 404,
    title: "No such note in the note store",
    todo: "`tonado note show` lists the notes that are there.",
  },
  notes_locked: {
    status: 422,
    title: "The passphrase does not open the note store",
    todo: "Give the passphrase that it was made with: nobody can open it without.",
  },
  notes_damaged: {
    status: 422,
    title: "Note store cannot be read",
    todo: "Move the file aside, never delete it, and bring a backup in with `tonado note restore`.",
  },
  notes_busy: {
    status: 503,
    title: "Another process works with this note store",
    todo: "Wait until it is done, or end it: what it began is in the store and can be resumed.",
  },
  invalid_ceremony: {
    status: 422,
    title: "Ceremony does not verify",
    todo: "Build nothing on it: go back to the last transcript that verified, and see docs/ceremony.md.",
  },
  paid_elsewhere: {
    status: 409,
    title: "Note was paid to another recipient",
    todo: "A note pays once. If it was no attempt of yours that paid, somebody else has had the note.",
  },
  unconfirmed: {
    status: 400,
    title: "Money would move, and nobody agreed",
    todo: "Agree at the prompt, or pass --yes; nothing was sent.",
  },
} as const satisfies Record<string, ProblemKind>;

/** Stable code of a problem. */
export type ProblemCode = keyof typeof problems;

/** One shape error: a JSON pointer into the body (or a parameter's name) and what is wrong there. */
export interface ProblemDetail {
  readonly pointer: string;
  readonly detail: string;
}

/** The one error that this product throws on purpose. `message` is safe to show: it never holds a secret. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly errors: readonly ProblemDetail[];
  /** Members that go into the problem document beside the standard ones. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly #todo: string | undefined;

  constructor(
    code: ProblemCode,
    detail?: string,
    options: {
      errors?: readonly ProblemDetail[];
      members?: Record<string, unknown>;
      /** The next step where the table's own does not fit. */
      todo?: string;
      cause?: unknown;
    } = {},
  ) {
    super(detail ?? problems[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.members = options.members ?? {};
    this.#todo = options.todo;
  }

  /** HTTP status of this problem. */
  get status(): number {
    return problems[this.code].status;
  }

  /** What the reader can do about it. */
  get todo(): string {
    return this.#todo ?? problems[this.code].todo;
  }
}

/** Exit codes of the pool contracts, by the interface's names. `contracts/errors.tolk` is generated from here. */
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
  ERR_NOT_OWNER: 301,
  ERR_NOT_SURPLUS: 302,
} as const;

/** Name of an exit code. */
export type ExitCodeName = keyof typeof exitCodes;

/** The interface's name of an exit code, or undefined for a code that is not the pool's own. */
export function exitCodeName(code: number): ExitCodeName | undefined {
  return (Object.keys(exitCodes) as ExitCodeName[]).find((name) => exitCodes[name] === code);
}
