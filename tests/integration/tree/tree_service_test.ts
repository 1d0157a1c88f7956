/** The tree service builds the same tree as one thread, even if its workers fail. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { FIELD_BYTES, FIELD_MODULUS, fieldToBytes } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { allocateNodes, nodeCounts, TREE_CAPACITY } from "../../../src/core/tree/tree_levels.ts";
import type { TreeHasher } from "../../../src/core/tree/tree_hasher.ts";
import { LeafBatcher } from "../../../src/tree/leaf_batcher.ts";
import { treeLocations } from "../../../src/tree/locations.ts";
import { isSharedMemory, type TreeTask } from "../../../src/tree/tree_task.ts";
import { inlineTreeService } from "../../../src/tree/tree_service.ts";
import { TreeWorkers } from "../../../src/tree/tree_workers.ts";
import { bytesOf, leaf, plainTree, refuses, withWorkers } from "../../support/tree/tree_services.ts";

const startWorker = () => new Worker(treeLocations.worker, { type: "module" });

/** Runs `act` as in a page that is not isolated. */
async function withoutSharedMemory(act: () => Promise<void>): Promise<void> {
  const shared = globalThis.SharedArrayBuffer;
  Reflect.deleteProperty(globalThis, "SharedArrayBuffer");
  try {
    await act();
  } finally {
    Object.defineProperty(globalThis, "SharedArrayBuffer", {
      value: shared,
      writable: true,
      configurable: true,
    });
  }
}

/** Grows a tree to each of `sizes`, and compares it with a plain tree each time. */
async function growsAs(sizes: readonly number[], work: TreeHasher): Promise<void> {
  const [tree, plain] = [new MerkleTree(), new MerkleTree()];
  for (const size of sizes) {
    const from = tree.size;
    const watched = from > 0 ? [0, from >> 1, from - 1] : [];
    const before = { root: tree.root, paths: watched.map((i) => tree.path(i)) };
    const growth = tree.appendUsing(bytesOf(from, size), work);
    assert.equal(tree.size, from);
    let done = false;
    const watch = growth.finally(() => done = true);
    while (!done) {
      if (tree.size === from) {
        assert.equal(tree.root, before.root, "while it grows the tree is the old one");
        assert.deepEqual(watched.map((i) => tree.path(i)), before.paths);
        assert.equal(tree.indexOf(leaf(from)), -1);
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await watch;
    plain.appendMany(Array.from({ length: size - from }, (_, i) => leaf(from + i)));
    assert.deepEqual([tree.size, tree.root], [plain.size, plain.root], `${sizes} at ${size}`);
    assert.deepEqual(tree.levels.map((nodes) => nodes.slice()), plain.levels.map((nodes) => nodes.slice()));
    if (size > 0) assert.equal(tree.indexOf(leaf(size - 1)), size - 1);
  }
}

/** Draws steps that begin and end at, before and after the ends of subtrees of every task size. */
const steps = fc.array(
  fc.oneof(
    fc.nat(300),
    fc.constantFrom(0, 1, 255, 256, 257, 511, 512, 513, 1_023, 1_024, 4_095, 4_096, 4_097),
    fc.nat(3_000),
  ),
  { minLength: 1, maxLength: 4 },
).map((steps) => steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step)));

for (const shared of [true, false]) {
  const title = shared ? "in shared memory" : "on copies, where memory cannot be shared";
  Deno.test(`workers ${title} build the same tree, and no reader sees a part of it`, async () => {
    const act = () =>
      withWorkers({ maxWorkers: 2 }, async (workers) => {
        const tree = new MerkleTree();
        assert.equal(isSharedMemory(tree.levels[0]), shared);
        await fc.assert(fc.asyncProperty(steps, (sizes) => growsAs(sizes, workers)), {
          ...propertyParameters(6),
          examples: [[[1, 4_097, 4_097, 9_000]], [[4_096, 8_192]], [[511, 512, 1_025]]],
        });
      });
    await (shared ? act() : withoutSharedMemory(act));
  });
}

Deno.test("the calling thread builds the same tree", () =>
  growsAs([3, 1_000, 1_000, 5_000], inlineTreeService));

