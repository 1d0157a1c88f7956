import { deepEqual, equal } from "node:assert/strict";
import {
  address,
  COST,
  prices,
  type SceneOptions,
  settler,
  START_SECONDS,
} from "../../../testkit/relayer/settler_scene.ts";
import { Problem } from "../../core/errors/problem.ts";
import { loadSettle } from "../../core/protocol/v2/messages.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";

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
    ["whose pool owes storage", { isNearFreezing: true }, 16],
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

Deno.test("a settlement proved while the lead was lost and regained is not sent, and is proved again", async () => {
  const { run, spans, leadership, onProof, messages } = await settler(16);
  const unsent: number[] = [];
  onProof(() => {
    if (leadership.term < 3) leadership.term++;
    unsent.push(messages().length);
  });
  await run(4);
  deepEqual([spans(), unsent, messages().length], [Array(3).fill([0, 16]), [0, 0, 0], 1]);
});

Deno.test("a settler prepares no more than the wallet can pay above its stop balance", async () => {
  const value = 2n * COST + 50_000_000n;
  for (
    const [funds, stop, expected] of [
      [value - 1n, 0n, 0],
      [value, 0n, 1],
      [5n * value - 1n, 2n * value, 2],
      [5n * value, 2n * value, 3],
      [value, value, 0],
    ] as const
  ) {
    const { run, spans } = await settler(48, { funds, stop });
    await run(5);
    equal(spans().length, expected);
  }
});
