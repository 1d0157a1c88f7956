/** Settles the deposits that wait in a version 2 pool, as anyone may. The proof names the wallet that sends it. */
import { exitCodes, Problem } from "../core/errors/problem.ts";
import { V2_POOL_CAPACITY } from "../core/protocol/v2/pool_constants.ts";
import { settlerToField } from "../core/protocol/messages/address_field.ts";
import { type Clock, delay, systemClock } from "../core/time.ts";
import { MerkleTree } from "../core/tree/merkle_tree.ts";
import { settlementInputs } from "../core/tree/settlement.ts";
import type { Prover } from "../prover/prover.ts";
import type { TransactionId } from "../ton/chain.ts";
import type { RefusedEvent, SettlementEvent } from "../ton/pool/history/pool_events.ts";
import { refusalReason, waitForPoolEvent } from "../ton/pool/history/pool_watch.ts";
import { scanPoolTransactions } from "../ton/pool/history/scan.ts";
import type { SettleInfo, V2Pool } from "../ton/pool/v2/pool.ts";
import { nextBatchSize, settlementDueAt, settlementValue } from "../ton/pool/v2/settlement_terms.ts";
import { assertFunds } from "../ton/wallet/funds.ts";
import type { Wallet } from "../ton/wallet/wallet.ts";
import { V2PoolRebuild } from "./audit/v2/rebuilt_pool.ts";

const ANSWER_TIMEOUT_MS = 120_000; // the pool answers within a few blocks
const MAX_LOST_RACES = 5; // how often another settlement may come first

/** The deposits of a pool: `tree` holds the settled ones, `waiting` the others, oldest first. */
interface DepositQueue {
  readonly tree: MerkleTree;
  readonly waiting: readonly bigint[];
}

/** The leaves `first` to `end - 1` were settled. `cost` in nano; negative if the reward exceeded the fees. */
export interface SettledBatch {
  readonly first: number;
  readonly end: number;
  readonly root: bigint;
  readonly tx: TransactionId;
  readonly cost: bigint;
}

/** `waiting`: for the 30 s between settlements that do not fill a chunk. `lost`: another settlement came first. */
export type SettleStep =
  | { readonly step: "reading"; readonly transactions: number }
  | { readonly step: "waiting"; readonly seconds: number }
  | { readonly step: "proving"; readonly fraction: number }
  | { readonly step: "sent" | "lost" }
  | { readonly step: "settled"; readonly batch: SettledBatch };

interface SettleOptions {
  readonly pollIntervalMs: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: SettleStep) => void;
}

/** Reads a pool's deposits from its logs. A later read continues where the last one ended. */
export class DepositQueueReader {
  readonly #rebuild = new V2PoolRebuild();
  #after: TransactionId | undefined;

  constructor(readonly pool: V2Pool) {}

  /** Throws `chain_inconsistent` if the logs do not give the pool's root. */
  async read(
    { signal, onStep = () => {} }: Pick<SettleOptions, "signal" | "onStep"> = {},
  ): Promise<DepositQueue> {
    const { chain, address } = this.pool;
    const scan = {
      capacity: V2_POOL_CAPACITY,
      ...signal && { signal },
      ...this.#after && { after: this.#after },
    };
    const onProgress = (transactions: number) => onStep({ step: "reading", transactions });
    for await (const { events, cursor } of scanPoolTransactions(chain, address, { ...scan, onProgress })) {
      for (const event of events) this.#rebuild.add(event);
      this.#after = cursor;
    }
    const { commitments, leaves, fault } = this.#rebuild.result();
    const tree = new MerkleTree();
    tree.appendMany(commitments.slice(0, leaves));
    const isCurrent = tree.root === await this.pool.getCurrentRoot({ signal });
    if (fault !== undefined || !isCurrent) {
      throw new Problem("chain_inconsistent", fault ?? "the pool's logs do not give its root yet", {
        hint: "Run the command again; if that does not help, use another --endpoint.",
      });
    }
    return { tree, waiting: commitments.slice(leaves) };
  }
}