Deno.test("all leaves are hashed by workers, and the calling thread continues meanwhile", async () => {
  const requests: TreeTask[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  /** Starts a worker that receives no requests before it is released. */
  const startGated = () => {
    const worker = startWorker();
    const post = worker.postMessage.bind(worker) as (task: TreeTask, transfer: Transferable[]) => void;
    worker.postMessage = (task: TreeTask, transfer: unknown) => {
      requests.push(task);
      released.then(() => post(task, transfer as Transferable[]));
    };
    return worker;
  };
  await withWorkers({ maxWorkers: 2, startWorker: startGated }, async (workers) => {
    const size = 5_000;
    const tree = new MerkleTree();
    const room = tree.appendUsing(bytesOf(0, 1), inlineTreeService);
    await room;
    let done = false;
    const growth = tree.appendUsing(bytesOf(1, size), workers).finally(() => done = true);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
    assert.deepEqual([done, tree.size], [false, 1], "nothing is hashed without them");
    await assert.rejects(tree.appendUsing(bytesOf(1, 2), inlineTreeService), refuses("internal"));
    assert.throws(() => tree.append(1n), refuses("internal"));
    release();
    await growth;
    assert.equal(tree.root, plainTree(size).root);
    const hashed = requests.filter((task) => task.kind === "hash");
    assert.ok(hashed.length > 4, `${hashed.length} tasks for two workers`);
    assert.equal(hashed.reduce((sum, { start, end }) => sum + end - start, 0), size - 1);
    assert.deepEqual(requests.filter(({ kind }) => kind === "index").length, 1);
  });
});

Deno.test("small numbers of leaves are indexed on this thread, and a wider index is built by a worker", async () => {
  const indexed: number[] = [];
  const work: TreeHasher = {
    hashLevels: inlineTreeService.hashLevels,
    buildIndex(leaves, count) {
      indexed.push(count);
      return inlineTreeService.buildIndex(leaves, count);
    },
  };
  const [tree, step, size] = [new MerkleTree(), 90, 10_800];
  for (let from = 0; from < size; from += step) await tree.appendUsing(bytesOf(from, from + step), work);
  assert.deepEqual(indexed, [2_070, 4_140, 8_280]);
  for (const i of [0, 2_069, 2_070, 8_280, size - 1]) assert.equal(tree.indexOf(leaf(i)), i);
});

const crashing = `data:text/javascript,self.onmessage = () => { throw new Error("out of order") }`;

Deno.test("a crash of a worker leaves the tree as it was, and the next attempt succeeds", async () => {
  const starts = [() => new Worker(crashing, { type: "module" }), startWorker, startWorker];
  await withWorkers({ maxWorkers: 2, startWorker: () => starts.shift()!() }, async (workers) => {
    const tree = plainTree(700);
    const before = [tree.size, tree.root, tree.indexOf(leaf(699))];
    await assert.rejects(tree.appendUsing(bytesOf(700, 6_000), workers), refuses("internal"));
    assert.deepEqual([tree.size, tree.root, tree.indexOf(leaf(699))], before);
    assert.equal(tree.indexOf(leaf(700)), -1);
    await tree.appendUsing(bytesOf(700, 6_000), workers);
    assert.deepEqual([tree.root, tree.indexOf(leaf(5_999))], [plainTree(6_000).root, 5_999]);
  });
});

function assertNodes(tree: MerkleTree, expected: MerkleTree): void {
  for (const [level, nodes] of expected.levels.entries()) {
    assert.equal(Buffer.compare(tree.levels[level], nodes), 0, `level ${level}`);
  }
}

/**
 * Starts workers that fail at an index and hash when told. `hashed` resolves when all of them have hashed.
 */
function failingAtIndex() {
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  const answers: Promise<unknown>[] = [];
  const start = () => {
    const worker = startWorker();
    const post = worker.postMessage.bind(worker) as (task: unknown, transfer: Transferable[]) => void;
    worker.postMessage = (task: TreeTask, transfer: unknown) => {
      if (task.kind === "index") return post({ ...task, leaves: null }, []);
      answers.push(new Promise((resolve) => worker.addEventListener("message", resolve, { once: true })));
      released.then(() => post(task, transfer as Transferable[]));
    };
    return worker;
  };
  return { start, release, hashed: async () => (await Promise.all(answers)).length };
}

for (const shared of [true, false]) {
  const title = shared ? "in shared memory" : "on copies, where memory cannot be shared";
  Deno.test(`hashes that finish after a failure, ${title}, do not change the tree`, async () => {
    const act = async () => {
      const { start, release, hashed } = failingAtIndex();
      await withWorkers({ maxWorkers: 16, startWorker: start }, async (workers) => {
        const tree = plainTree(700);
        assert.equal(isSharedMemory(tree.levels[0]), shared);
        await assert.rejects(tree.appendUsing(bytesOf(10_000, 15_300), workers), refuses("internal"));
        await tree.appendUsing(bytesOf(700, 4_000), inlineTreeService);
        release();
        assert.ok(await hashed() > 4);
        assertNodes(tree, plainTree(4_000));
        await tree.appendUsing(bytesOf(4_000, 6_000), inlineTreeService);
        assertNodes(tree, plainTree(6_000));
      });
    };
    await (shared ? act() : withoutSharedMemory(act));
  });
}

Deno.test("hashing on copies writes no node before the first new one", () =>
  withoutSharedMemory(() =>
    withWorkers({ maxWorkers: 1 }, async (workers) => {
      const [start, end] = [300, 812];
      const levels = nodeCounts(end).map((count, level) => allocateNodes(level, count));
      const hashing = workers.hashLevels(levels, start, end);
      // Meanwhile, the nodes of the old tree change, as when a failed growth is repeated.
      const old = levels.map((nodes, level) =>
        nodes.subarray(0, Math.floor(start / 2 ** level) * FIELD_BYTES)
      );
      for (const nodes of old) nodes.fill(1);
      const height = await hashing;
      for (const [level, nodes] of old.slice(0, height + 1).entries()) {
        assert.ok(nodes.every((byte) => byte === 1), `level ${level}`);
      }
    })
  ));

Deno.test("each worker gets about four subtrees, of 2^9 to 2^12 leaves", () =>
  withWorkers({ maxWorkers: 1 }, async (workers) => {
    const heightFor = (start: number, end: number) =>
      workers.hashLevels(nodeCounts(end).map((count, level) => allocateNodes(level, count)), start, end);
    for (
      const [start, end, height] of [[0, 1_000, 9], [4_096, 8_191, 9], [4_096, 8_192, 10], [0, 32_768, 12]]
    ) {
      assert.equal(await heightFor(start, end), height, `${start} to ${end}`);
    }
  }));

Deno.test("a worker whose module a browser cannot load is named", async () => {
  /** Fails like a browser's worker whose module could not be loaded: with an error without a message. */
  class UnloadedWorker {
    onerror?: (event: ErrorEvent) => void;
    postMessage() {
      queueMicrotask(() => this.onerror!(new ErrorEvent("error", { message: "", cancelable: true })));
    }
    terminate() {}
  }
  const { Worker } = globalThis;
  globalThis.Worker = UnloadedWorker as unknown as typeof Worker;
  try {
    await withWorkers({ maxWorkers: 1 }, async (workers) => {
      await assert.rejects(workers.buildIndex(bytesOf(0, 2), 2), {
        code: "artifact_unavailable",
        message: /\/tree_worker\.ts cannot be loaded/,
      });
    });
  } finally {
    globalThis.Worker = Worker;
  }
});

Deno.test("a value outside the field, or one leaf too many, leaves the tree unchanged", async () => {
  const tree = plainTree(3);
  const root = tree.root;
  const bad = bytesOf(0, 400);
  const modulus = fieldToBytes(FIELD_MODULUS - 1n);
  modulus[FIELD_BYTES - 1]++;
  bad.set(modulus, 399 * FIELD_BYTES);
  await assert.rejects(tree.appendUsing(bad, inlineTreeService), refuses("not_in_field"));
  await assert.rejects(
    tree.appendUsing(new Uint8Array(TREE_CAPACITY * FIELD_BYTES), inlineTreeService),
    refuses("tree_full"),
  );
  await assert.rejects(tree.appendUsing(new Uint8Array(33), inlineTreeService), RangeError);
  assert.deepEqual([tree.size, tree.root], [3, root]);
});

Deno.test("tree service: once closed, it refuses new tasks and fails running ones", async () => {
  const workers = new TreeWorkers({ maxWorkers: 1 });
  const running = new MerkleTree().appendUsing(bytesOf(0, 3_000), workers);
  workers.close();
  await assert.rejects(running, refuses("cancelled"));
  await assert.rejects(new MerkleTree().appendUsing(bytesOf(0, 3_000), workers), refuses("cancelled"));
});

Deno.test("leaf batcher: a large batch is appended while the next is collected, and an error reaches the next call", async () => {
  const count = 5_000;
  const tree = new MerkleTree();
  const leaves = new LeafBatcher(tree, inlineTreeService, 2_048);
  for (let i = 0; i < count; i++) await leaves.add(small(i));
  assert.equal(leaves.size, count);
  await leaves.flush();
  const plain = new MerkleTree();
  plain.appendMany(Array.from({ length: count }, (_, i) => small(i)));
  assert.deepEqual([tree.size, tree.root], [count, plain.root]);

  const broken: TreeHasher = {
    ...inlineTreeService,
    hashLevels: () => Promise.reject(new Error("no thread left")),
  };
  const failing = new LeafBatcher(new MerkleTree(), broken);
  await failing.add(1n);
  await assert.rejects(failing.flush(), /no thread left/);
  await failing.waitUntilIdle();
});

const small = (i: number) => BigInt(i) * 0x123456789abcdefn;
