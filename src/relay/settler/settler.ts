/**
 * Settles the waiting deposits of version 2 pools. It proves one settlement at a time; the broadcaster, the
 * wallet's only writer, sends it in the next transfer. After a restart or a takeover, the settler first finds
 * what was sent before, and waits for it.
 */
import { CHUNK_SLOTS } from "../../core/crypto/groth16.ts";
import { settlerToField } from "../../core/protocol/messages/address_field.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  settlementEnd,
  type SettlementInput,
  settlementInputsAfter,
  settlementStart,
} from "../../core/tree/settlement.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import {
  nextBatchSize,
  rewardByRule,
  settlementDueAt,
  settlementValue,
} from "../../ton/pool/v2/settlement_terms.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { Leadership } from "../operations/leadership.ts";
import { profitableReward } from "./expected_reward.ts";
import { findSentSettlements } from "./sent_settlements.ts";
import type { SettlementFunds } from "./settlement_funds.ts";
import { MAX_AHEAD, type Settlements } from "./settlements.ts";

/** `profitable`: when the reward exceeds the cost. `eager`: as soon as the pool accepts it. */
export type SettleMode = "profitable" | "eager";

interface SettlerDeps {
  readonly mode: SettleMode;
  readonly prover: Pick<Prover, "proveSettlement">;
  readonly chain: Chain;
  readonly store: Pick<Store, "transfer">;
  readonly wallet: Pick<Wallet, "address">;
  readonly funds: Pick<SettlementFunds, "cover">;
  readonly pools: readonly PoolState[];
  readonly changes: ChangeSignal;
  readonly clock: Clock;
  readonly prices: { getPrices(): Promise<NetworkPrices> };
  readonly leadership: Pick<Leadership, "isLeader" | "term">;
  readonly random: () => number;
  readonly log: Log;
}

const POLL_MS = 1_000;
/** Keeps relayers that wait for the same reward from proving at the same moment. */
const MAX_RANDOM_DELAY_MS = 10_000;

export async function runSettler(
  settlements: Settlements,
  deps: SettlerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { pools, leadership, clock, log } = deps;
  const version2Pools = pools.filter(({ settledPool }) => settledPool !== undefined);
  while (!signal.aborted && version2Pools.length > 0) {
    let hasPrepared = false;
    if (leadership.isLeader && !settlements.isRestored) await restoreSent(settlements, deps, signal);
    for (const pool of version2Pools) {
      if (!settlements.isRestored) break;
      try {
        hasPrepared = await prepareSettlement(pool, settlements, deps, signal) || hasPrepared;
      } catch (error) {
        if (signal.aborted) return;
        log.warning("the waiting deposits of {pool} are not settled: {error}", {
          pool: pool.key,
          error: String(error),
        });
      }
    }
    if (!hasPrepared) await clock.sleep(POLL_MS, signal);
  }
}

/** Runs when this process begins to lead. A failure is logged. */
async function restoreSent(
  settlements: Settlements,
  deps: SettlerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { term } = deps.leadership;
  try {
    const sent = await findSentSettlements(deps, signal);
    settlements.restore(sent, { term, now: deps.clock.now() });
  } catch (error) {
    if (!signal.aborted) {
      deps.log.warning("the settlements sent before are not known yet: {error}", { error: String(error) });
    }
  }
}

/** Returns false if there is nothing to prepare now. */
async function prepareSettlement(
  pool: PoolState,
  settlements: Settlements,
  deps: SettlerDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { chain, prover, changes, log } = deps;
  const contract = new V2Pool(chain, pool.deployment.address);
  const next = await nextInput(pool, contract, settlements, deps, signal);
  if (next === undefined) return false;
  const { input, value, reward } = next;
  const { proof } = await prover.proveSettlement(input, { signal });
  const [start, end] = [settlementStart(input), settlementEnd(input)];
  const message = contract.buildSettleMessage({
    newRoot: input.newRoot,
    end,
    proof,
    value,
    queryId: BigInt(start), // with it, a restarted relayer recognises its message
  });
  if (!settlements.add(pool, { input, message })) return true;
  log.info("{pool}: settling {count} deposits, for a reward of at most {reward} nano", {
    pool: pool.key,
    count: end - start,
    reward: String(reward),
  });
  changes.notify();
  return true;
}

interface NextSettlement {
  readonly input: SettlementInput;
  readonly value: bigint;
  readonly reward: bigint;
}

async function nextInput(
  pool: PoolState,
  contract: V2Pool,
  settlements: Settlements,
  { clock, funds, mode, prices, random, wallet }: SettlerDeps,
  signal: AbortSignal,
): Promise<NextSettlement | undefined> {
  const tree = pool.settledPool!;
  if (settlements.awaitsPreviousTerm(pool, clock.now())) return undefined;
  const last = settlements.last(pool, clock.now());
  const first = last === undefined ? tree.size : settlementEnd(last.input);
  const waiting = tree.queue.slice(first - tree.size);
  const count = nextBatchSize(first, waiting.length);
  if (count === 0 || !pool.readiness(clock.now()).ready || pool.isNearFreezing) return undefined;
  if (last !== undefined && (count < CHUNK_SLOTS || settlements.count(pool) >= MAX_AHEAD)) return undefined;
  const info = await contract.getSettleInfo({ signal, lowPriority: true });
  const now = Math.floor(clock.now() / 1000);
  if (last === undefined && (info.settled !== first || now < settlementDueAt(info, first + count))) {
    return undefined;
  }
  // The reward grows with the time since the last settlement, so our earlier settlement resets it.
  const fullReward = rewardByRule(last === undefined ? info : { ...info, waitingSince: now }, count, now);
  const reward = mode === "eager" ? fullReward : await profitableReward({
    contract,
    info,
    fullReward,
    first,
    count,
    prices,
    assetKind: pool.deployment.asset === "native" ? "native" : "jetton",
    ahead: settlements.count(pool),
    knownDeposits: tree.depositCount,
  }, { signal, lowPriority: true });
  if (reward === undefined) return undefined;
  const value = settlementValue(info);
  const needed = settlements.unsentValue + value;
  if (!await funds.cover(needed, pool, { signal, lowPriority: true })) return undefined;
  if (last !== undefined) {
    const queue = waiting.map(({ commitment }) => commitment);
    return { input: settlementInputsAfter(last.input, queue), value, reward };
  }
  if (mode === "profitable") {
    await clock.sleep(random() * MAX_RANDOM_DELAY_MS, signal);
    if (signal.aborted || tree.size !== first) return undefined;
  }
  return { input: tree.settlementInputs(settlerToField(wallet.address)), value, reward };
}