/** Settles until no deposit waits. Throws `insufficient_funds`, `contract_refused`, `chain_unavailable`. */
export async function settleDeposits(
  { pool, wallet, prover, maxBatches = Infinity, reader = new DepositQueueReader(pool) }: {
    readonly pool: V2Pool;
    readonly wallet: Wallet;
    readonly prover: Prover;
    readonly maxBatches?: number;
    /** One that has read the pool before. */
    readonly reader?: DepositQueueReader;
  },
  options: SettleOptions,
): Promise<readonly SettledBatch[]> {
  const { signal, clock = systemClock, onStep = () => {} } = options;
  const batches: SettledBatch[] = [];
  let queue = await reader.read(options);
  for (let lostRaces = 0; queue.waiting.length > 0 && batches.length < maxBatches;) {
    const info = await pool.getSettleInfo({ signal });
    const isCurrent = info.settled === queue.tree.size;
    const outcome = isCurrent
      ? await settleNext({ pool, wallet, prover, queue, info }, { ...options, clock, onStep })
      : "lost";
    if (outcome !== "lost") {
      queue.tree.appendMany(queue.waiting.slice(0, outcome.end - outcome.first));
      queue = { tree: queue.tree, waiting: queue.waiting.slice(outcome.end - outcome.first) };
      batches.push(outcome);
      onStep({ step: "settled", batch: outcome });
      continue;
    }
    if (++lostRaces > MAX_LOST_RACES) {
      throw new Problem(
        "contract_refused",
        "other settlements came first each time; the deposits are settled",
      );
    }
    onStep({ step: "lost" });
    queue = await reader.read(options);
  }
  return batches;
}

async function settleNext(
  { pool, wallet, prover, queue, info }: {
    readonly pool: V2Pool;
    readonly wallet: Wallet;
    readonly prover: Prover;
    readonly queue: DepositQueue;
    readonly info: SettleInfo;
  },
  { pollIntervalMs, clock, signal, onStep }:
    & SettleOptions
    & Required<Pick<SettleOptions, "clock" | "onStep">>,
): Promise<SettledBatch | "lost"> {
  const value = settlementValue(info);
  await assertFunds(wallet, value, "settlement");
  const first = queue.tree.size;
  const end = first + nextBatchSize(first, queue.waiting.length);
  const input = settlementInputs(queue.tree, queue.waiting, settlerToField(wallet.address));
  const { proof } = await prover.proveSettlement(input, {
    ...signal && { signal },
    onProgress: ({ fraction }) => onStep({ step: "proving", fraction }),
  });
  const seconds = Math.ceil(settlementDueAt(info, end) - clock.now() / 1000);
  if (seconds > 0) {
    onStep({ step: "waiting", seconds });
    await delay(1000 * seconds, signal, clock);
  }
  const after = (await pool.chain.account(pool.address, { signal })).last;
  const isLost = async () => await pool.getSettled({ signal }) !== first;
  if (await isLost()) return "lost"; // a refused message would cost its fees
  await wallet.send([pool.buildSettleMessage({ newRoot: input.newRoot, end, proof, value })]);
  onStep({ step: "sent" });
  const answer = await waitForAnswer(pool, wallet, { after, pollIntervalMs, clock, signal });
  if (answer.kind === "settlement") {
    return { first, end, root: answer.newRoot, tx: answer.tx, cost: answer.cost ?? 0n };
  }
  if (answer.exitCode === exitCodes.ERR_STALE_SETTLE || answer.exitCode === exitCodes.ERR_TOO_SOON) {
    return "lost";
  }
  // The pool checks the proof against what is settled now, so it refuses a proof that begins before that.
  if (answer.exitCode === exitCodes.ERR_PROOF_INVALID && await isLost()) return "lost";
  throw new Problem("contract_refused", `the pool refused the settlement: ${refusalReason(answer.exitCode)}`);
}

async function waitForAnswer(
  pool: V2Pool,
  { address }: Wallet,
  { clock, ...watch }: {
    readonly after: TransactionId | undefined;
    readonly pollIntervalMs: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<SettlementEvent | RefusedEvent> {
  const deadline = clock.now() + ANSWER_TIMEOUT_MS;
  const answer = await waitForPoolEvent<SettlementEvent | RefusedEvent>(pool.chain, pool.address, {
    ...watch,
    clock,
    match(event) {
      if (!event.sender.equals(address)) return undefined;
      const isAnswer = event.kind === "settlement" || (event.kind === "refused" && event.op === "settle");
      return isAnswer ? event : undefined;
    },
    afterScan: () => clock.now() > deadline,
  });
  if (answer !== undefined) return answer;
  throw new Problem("chain_unavailable", "the pool did not answer the settlement in time", {
    hint: "Run the command again. It reads first what is settled.",
  });
}
