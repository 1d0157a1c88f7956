/**
 * A deposit as a loop over attempts: prove for the next free leaf, send, follow the pool until it answers; a leaf that
 * another one took in the meantime means all of it again. How the asset gets there is the caller's business.
 */
import type { Address } from "@ton/core";
import { exitCodeName, exitCodes, Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import type { ProveOptions, Prover } from "../prover/prover.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import type { DepositArgs, Pool } from "../ton/pool.ts";
import { noteHistory } from "../ton/note_history.ts";
import type { DepositEvent, RefusedEvent } from "../ton/pool_event.ts";
import { depositorOf } from "../ton/pool_transaction.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import { pause } from "./pause.ts";
import { type CommitmentSource, fromChain, syncWholeTree } from "./tree_sync.ts";

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
  /** Milliseconds that the source of the tree may be behind the chain; default 25,000. */
  readonly treePatienceMs?: number;
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
  /** Who paid: everybody sees it. */
  readonly depositor: Address;
  readonly attempts: number;
}

/** How an asset gets to the pool, and back. */
export interface DepositWay {
  /** Seconds of chain time past a transfer's valid_until after which the pool can no longer be about to answer it. */
  readonly grace: number;
  message(deposit: DepositArgs): OutgoingMessage;
  /** Whether a refusal of this commitment answers our message, and nobody else's. */
  isOurs(event: RefusedEvent): boolean;
  /** Called before anything is sent, and the function that it returns at each look at the chain. */
  watch?(): Promise<(signal?: AbortSignal) => Promise<void>>;
  /** Resolves when a refused deposit is back. */
  returned?(event: RefusedEvent, signal?: AbortSignal): Promise<void>;
  /** What to tell when the pool never answers. */
  readonly lost: string;
}

/**
 * Deposits.
 *
 * @throws {Problem} as {@linkcode depositNative} does
 */
export async function depositBy(
  way: DepositWay,
  request: DepositRequest,
  options: ProveOptions,
): Promise<DepositResult> {
  const { chain, pool, note, prover, wallet, attempts = 10, treePatienceMs, onStep = () => {} } = request;
  const source = request.source ?? fromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();

  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (options.signal?.aborted) throw new Problem("cancelled");
    onStep({ step: "syncing", attempt });
    const before = (await chain.account(pool.address)).last;
    // In a tree that lacks a deposit the next free leaf would be one that is taken.
    await syncWholeTree(pool, source, tree, { treePatienceMs, signal: options.signal });
    if (tree.indexOf(note.commitment) >= 0) {
      return { ...depositFacts(await findDeposit(chain, pool, note, options.signal)), attempts: attempt };
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
    const look = await way.watch?.();
    const transfer = await wallet.send([way.message({ commitment, newRoot, leafIndex, proof })]);
    onStep({ step: "waiting", attempt, leafIndex, messageHash: transfer.hash });
    const outcome = await settle(way, request, { validUntil: transfer.validUntil, before, look }, options);
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
  way: DepositWay,
  { chain, pool, note, wallet, pollMs = 1000 }: DepositRequest,
  sent: {
    validUntil: number;
    before: TransactionId | undefined;
    look?: (signal?: AbortSignal) => Promise<void>;
  },
  { signal }: ProveOptions,
): Promise<Omit<DepositResult, "attempts"> | "lost"> {
  for (let cursor = sent.before;;) {
    const { now } = await wallet.state();
    for await (const batch of scanPoolTransactions(chain, pool.address, { after: cursor, signal })) {
      for (const event of batch.events) {
        if (event.kind === "withdrawal" || event.commitment !== note.commitment) continue;
        if (event.kind === "deposit") return depositFacts(event);
        if (!way.isOurs(event)) continue;
        await way.returned?.(event, signal);
        if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT) return "lost";
        throw refused(event.exitCode);
      }
      cursor = batch.cursor;
    }
    await sent.look?.(signal);
    if (now > sent.validUntil + way.grace) throw new Problem("deposit_lost", way.lost);
    await pause(pollMs, signal);
  }
}

/** What is told of a deposit that is in the tree. */
export function depositFacts(event: DepositEvent): Omit<DepositResult, "attempts"> {
  const { leafIndex, timestamp, tx } = event;
  return { leafIndex, timestamp, tx, depositor: depositorOf(event) };
}

/**
 * The deposit's own event. The withdrawal is looked for in the same logs: a node that was asked about the nullifier hash
 * while the note is deposited could tell later whose withdrawal it is.
 *
 * @throws {Problem} `commitment_not_found`; `nullifier_already_used` for a note that was withdrawn since
 */
export async function findDeposit(
  chain: Chain,
  pool: Pool,
  note: Note,
  signal?: AbortSignal,
): Promise<DepositEvent> {
  const { deposit, withdrawal } = await noteHistory(chain, pool.address, note, { signal });
  if (!deposit) {
    throw new Problem(
      "commitment_not_found",
      "the source of the tree knows this deposit, the chain does not",
    );
  }
  if (!withdrawal) return deposit;
  throw new Problem(
    "nullifier_already_used",
    `the note was deposited as leaf ${deposit.leafIndex} and has been withdrawn already; nothing was sent`,
    { todo: "A note pays once: make a deposit with a new one." },
  );
}

function refused(exitCode: number | undefined): Problem {
  const name = exitCode === undefined
    ? "too little value"
    : exitCodeName(exitCode) ?? `exit code ${exitCode}`;
  return new Problem("contract_refused", `the pool refused the deposit: ${name}; what was paid came back`, {
    members: { exitCode },
  });
}
