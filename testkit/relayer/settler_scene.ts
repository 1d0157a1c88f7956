/** A settler with a scripted chain, clock and prover. Its pool has `waiting` deposits at the start. */
import { Address, Dictionary, TupleReader } from "@ton/core";
import { baseProof } from "../simulation/requests.ts";
import { int } from "../simulation/scripted_chain.ts";
import { NO_ADDRESS } from "../simulation/scripted_pool.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import { settlementEnd, type SettlementInput, settlementStart } from "../../src/core/tree/settlement.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { fetchNetworkPrices } from "../../src/ton/network_prices.ts";
import type { DepositEvent, PoolEvent } from "../../src/ton/pool/history/pool_events.ts";
import { ChangeSignal } from "../../src/relay/change_signal.ts";
import { SettledPool } from "../../src/relay/indexer/tree/settled_pool.ts";
import type { PoolState } from "../../src/relay/indexer/pool_state.ts";
import { SettlementFunds } from "../../src/relay/settler/settlement_funds.ts";
import { Settlements } from "../../src/relay/settler/settlements.ts";
import { runSettler, type SettleMode } from "../../src/relay/settler/settler.ts";
import { WalletBalance } from "../../src/relay/wallet/balance.ts";

export const START_SECONDS = 1_700_000_000;
export const address = new Address(0, Buffer.alloc(32, 7));
const relayer = new Address(0, Buffer.alloc(32, 2));
const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
export const prices = await fetchNetworkPrices(
  { configParam: (param: number) => Promise.resolve(config.get(param)!) } as Chain,
);

const message = (cells: bigint, bits: bigint) => prices.forwardFee({ cells, bits });
/** The same as `settlementCost` in contracts/v2/rewards.tolk. */
export const COST = prices.gasFee(127_000n) + 2n * message(0n, 0n) + message(2n, 1_920n);

export interface SceneOptions {
  readonly mode?: SettleMode;
  readonly asset?: string;
  readonly pending?: bigint;
  readonly waited?: number; // the seconds that the deposits have waited at the start
  readonly isLeader?: boolean;
  readonly ready?: boolean;
  readonly isNearFreezing?: boolean;
  readonly settled?: number;
  /** The number of the pool's deposits. Default: those that the indexer knows. */
  readonly deposits?: number;
  readonly balance?: bigint;
  /** The balance of the relayer's wallet, and the minimum that it keeps. */
  readonly funds?: bigint;
  readonly stop?: bigint;
  readonly idle?: number; // seconds since the pool's last event
}

/** Returns a clock on which time passes only in `sleep`, which also runs the actions that are due. */
function scriptedClock() {
  let now = START_SECONDS * 1000;
  const due: { readonly at: number; readonly act: () => unknown }[] = [];
  const elapsed = () => now / 1000 - START_SECONDS;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      now += Math.max(1, ms);
      for (const each of due.filter(({ at }) => at <= elapsed())) {
        due.splice(due.indexOf(each), 1);
        await each.act();
      }
    },
  };
  return { clock, due, elapsed };
}

function scriptedChain(
  tree: SettledPool,
  { asset = "native", balance = 1_000n * COST, idle = 0, deposits }: SceneOptions,
  settleInfo: () => (number | bigint)[],
): Chain {
  const poolInfo = () => [
    ...[int(asset === "native" ? 2 : 3), NO_ADDRESS, NO_ADDRESS, NO_ADDRESS, int(0)],
    ...[deposits ?? tree.depositCount, 0, 1 << 20, 0, START_SECONDS - idle, 0].map(int),
  ];
  return {
    account: () => Promise.resolve({ state: "active", balance, syncUtime: START_SECONDS }),
    runGetMethod: (_: Address, method: string) =>
      Promise.resolve(new TupleReader(method === "get_pool_info" ? poolInfo() : settleInfo().map(int))),
  } as unknown as Chain;
}

export async function settler(waiting: number, options: SceneOptions = {}) {
  const { mode = "eager", asset = "native", pending = 0n, waited = 10_000, isLeader = true, ready = true } =
    options;
  const tree = new SettledPool();
  let known = 0;
  const deposit = async (count: number) => {
    const events = Array.from({ length: count }, () => {
      const leafIndex = known++;
      return {
        kind: "deposit",
        leafIndex,
        commitment: BigInt(1_000 + leafIndex),
        timestamp: 1,
        tx: { lt: 1n, hash: "" },
      };
    });
    await tree.apply(events as DepositEvent[]);
  };
  await deposit(waiting);
  const pool = {
    ...{ id: "pool", key: "native-10-v2", deployment: { address, asset }, settledPool: tree },
    ...{ readiness: () => ({ ready }), isNearFreezing: options.isNearFreezing },
  } as unknown as PoolState;
  const leadership = { isLeader, term: 1 };
  const settlements = new Settlements(leadership);
  const proved: { readonly at: number; readonly input: SettlementInput }[] = [];
  const end = new AbortController();
  const { clock, due, elapsed } = scriptedClock();
  const info = { settledAt: START_SECONDS - waited, waitingSince: START_SECONDS - waited };
  let infoReads = 0;
  const chain = scriptedChain(tree, options, () => {
    infoReads++;
    const { settledAt, waitingSince } = info;
    return [options.settled ?? tree.size, tree.rootCount, pending, settledAt, waitingSince, COST];
  });
  let fault: Error | undefined;
  const wallet = { balance: () => Promise.resolve(options.funds ?? 1_000n * COST) };
  const balance = new WalletBalance(wallet, clock, { warn: 0n, stop: options.stop ?? 0n });
  let duringProof = () => {};
  const run = async (seconds: number) => {
    due.push({ at: seconds, act: () => end.abort() });
    await runSettler(settlements, {
      prover: {
        proveSettlement: (input) => {
          if (fault) return Promise.reject(fault);
          proved.push({ at: elapsed(), input });
          duringProof();
          return Promise.resolve({ proof: baseProof, publicSignals: [] });
        },
      },
      store: { transfer: () => Promise.resolve(undefined) },
      ...{ mode, chain, clock, wallet: { address: relayer }, pools: [pool], changes: new ChangeSignal() },
      funds: new SettlementFunds(balance, rootLog()),
      prices: { getPrices: () => Promise.resolve(prices) },
      ...{ leadership, random: () => 0.5, log: rootLog() },
    }, end.signal);
  };
  return {
    ...{ tree, settlements, pool, deposit, run, info },
    at: (at: number, act: () => unknown) => void due.push({ at, act }),
    leadership,
    onProof: (act: () => void) => void (duringProof = act),
    fail: (error: Error | undefined) => void (fault = error),
    spans: () => proved.map(({ input }) => [settlementStart(input), settlementEnd(input)]),
    times: () => proved.map(({ at }) => at),
    infoReads: () => infoReads,
    messages: () => settlements.take({ get: () => pool }, { messages: 99, bytes: Infinity }, clock.now()),
    settle: (events: PoolEvent[]) => tree.apply(events),
  };
}
