/**
 * Tops up jetton pools without owner before their storage is unpaid. Only the leader does. The ledger enforces a limit
 * per pool and year. A pool is read a second time before it is paid, and at the second endpoint if there is one.
 */
import { Cell } from "@ton/core";
import type { Clock } from "../../core/time/clock.ts";
import { formatNative } from "../../core/protocol/units.ts";
import type { Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import { fetchStorageBill, SECONDS_PER_YEAR, type StorageBill } from "../../ton/account_storage.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { messagesIn } from "../../ton/wallet/message_list.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { ChangeSignal } from "../change_signal.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { PoolFundsMonitor } from "../monitoring/pool_funds_monitor.ts";
import type { Leadership } from "../operations/leadership.ts";
import type { PollingIntervals } from "../polling_intervals.ts";
import { decideTopUp, MIN_RUNWAY_YEARS, nextSlot, parseTopUp } from "./top_up_policy.ts";
import type { TopUps } from "./top_ups.ts";

const MAX_POLL_MS = 10_000;

interface TopUpDeps {
  readonly chain: Chain;
  readonly store: Pick<Store, "transfer" | "ledger">;
  readonly wallet: Pick<Wallet, "address">;
  readonly poolFunds: Pick<PoolFundsMonitor, "get">;
  /** Maximum for a pool and year, in nano; 0: pools are only reported. */
  readonly limitNano: bigint;
  readonly leadership: Pick<Leadership, "isLeader" | "term">;
  readonly clock: Clock;
  readonly intervals: Pick<PollingIntervals, "topUpSlotMs">;
  readonly changes: ChangeSignal;
  readonly log: Log;
}

export async function watchTopUps(
  topUps: TopUps,
  pools: readonly PoolState[],
  deps: TopUpDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, intervals: { topUpSlotMs } } = deps;
  const ownerless = pools.filter(({ deployment: { asset, owner } }) => asset !== "native" && owner === null);
  const slots = new Map<PoolState, number>();
  while (!signal.aborted && ownerless.length > 0) {
    for (const pool of ownerless) {
      if (isDue(pool, slots, topUps, deps)) await tryTopUp(pool, topUps, deps, signal);
    }
    await clock.sleep(Math.min(MAX_POLL_MS, topUpSlotMs / 4), signal);
  }
}

/** Returns whether the relayer's slot has come since the first read showed that the pool needs coins. */
function isDue(
  pool: PoolState,
  slots: Map<PoolState, number>,
  topUps: TopUps,
  { poolFunds, leadership, clock, wallet, intervals: { topUpSlotMs } }: TopUpDeps,
): boolean {
  const known = poolFunds.get(pool);
  const isLow = known !== undefined && known.runwayYears < MIN_RUNWAY_YEARS;
  if (!isLow || !leadership.isLeader) topUps.setShort(pool, false);
  if (!isLow || !leadership.isLeader || pool.deploymentMismatch !== undefined) {
    slots.delete(pool);
    return false;
  }
  const slot = slots.get(pool) ?? nextSlot(clock.now() + 1, wallet.address, pool.id, topUpSlotMs);
  slots.set(pool, slot);
  if (clock.now() < slot) return false;
  slots.delete(pool);
  return true;
}

async function tryTopUp(
  pool: PoolState,
  topUps: TopUps,
  deps: TopUpDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await prepareTopUp(pool, topUps, deps, signal);
  } catch (error) {
    if (signal.aborted) return;
    deps.log.warning("{pool} is topped up later: {error}", { pool: pool.key, error: String(error) });
  }
}

async function prepareTopUp(
  pool: PoolState,
  topUps: TopUps,
  deps: TopUpDeps,
  signal: AbortSignal,
): Promise<void> {
  const { leadership: { term }, limitNano, changes, log } = deps;
  if (topUps.has(pool)) return;
  const bill = await readConfirmedBill(pool, deps, signal);
  const spent = await spentInYear(pool, deps);
  if (bill === undefined || spent === undefined) return;
  const { value, isShort } = decideTopUp(bill, spent < limitNano ? limitNano - spent : 0n);
  topUps.setShort(pool, isShort);
  if (value === 0n) return;
  topUps.add(pool, value, term);
  log.info("topping up {pool} with {value}: its storage is paid for {years} years", {
    pool: pool.key,
    value: formatNative(value),
    years: bill.runwayYears,
  });
  changes.notify();
}

/** Returns the bill of the endpoint that shows the longer runway; undefined if an endpoint shows another contract. */
async function readConfirmedBill(
  pool: PoolState,
  { chain, log }: TopUpDeps,
  signal: AbortSignal,
): Promise<StorageBill | undefined> {
  const { owner } = await new Pool(chain, pool.deployment.address).getPoolInfo({ signal, lowPriority: true });
  let longest: StorageBill | undefined;
  for (const endpoint of [chain, ...chain.verifier ? [chain.verifier.endpoint] : []]) {
    const bill = owner === null ? await readBill(pool, endpoint, signal) : undefined;
    if (bill === undefined) {
      log.error("{pool} is not topped up: its account or its owner is not the registered one", {
        pool: pool.key,
      });
      return undefined;
    }
    if (longest === undefined || bill.runwayYears > longest.runwayYears) longest = bill;
  }
  return longest;
}

async function readBill(
  { deployment: { address, codeHash } }: PoolState,
  endpoint: Pick<Chain, "network" | "account" | "transactions" | "configParam">,
  signal: AbortSignal,
): Promise<StorageBill | undefined> {
  const options = { signal, lowPriority: true };
  const account = await endpoint.account(address, options);
  const { state, code, data } = account;
  if (state !== "active" || !code || !data || code.hash().toString("hex") !== codeHash) return undefined;
  const prices = await fetchNetworkPrices(endpoint, options);
  return await fetchStorageBill(endpoint, { address, account, code, data, prices }, options);
}

/**
 * Returns what this relayer spent on the pool in a year, in nano; undefined while a top-up is in flight. One that was
 * not found on chain counts as the whole limit, so that an endpoint that hides it causes no second one.
 */
async function spentInYear(
  { id }: PoolState,
  { store, clock, limitNano }: Pick<TopUpDeps, "store" | "clock" | "limitNano">,
): Promise<bigint | undefined> {
  const transfer = await store.transfer(); // read first: later, it can only be in the ledger
  const sent = transfer === undefined ? [] : messagesIn(Cell.fromBoc(Buffer.from(transfer.boc))[0]);
  if (sent.flatMap(parseTopUp).some(({ pool }) => pool === id)) return undefined;
  const since = Math.floor(clock.now() / 1000) - Number(SECONDS_PER_YEAR);
  let spent = 0n;
  for await (const { kind, pool, gas } of store.ledger(since, Number.MAX_SAFE_INTEGER)) {
    if (kind === "top_up" && pool === id) spent += gas > 0n ? gas : limitNano;
  }
  return spent;
}
