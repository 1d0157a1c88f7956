import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { Address } from "@ton/core";
import { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { toLeaves } from "../../../../testkit/relayer/leaf_batches.ts";
import type { LogEntry } from "../../../store/store.ts";
import type {
  DepositEvent,
  PoolEvent,
  SettlementEvent,
  WithdrawalEvent,
} from "../../../ton/pool/history/pool_events.ts";
import { ROOT_WINDOW } from "../../../core/protocol/v2/pool_constants.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { PoolState } from "../pool_state.ts";
import type { StoredPool } from "./pool_tree.ts";
import { SettledPool } from "./settled_pool.ts";

const never = new AbortController().signal;
const sender = new Address(0, new Uint8Array(32) as Buffer);
const base = (i: number) => ({
  tx: { lt: BigInt(i), hash: `tx ${i}` },
  timestamp: 1_700_000_000 + i,
  sender,
  queryId: 0n,
  messageHash: "",
});
const deposit = (leafIndex: number, commitment = BigInt(1_000 + leafIndex)): DepositEvent => ({
  ...base(leafIndex),
  kind: "deposit",
  leafIndex,
  commitment,
});
const settlement = (rootNumber: number, end: number, newRoot = BigInt(end)): SettlementEvent => ({
  ...base(100 + rootNumber),
  kind: "settlement",
  rootNumber,
  end,
  newRoot,
});
const withdrawal = (nullifierHash: bigint): WithdrawalEvent => ({
  ...base(200 + Number(nullifierHash)),
  kind: "withdrawal",
  nullifierHash,
  fee: 0n,
  refund: 0n,
  recipient: sender,
  relayer: null,
});
const deposits = (count: number, first = 0) => Array.from({ length: count }, (_, i) => deposit(first + i));

class Rows implements StoredPool {
  readonly log: LogEntry[] = [];
  readonly deposits: DepositEvent[] = [];

  async add(tree: SettledPool, events: readonly PoolEvent[]): Promise<void> {
    this.log.push(...tree.logEntries(events));
    for (const event of events) if (event.kind === "deposit") this.deposits.push(event);
    await tree.apply(events);
  }

  async *leaves(_pool: string, from: number) {
    if (from < this.deposits.length) yield await Promise.resolve(toLeaves(this.deposits.slice(from)));
  }

  async *poolLog(_pool: string, position: number) {
    yield* await Promise.resolve(this.log.slice(position));
  }
}

const shown = (tree: SettledPool) => ({
  size: tree.size,
  root: tree.root,
  queue: tree.queue.map(({ commitment, timestamp }) => [commitment, timestamp]),
  roots: tree.rootCount,
  spent: tree.spentPage(0, 100).bytes,
  table: tree.spent.table().hash().toString("hex"),
  times: [...tree.times],
});

Deno.test("a queue is settled in order, and the stored rows give the same tree", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  const follower = new SettledPool();
  const steps = [
    [...deposits(5), settlement(0, 3)],
    [...deposits(14, 5), settlement(1, 16), withdrawal(7n)],
    [withdrawal(9n), settlement(2, 19), ...deposits(2, 19)],
  ];
  for (const events of steps) {
    await rows.add(tree, events);
    await follower.load(rows, "", never);
    deepEqual(shown(follower), shown(tree));
  }
  const plain = new MerkleTree();
  plain.appendMany(rows.deposits.slice(0, 19).map(({ commitment }) => commitment));
  deepEqual([tree.size, tree.depositCount, tree.root], [19, 21, plain.root]);
  const started = new SettledPool();
  await started.load(rows, "", never);
  deepEqual(shown(started), shown(tree));
  deepEqual([tree.rootNumber(3n), tree.rootNumber(19n), tree.rootNumber(4n)], [0, 2, undefined]);
});

Deno.test("settlements that the pool cannot have accepted are refused", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  await rows.add(tree, [...deposits(20), settlement(0, 10)]);
  for (const [number, end] of [[0, 11], [2, 11], [1, 10], [1, 9], [1, 17], [1, 33]]) {
    throws(
      () => tree.logEntries([settlement(number, end)]),
      { code: "chain_inconsistent" },
      `${number} ${end}`,
    );
  }
  throws(() => tree.logEntries([settlement(1, 16), settlement(2, 21)]), { code: "chain_inconsistent" });
  equal(tree.logEntries([settlement(1, 16), settlement(2, 20)]).length, 2);
});

