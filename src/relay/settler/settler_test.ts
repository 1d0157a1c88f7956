import { deepEqual, equal } from "node:assert/strict";
import { Address, Dictionary, TupleReader } from "@ton/core";
import { baseProof } from "../../../testkit/simulation/requests.ts";
import { int } from "../../../testkit/simulation/scripted_chain.ts";
import { NO_ADDRESS } from "../../../testkit/simulation/scripted_pool.ts";
import { Problem } from "../../core/errors/problem.ts";
import { loadSettle } from "../../core/protocol/v2/messages.ts";
import type { Clock } from "../../core/time.ts";
import { settlementEnd, type SettlementInput, settlementStart } from "../../core/tree/settlement.ts";
import { mainnetConfig } from "../../localnet/mainnet_config.ts";
import { rootLog } from "../../telemetry/log.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNetworkPrices } from "../../ton/network_prices.ts";
import type { DepositEvent, PoolEvent } from "../../ton/pool/history/pool_events.ts";
import { ChangeSignal } from "../change_signal.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { SettledTree } from "../indexer/tree/settled_tree.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { Settlements } from "./settlements.ts";
import { runSettler, type SettleMode } from "./settler.ts";

const START_SECONDS = 1_700_000_000;
const address = new Address(0, Buffer.alloc(32, 7));
const relayer = new Address(0, Buffer.alloc(32, 2));
const config = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), mainnetConfig());
const prices = await fetchNetworkPrices(
  { configParam: (param: number) => Promise.resolve(config.get(param)!) } as Chain,
);

const message = (cells: bigint, bits: bigint) => prices.forwardFee({ cells, bits });
/** As `settlementCost` in contracts/v2/rewards.tolk. */
const COST = prices.gasFee(127_000n) + 2n * message(0n, 0n) + message(2n, 1_920n);

interface SceneOptions {
  readonly mode?: SettleMode;
  readonly asset?: string;
  readonly pending?: bigint;
  readonly waited?: number; // seconds that the deposits have waited at the start
  readonly isLeader?: boolean;
  readonly ready?: boolean;
  readonly settled?: number;
  /** Number of the pool's deposits. Default: those that the indexer knows. */
  readonly deposits?: number;
  readonly balance?: bigint;
  readonly idle?: number; // seconds since the pool's last event
}

/** A clock on which time passes only in `sleep`, which also runs the actions that are due. */
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
  tree: SettledTree,
  { asset = "native", balance = 1_000n * COST, idle = 0, deposits }: SceneOptions,
  settleInfo: () => (number | bigint)[],
): Chain {
  const poolInfo = () => [
    ...[int(asset === "native" ? 2 : 3), NO_ADDRESS, NO_ADDRESS, NO_ADDRESS, int(0)],
    ...[deposits ?? tree.leafCount, 0, 1 << 20, 0, START_SECONDS - idle, 0].map(int),
  ];
  return {
    account: () => Promise.resolve({ state: "active", balance, syncUtime: START_SECONDS }),
    runGetMethod: (_: Address, method: string) =>
      Promise.resolve(new TupleReader(method === "get_pool_info" ? poolInfo() : settleInfo().map(int))),
  } as unknown as Chain;
}

