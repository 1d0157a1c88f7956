/** Settles the deposits that wait in a version 2 pool, as anyone may. The proof names the wallet that sends it. */
import { Problem } from "../../core/errors/problem.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { delay } from "../../core/time/deadline.ts";
import type { Prover } from "../../prover/prover.ts";
import type { TransactionId } from "../../ton/chain.ts";
import { assertNoStorageDebt } from "../../ton/pool/storage_debt.ts";
import type { RefusedEvent, SettlementEvent } from "../../ton/pool/history/pool_events.ts";
import { refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import type { SettleInfo, V2Pool } from "../../ton/pool/v2/pool.ts";
import { settlementDueAt, settlementValue } from "../../ton/pool/v2/settlement_terms.ts";
import { assertFunds } from "../../ton/wallet/funds.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { type DepositQueue, DepositQueueReader } from "./deposit_queue.ts";
import { isOvertaken, isSettlementAnswer, proveSettlement } from "./prove_settlement.ts";

const ANSWER_TIMEOUT_MS = 120_000; // the pool answers within a few blocks
const MAX_LOST_RACES = 5; // how often another settlement may come first

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

/** Settles the deposits that wait now. Throws `insufficient_funds`, `contract_refused`, `chain_unavailable`. */
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
  let target = Infinity; // deposits that come later are left to others
  const read = async () => {
    const { tree, waiting } = await reader.read({
      signal,
      onProgress: (transactions) => onStep({ step: "reading", transactions }),
    });
    target = Math.min(target, tree.size + waiting.length);
    return { tree, waiting: waiting.slice(0, Math.max(0, target - tree.size)) };
  };
  let queue = await read();
  for (let lostRaces = 0; queue.waiting.length > 0 && batches.length < maxBatches;) {
    const info = await pool.getSettleInfo({ signal });
    const isCurrent = info.settled === queue.tree.size;
    const outcome = isCurrent
      ? await settleNext({ pool, wallet, prover, queue, info }, { ...options, clock, onStep })
      : "lost";
    if (outcome !== "lost") {
      batches.push(outcome);
      onStep({ step: "settled", batch: outcome });
      if (batches.length < maxBatches) queue = await read();
      continue;
    }
    if (++lostRaces > MAX_LOST_RACES) {
      throw new Problem(
        "contract_refused",
        "other settlements came first each time; the deposits are settled",
      );
    }
    onStep({ step: "lost" });
    queue = await read();
  }
  return batches;
}

async function settleNext(
  { pool, wallet, prover, queue, info }: {
    readonly pool: V2Pool;
    readonly wallet: Wallet;
    readonly prover: Prover;
    readonly queue: Pick<DepositQueue, "tree" | "waiting">;
    readonly info: SettleInfo;
  },
  { pollIntervalMs, clock, signal, onStep }:
    & SettleOptions
    & Required<Pick<SettleOptions, "clock" | "onStep">>,
): Promise<SettledBatch | "lost"> {
  const value = settlementValue(info);
  await assertFunds(wallet, value, "settlement");
  const { first, end, newRoot, proof } = await proveSettlement(prover, queue, wallet.address, {
    signal,
    onProgress: (fraction) => onStep({ step: "proving", fraction }),
  });
  const seconds = Math.ceil(settlementDueAt(info, end) - clock.now() / 1000);
  if (seconds > 0) {
    onStep({ step: "waiting", seconds });
    await delay(1000 * seconds, signal, clock);
  }
  const account = await pool.chain.account(pool.address, { signal });
  await assertNoStorageDebt(pool.chain, pool.address, account, { signal });
  const after = account.last;
  const isLost = async () => await pool.getSettled({ signal }) !== first;
  if (await isLost()) return "lost"; // a refused message would cost its fees
  await wallet.send([pool.buildSettleMessage({ newRoot, end, proof, value })]);
  onStep({ step: "sent" });
  const answer = await waitForAnswer(pool, wallet, { after, pollIntervalMs, clock, signal });
  if (answer.kind === "settlement") {
    return { first, end, root: answer.newRoot, tx: answer.tx, cost: answer.cost ?? 0n };
  }
  if (isOvertaken(answer, await isLost())) return "lost";
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
      return event.sender.equals(address) && isSettlementAnswer(event) ? event : undefined;
    },
    afterScan: () => clock.now() > deadline,
  });
  if (answer !== undefined) return answer;
  throw new Problem("chain_unavailable", "the pool did not answer the settlement in time", {
    hint: "Run the command again. It reads first what is settled.",
  });
}