Deno.test("all leaves of a commitment are found, settled or waiting", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  const copies = [0, 2, 3].map((leafIndex) => deposit(leafIndex, 7n));
  await rows.add(tree, [copies[0], deposit(1), copies[1], settlement(0, 2), copies[2]]);
  const { leafIndex, settled, leafIndexes } = tree.find(7n)!;
  deepEqual([leafIndex, settled, leafIndexes], [0, true, [0, 2, 3]]);
  await rows.add(tree, [settlement(1, 4)]);
  deepEqual(tree.find(7n)!.leafIndexes, [0, 2, 3]);
  equal(tree.find(5n), undefined);
});

Deno.test("a settled pool does not match a store with another queue or log", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  await rows.add(tree, [...deposits(5), settlement(0, 3)]);
  equal(await tree.matchesStore(rows, ""), true);
  rows.deposits.push(deposit(5));
  equal(await tree.matchesStore(rows, ""), true, "the store may know more");
  rows.deposits.splice(4);
  equal(await tree.matchesStore(rows, ""), false, "a deposit of the queue is missing");
  rows.deposits.push(deposit(4, 99n));
  equal(await tree.matchesStore(rows, ""), false, "a deposit of the queue is another one");
  rows.log.splice(0, 1);
  rows.log.push({ position: 5, kind: "payment", value: 1n, settled: 3, txHash: "" });
  await rejects(new SettledPool().load(rows, "", never), RangeError);
});

Deno.test("restored leaves that the log has not settled are loaded again", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  await rows.add(tree, [...deposits(5), settlement(0, 3)]);
  const restored = new SettledPool();
  const five = new MerkleTree();
  five.appendMany(rows.deposits.map(({ commitment }) => commitment));
  await restored.restore(5, five.levels, Uint32Array.from(rows.deposits, ({ timestamp }) => timestamp));
  await restored.load(rows, "", never);
  deepEqual(shown(restored), shown(tree));
});

Deno.test("a follower drops payments that the leader has rolled back", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  const follower = new SettledPool();
  const start = [...deposits(3), settlement(0, 3)];
  await rows.add(tree, [...start, withdrawal(5n), withdrawal(6n)]);
  await follower.load(rows, "", never);
  const [leader, real] = [new SettledPool(), new Rows()];
  for (const events of [[...start, withdrawal(7n)], [withdrawal(8n), withdrawal(9n)]]) {
    await real.add(leader, events);
    await follower.load(real, "", never);
    deepEqual(shown(follower), shown(leader));
  }
  deepEqual([5n, 6n, 7n, 9n].map((hash) => follower.spent.has(hash)), [false, false, true, true]);
});

Deno.test("pages of nullifier hashes end where the log does", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  await rows.add(tree, [...deposits(3), settlement(0, 3), withdrawal(5n), withdrawal(6n), withdrawal(7n)]);
  const hashes = (from: number) => {
    const { bytes, isImmutable: _, ...page } = tree.spentPage(from, 2);
    return { ...page, last: bytes.at(-1) };
  };
  deepEqual(hashes(0), { from: 0, count: 2, nextFrom: 2, last: 6 });
  deepEqual(hashes(2), { from: 2, count: 1, nextFrom: null, last: 7 });
  deepEqual(hashes(9), { from: 9, count: 0, nextFrom: null, last: undefined });
  const after = tree.spentAfter([8n]);
  equal(after.has(8n), true);
  equal(tree.spent.has(8n), false);
});

Deno.test("a cleared tree is like a new one, and reads the stored rows from the start", async () => {
  const [tree, rows] = [new SettledPool(), new Rows()];
  await rows.add(tree, [...deposits(3), settlement(0, 2), withdrawal(5n)]);
  const before = shown(tree);
  tree.clear();
  deepEqual(shown(tree), shown(new SettledPool()));
  equal(tree.rootNumber(2n), undefined);
  await tree.load(rows, "", never);
  deepEqual(shown(tree), before);
});

Deno.test("the places left of a root are the number of new roots after which the pool still accepts it", async () => {
  const deployment = { address: sender, asset: "native", version: 2 } as Deployment;
  const pool = new PoolState("native-10-v2", deployment, 1, "localnet");
  await pool.tree.apply([...deposits(3), settlement(0, 1), settlement(1, 2), settlement(2, 3)]);
  deepEqual([1n, 2n, 3n, 4n].map((root) => pool.rootPlacesLeft(root)), [
    ROOT_WINDOW - 2,
    ROOT_WINDOW - 1,
    ROOT_WINDOW,
    0,
  ]);
  const first = new PoolState(
    "native-10",
    { ...deployment, version: undefined } as Deployment,
    1,
    "localnet",
  );
  first.setRoots([9n, 8n, 7n], 0);
  deepEqual([9n, 8n, 7n, 6n].map((root) => first.rootPlacesLeft(root)), [30, 29, 28, 0]);
});