async function settler(waiting: number, options: SceneOptions = {}) {
  const { mode = "eager", asset = "native", pending = 0n, waited = 10_000, isLeader = true, ready = true } =
    options;
  const tree = new SettledTree();
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
    ...{ id: "pool", key: "native-10-v2", deployment: { address, asset }, settledTree: tree },
    readiness: () => ({ ready }),
  } as unknown as PoolState;
  const settlements = new Settlements();
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
  const run = async (seconds: number) => {
    due.push({ at: seconds, act: () => end.abort() });
    await runSettler(settlements, {
      prover: {
        proveSettlement: (input) => {
          if (fault) return Promise.reject(fault);
          proved.push({ at: elapsed(), input });
          return Promise.resolve({ proof: baseProof, publicSignals: [] });
        },
      },
      store: { transfer: () => Promise.resolve(undefined) },
      ...{ mode, chain, clock, wallet: { address: relayer }, pools: [pool], changes: new ChangeSignal() },
      prices: { getPrices: () => Promise.resolve(prices) },
      ...{ leadership: { isLeader }, random: () => 0.5, log: rootLog() },
    }, end.signal);
  };
  return {
    ...{ tree, settlements, pool, deposit, run, info },
    at: (at: number, act: () => unknown) => void due.push({ at, act }),
    fail: (error: Error | undefined) => void (fault = error),
    spans: () => proved.map(({ input }) => [settlementStart(input), settlementEnd(input)]),
    times: () => proved.map(({ at }) => at),
    infoReads: () => infoReads,
    messages: () => settlements.take({ get: () => pool }, 99, clock.now()),
    settle: (events: PoolEvent[]) => tree.apply(events),
  };
}

Deno.test("full chunks are proved at once, one after the other, and the rest waits for its chunk to be settled", async () => {
  const { run, spans, times, messages } = await settler(40, { waited: 0 });
  await run(5);
  deepEqual([spans(), times()], [[[0, 16], [16, 32]], [0, 0]]);
  const sent = messages();
  deepEqual(sent.map(({ body }) => loadSettle(body!).end), [16, 32]);
  deepEqual(
    sent.map(({ value, to }) => [value, to.equals(address)]),
    Array(2).fill([2n * COST + 50_000_000n, true]),
  );
});

Deno.test("at most eight settlements of a pool are prepared ahead", async () => {
  const { run, spans } = await settler(16 * 12);
  await run(3);
  deepEqual(spans().length, 8);
});

Deno.test("a part of a chunk waits until the pool accepts it: 30 s after the last settlement", async () => {
  const { run, times, spans } = await settler(3, { waited: 20 });
  await run(15);
  deepEqual([times(), spans()], [[11], [[0, 3]]]);
});

const rewards: [claim: string, waiting: number, options: SceneOptions, expectedAt: number | undefined][] = [
  ["a lone deposit pays after 19.5 minutes", 1, { waited: 0 }, 1_167],
  ["eight deposits pay after 5.5 minutes, of which they have waited one", 8, { waited: 60 }, 272],
  ["nine deposits pay after 3.5 minutes", 9, { waited: 0 }, 212],
  ["ten deposits pay after 1.5 minutes", 10, { waited: 0 }, 93],
  ["eleven deposits pay as soon as the pool accepts a part of a chunk", 11, { waited: 0 }, 31],
  ["sixteen deposits pay at once", 16, { waited: 0 }, 0],
  [
    "a jetton pool pays no more than its deposits prepaid",
    16,
    { asset: "jet", pending: COST, waited: 0 },
    undefined,
  ],
  ["a jetton pool with enough prepaid pays", 16, { asset: "jet", pending: 2n * COST, waited: 0 }, 0],
];
for (const [claim, waiting, options, expectedAt] of rewards) {
  Deno.test(`a profitable settler waits until the reward exceeds the cost by 3 %: ${claim}`, async () => {
    const { run, times } = await settler(waiting, { mode: "profitable", ...options });
    await run(1_300);
    // Each settlement waits half of the ten seconds, by the random number of the test.
    deepEqual(times().slice(0, 1), expectedAt === undefined ? [] : [expectedAt + 5]);
  });
}

Deno.test("a deposit that completes its chunk before a long queue, at a cost above every reward, waits for the highest", async () => {
  const { run, times, spans, settle, tree, info } = await settler(300, { mode: "profitable", waited: 0 });
  const roots = new MerkleTree();
  roots.appendMany(tree.queue.slice(0, 15).map(({ commitment }) => commitment));
  const settlement = {
    kind: "settlement",
    rootNumber: 0,
    newRoot: roots.root,
    end: 15,
    tx: { lt: 2n, hash: "" },
  };
  await settle([settlement as unknown as PoolEvent]);
  info.settledAt = START_SECONDS - 60;
  await run(1_300);
  deepEqual([spans()[0], spans()[1], times()[0]], [[15, 16], [16, 32], 1_200 + 5]);
});

