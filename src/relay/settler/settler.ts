/**
 * Settles the deposits that wait in version 2 pools. It prepares at most one settlement for each pool; the broadcaster,
 * the only writer of the wallet, sends it in its next transfer. The pool accepts a settlement only after the one before
 * it, so one that is sent again after a crash is refused, for the price of the refusal.
 */
import { settlerToField } from "../../core/protocol/address_field.ts";
import type { Clock } from "../../core/time.ts";
import type { Prover } from "../../prover/prover.ts";
import type { PoolId } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import {
  nextBatchSize,
  rewardByRule,
  settlementDueAt,
  settlementValue,
} from "../../ton/pool/v2/settlement_terms.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { Leadership } from "../operations/leadership.ts";

/** `profitable`: when the reward exceeds the cost. `eager`: as soon as the pool accepts it. */
export type SettleMode = "profitable" | "eager";

/** A proved settlement of the leaves `first` to `end - 1`. */
interface PreparedSettlement {
  readonly first: number;
  readonly end: number;
  readonly message: OutgoingMessage;
}

export interface SettlerDeps {
  readonly mode: SettleMode;
  readonly prover: Pick<Prover, "proveSettlement">;
  readonly chain: Chain;
  readonly wallet: Pick<Wallet, "address">;
  readonly pools: readonly PoolState[];
  readonly changes: ChangeSignal;
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, "isLeader">;
  readonly random: () => number;
  readonly log: Log;
}

const POLL_MS = 1_000;
/** Several relayers that wait for the same reward do not prove at the same moment. */
const MAX_RANDOM_DELAY_MS = 10_000;
/** A settlement that was sent and not seen for so long is prepared again. */
const SENT_TIMEOUT_MS = 120_000;
/** The reward must exceed the price of a lone settlement by a tenth, for the transfer and the refusals. */
const profitableReward = (settlementCost: bigint) => settlementCost + settlementCost / 10n;

export class Settlements {
  readonly #prepared = new Map<PoolId, PreparedSettlement>();
  readonly #sent = new Map<PoolId, { readonly first: number; readonly at: number }>();

  /** Returns the messages of at most `limit` prepared settlements, which count as sent. */
  take(pools: { get(id: PoolId): PoolState | undefined }, limit: number, now: number): OutgoingMessage[] {
    const messages: OutgoingMessage[] = [];
    for (const [id, { first, message }] of this.#prepared) {
      if (messages.length === limit) break;
      this.#prepared.delete(id);
      if (pools.get(id)?.settledTree?.size !== first) continue; // another settlement came first
      messages.push(message);
      this.#sent.set(id, { first, at: now });
    }
    return messages;
  }

  get isEmpty(): boolean {
    return this.#prepared.size === 0;
  }

  get(id: PoolId): PreparedSettlement | undefined {
    return this.#prepared.get(id);
  }

  set(id: PoolId, settlement: PreparedSettlement): void {
    this.#prepared.set(id, settlement);
  }

  /** Whether a settlement that begins at `first` is on its way. */
  isPending(id: PoolId, first: number, now: number): boolean {
    const sent = this.#sent.get(id);
    return sent?.first === first && now - sent.at < SENT_TIMEOUT_MS;
  }
}

export async function runSettler(
  settlements: Settlements,
  deps: SettlerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pools, leadership, clock, log } = deps;
  const settled = pools.filter(({ settledTree }) => settledTree !== undefined);
  while (!signal.aborted && settled.length > 0) {
    for (const pool of leadership.isLeader ? settled : []) {
      try {
        await prepareSettlement(pool, settlements, deps, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warning("the waiting deposits of {pool} are not settled: {error}", {
          ...{ pool: pool.key, error: String(error) },
        });
      }
    }
    await clock.sleep(POLL_MS, signal);
  }
}

async function prepareSettlement(
  pool: PoolState,
  settlements: Settlements,
  deps: SettlerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { chain, clock, prover, wallet, changes, mode, random, log } = deps;
  const tree = pool.settledTree!;
  const first = tree.size;
  const end = first + nextBatchSize(first, tree.queue.length);
  if (end === first || !pool.readiness(clock.now()).ready) return;
  if (settlements.isPending(pool.id, first, clock.now())) return;
  const prepared = settlements.get(pool.id);
  if (prepared?.first === first && prepared.end === end) return;
  const contract = new V2Pool(chain, pool.deployment.address);
  const info = await contract.getSettleInfo({ signal, lowPriority: true });
  const now = Math.floor(clock.now() / 1000);
  if (info.settled !== first || now < settlementDueAt(info, end)) return;
  const reward = rewardByRule(info, end - first, now);
  if (mode === "profitable") {
    if (reward < profitableReward(info.settlementCost)) return;
    await clock.sleep(random() * MAX_RANDOM_DELAY_MS, signal);
    if (signal.aborted || tree.size !== first) return;
  }
  const input = tree.settlementInputs(settlerToField(wallet.address));
  const { proof } = await prover.proveSettlement(input, { signal });
  const value = settlementValue(info);
  const message = contract.buildSettleMessage({
    newRoot: input.newRoot,
    end: batchEnd(input.span),
    proof,
    value,
  });
  settlements.set(pool.id, { first, end: batchEnd(input.span), message });
  log.info("{pool}: settling {count} deposits, for a reward of {reward} nano", {
    ...{ pool: pool.key, count: end - first, reward: String(reward) },
  });
  changes.notify();
}

/** Of a span: settled * 512 + count. */
function batchEnd(span: bigint): number {
  return Number((span >> 9n) + (span & 511n));
}
