/**
 * Puts a note's commitment into a pool. The caller must have stored the note before: from the moment the message is
 * sent the note is the money. A deposit whose leaf another one took in the meantime is proved and sent again here.
 */
import { exitCodeName, exitCodes, Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import type { ProveOptions, Prover } from "../prover/prover.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import type { Pool } from "../ton/pool.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { Wallet } from "../ton/wallet.ts";
import { assertNoteFits } from "./note_pool.ts";
import { type CommitmentSource, fromChain, syncTree } from "./tree_sync.ts";

/** What a deposit is made of. */
export interface DepositRequest {
  readonly chain: Chain;
  readonly pool: Pool;
  /** The network that the pool is on. */
  readonly network: Network;
  /** Pays the denomination; the commitment is public from then on as deposited by this wallet. */
  readonly wallet: Wallet;
  readonly note: Note;
  /** Where the tree comes from; default: the pool's own logs. */
  readonly source?: CommitmentSource;
  /** Leaves that are here already. */
  readonly tree?: MerkleTree;
  readonly prover: Prover;
  /** How often a lost race is run again; default 10. */
  readonly attempts?: number;
  /** Milliseconds between looks at the chain; default 1,000. */
  readonly pollMs?: number;
  readonly onStep?: (step: DepositStep) => void;
}

/** Steps as they are reached; `lost` means that another deposit took the leaf and the next attempt begins. */
export type DepositStep =
  | { readonly step: "syncing" | "proving" | "sending"; readonly attempt: number }
  | {
    readonly step: "waiting";
    readonly attempt: number;
    readonly leafIndex: number;
    readonly messageHash: string;
  }
  | { readonly step: "lost"; readonly attempt: number; readonly leafIndex: number }
  | { readonly step: "deposited"; readonly attempt: number; readonly leafIndex: number };

/** A deposit that is in the tree. */
export interface DepositResult {
  readonly leafIndex: number;
  /** Unix seconds of its block. */
  readonly timestamp: number;
  readonly tx: TransactionId;
  readonly attempts: number;
}

/** Seconds past a transfer's valid_until after which it can no longer appear in a block that we have not seen. */
const EXPIRY_GRACE = 15;

/**
 * Deposits exactly the pool's denomination of the native coin.
 *
 * @throws {Problem} `wrong_pool`; `contract_refused` with the exit code's name when the pool refuses for any reason but a
 *   lost race (the value has bounced back then); `deposit_lost` when the transfer was never included, or after
 *   `attempts` lost races; `unknown_root`, `cancelled`
 */
export async function depositNative(
  request: DepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, prover, wallet, attempts = 10, onStep = () => {} } = request;
  if (note.asset !== "native") {
    throw new Problem("wrong_pool", `the note is for ${note.asset}, not for the native coin`);
  }
  const value = await assertNoteFits(pool, note, request.network);
  const source = request.source ?? fromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();

  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (options.signal?.aborted) throw new Problem("cancelled");
    onStep({ step: "syncing", attempt });
    const before = (await chain.account(pool.address)).last;
    await syncTree(pool, source, tree);
    if (tree.indexOf(note.commitment) >= 0) {
      const event = await findDeposit(chain, pool, note);
      return { leafIndex: event.leafIndex, timestamp: event.timestamp, tx: event.tx, attempts: attempt };
    }
    const leafIndex = tree.size;
    onStep({ step: "proving", attempt });
    const newRoot = tree.rootAfter(note.commitment);
    const { proof } = await prover.proveDeposit({
      prevRoot: tree.root,
      newRoot,
      commitment: note.commitment,
      leafIndex,
      pathElements: tree.zeroPath().pathElements,
    }, options);

    onStep({ step: "sending", attempt });
    const { commitment } = note;
    const transfer = await wallet.send([
      pool.depositMessage({ commitment, newRoot, leafIndex, proof, value }),
    ]);
    onStep({ step: "waiting", attempt, leafIndex, messageHash: transfer.hash });
    const outcome = await settle(request, transfer.validUntil, before, options.signal);
    if (outcome !== "lost") {
      onStep({ step: "deposited", attempt, leafIndex: outcome.leafIndex });
      return { ...outcome, attempts: attempt };
    }
    onStep({ step: "lost", attempt, leafIndex });
    await pause(Math.random() * (request.pollMs ?? 1000) * attempt, options.signal);
  }
  throw new Problem(
    "deposit_lost",
    `other deposits took the leaf ${attempts} times; nothing was spent but gas`,
  );
}

/** Follows the pool until it has answered our message, or the message can no longer be answered. */
async function settle(
  { chain, pool, note, wallet, pollMs = 1000 }: DepositRequest,
  validUntil: number,
  before: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<{ leafIndex: number; timestamp: number; tx: TransactionId } | "lost"> {
  for (let cursor = before;;) {
    const { now } = await wallet.state();
    for await (const batch of scanPoolTransactions(chain, pool.address, { after: cursor, signal })) {
      for (const event of batch.events) {
        if (event.kind === "withdrawal" || event.commitment !== note.commitment) continue;
        if (event.kind === "deposit") {
          return { leafIndex: event.leafIndex, timestamp: event.timestamp, tx: event.tx };
        }
        if (!event.sender.equals(wallet.address)) continue;
        if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT) return "lost";
        throw refused(event.exitCode);
      }
      cursor = batch.cursor;
    }
    if (now > validUntil + EXPIRY_GRACE) {
      throw new Problem("deposit_lost", "the wallet's transfer was not included in time; nothing was sent");
    }
    await pause(pollMs, signal);
  }
}

async function findDeposit(chain: Chain, pool: Pool, note: Note) {
  for await (const { events } of scanPoolTransactions(chain, pool.address)) {
    for (const event of events) {
      if (event.kind === "deposit" && event.commitment === note.commitment) return event;
    }
  }
  throw new Problem("commitment_not_found", "the source of the tree knows this deposit, the chain does not");
}

function refused(exitCode: number | undefined): Problem {
  const name = exitCode === undefined
    ? "too little value"
    : exitCodeName(exitCode) ?? `exit code ${exitCode}`;
  return new Problem("contract_refused", `the pool refused the deposit: ${name}; the value bounced back`, {
    members: { exitCode },
  });
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Problem("cancelled"));
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      signal?.aborted ? reject(new Problem("cancelled")) : resolve();
    }
  });
}