const YEAR = 31_557_600;
const storage = prices.storageFee({ cells: 2_606n, bits: 1_504_800n, seconds: BigInt(YEAR) });
const refused: [claim: string, waiting: number, options: SceneOptions, expected: number[][]][] = [
  [
    "deposits that the indexer does not know share what was prepaid",
    16,
    { asset: "jet", pending: 2n * COST, deposits: 32 },
    [],
  ],
  ["with their share it still pays", 16, { asset: "jet", pending: 4n * COST, deposits: 32 }, [[0, 16]]],
  ["the pool has less than the reward", 16, { balance: COST }, []],
  ["each settlement on its way takes its reward first", 48, { balance: 3n * COST }, [[0, 16], [16, 32]]],
  [
    "storage of an idle year takes it",
    16,
    { asset: "jet", pending: 9n * COST, balance: storage, idle: YEAR },
    [],
  ],
  [
    "after the storage of an idle year it still pays",
    16,
    { asset: "jet", pending: 9n * COST, balance: storage + 2n * COST, idle: YEAR },
    [[0, 16]],
  ],
];
for (const [claim, waiting, options, expected] of refused) {
  Deno.test(`a profitable settler expects no more than the pool can pay: ${claim}`, async () => {
    const { run, spans } = await settler(waiting, { mode: "profitable", ...options });
    await run(60);
    deepEqual(spans(), expected);
  });
}

Deno.test("an eager settler needs no reward", async () => {
  const { run, spans } = await settler(16, { asset: "jet", pending: 0n, waited: 0 });
  await run(3);
  deepEqual(spans(), [[0, 16]]);
});

Deno.test("deposits that another relayer settled during the random wait are not proved, nor the rest too early", async () => {
  for (const waiting of [16, 17]) {
    const { run, spans, at, settle, tree, info } = await settler(waiting, { mode: "profitable" });
    at(3, async () => {
      const { newRoot } = tree.settlementInputs(1n);
      const settlement = { kind: "settlement", rootNumber: 0, newRoot, end: 16, tx: { lt: 2n, hash: "" } };
      await settle([settlement as unknown as PoolEvent]);
      Object.assign(info, { settledAt: START_SECONDS + 3, waitingSince: START_SECONDS + 3 });
    });
    await run(60);
    deepEqual(spans(), []);
  }
});

for (
  const [name, options, waiting] of [
    ["that does not lead", { isLeader: false }, 16],
    ["whose pool is not ready", { ready: false }, 16],
    ["without waiting deposits", {}, 0],
  ] as const
) {
  Deno.test(`a relayer ${name} queries nothing and proves nothing`, async () => {
    const { run, spans, infoReads } = await settler(waiting, options);
    await run(5);
    deepEqual([spans(), infoReads()], [[], 0]);
  });
}

Deno.test("a relayer whose tree is behind the pool's settlements proves nothing", async () => {
  const { run, spans, infoReads } = await settler(16, { settled: 16 });
  await run(3);
  deepEqual([spans(), infoReads()], [[], 3]);
});

Deno.test("a failed proof is repeated after a second", async () => {
  const { run, times, fail, at } = await settler(16);
  fail(new Problem("internal"));
  at(3, () => fail(undefined));
  await run(6);
  deepEqual(times(), [3]);
});

Deno.test("deposits that arrive later follow the settlement that is on its way", async () => {
  const { run, spans, at, deposit, settlements, pool } = await settler(16);
  at(2, () => deposit(16));
  await run(5);
  deepEqual([spans(), settlements.count(pool)], [[[0, 16], [16, 32]], 2]);
  equal(settlements.isEmpty, false);
});
