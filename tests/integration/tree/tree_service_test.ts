/** Every service gives the tree that appending the leaves one by one gives. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { propertyParameters } from "../../../testkit/random/property_runs.ts";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { FIELD_BYTES, FIELD_MODULUS, fieldToBytes, writeFieldBytes } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { TREE_CAPACITY } from "../../../src/core/tree/tree_levels.ts";
import type { TreeHasher } from "../../../src/core/tree/tree_hasher.ts";
import type { TreeSnapshot } from "../../../src/tree/snapshot_codec.ts";
import { LeafBatcher } from "../../../src/tree/leaf_batcher.ts";
import { treeLocations } from "../../../src/tree/locations.ts";
import { isSharedMemory, type TreeTask } from "../../../src/tree/tree_task.ts";
import { inlineTreeService, type TreeService } from "../../../src/tree/tree_service.ts";
import { type TreeWorkerOptions, TreeWorkers } from "../../../src/tree/tree_workers.ts";

const leaf = (i: number) => BigInt(i + 1) ** 9n;
const refuses = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;
const key = new Uint8Array(32).fill(7);
const startWorker = () => new Worker(treeLocations.worker, { type: "module" });

function bytesOf(from: number, to: number): Uint8Array {
  const bytes = new Uint8Array((to - from) * FIELD_BYTES);
  for (let i = from; i < to; i++) writeFieldBytes(leaf(i), bytes, (i - from) * FIELD_BYTES);
  return bytes;
}

function plainTree(size: number): MerkleTree {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: size }, (_, i) => leaf(i)));
  return tree;
}

async function withWorkers(
  options: TreeWorkerOptions,
  act: (workers: TreeWorkers) => Promise<void>,
): Promise<void> {
  const workers = new TreeWorkers(options);
  try {
    await act(workers);
  } finally {
    workers.close();
  }
}

/** As in a page that is not isolated. */
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

/** Grows a tree to each of `sizes`, and compares it there with a plain one. */
async function growsAs(sizes: readonly number[], work: TreeHasher): Promise<void> {
  const [tree, plain] = [new MerkleTree(), new MerkleTree()];
  for (const size of sizes) {
    const from = tree.size;
    const before = { root: tree.root, path: from > 0 ? tree.path(from - 1) : undefined };
    const growth = tree.appendUsing(bytesOf(from, size), work);
    assert.equal(tree.size, from);
    let done = false;
    const watch = growth.finally(() => done = true);
    while (!done) {
      if (tree.size === from) {
        assert.equal(tree.root, before.root, "while it grows the tree is the old one");
        if (from > 0) assert.deepEqual(tree.path(from - 1), before.path);
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

/** Steps that begin and end at, before and after the ends of subtrees of every size that tasks have. */
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
  Deno.test(`tree service: workers ${title} make the plain tree, and nobody sees it half done`, async () => {
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

Deno.test("tree service: this thread makes the same tree", () =>
  growsAs([3, 1_000, 1_000, 5_000], inlineTreeService));

Deno.test("tree service: all leaves are hashed by workers, and this thread goes on meanwhile", async () => {
  const asked: TreeTask[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  /** A worker that is asked nothing before it is let go. */
  const startGated = () => {
    const worker = startWorker();
    const post = worker.postMessage.bind(worker) as (task: TreeTask, transfer: Transferable[]) => void;
    worker.postMessage = (task: TreeTask, transfer: unknown) => {
      asked.push(task);
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
    const hashed = asked.filter((task) => task.kind === "hash");
    assert.ok(hashed.length > 4, `${hashed.length} tasks for two workers`);
    assert.equal(hashed.reduce((sum, { start, end }) => sum + end - start, 0), size - 1);
    assert.deepEqual(asked.filter(({ kind }) => kind === "index").length, 1);
  });
});

Deno.test("tree service: leaves that come few by few are indexed here, and elsewhere only when the index gets wider", async () => {
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
Deno.test("tree service: a crash of a worker leaves the tree as it was, and the next attempt succeeds", async () => {
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

/** Workers that fail at an index, and are asked to hash when told; `hashed` resolves when all of them have. */
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
  Deno.test(`tree service: what is still hashed after a failure, ${title}, does not reach the tree`, async () => {
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

Deno.test("tree service: what is no field element, or one leaf too many, leaves the tree as it was", async () => {
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

Deno.test("tree service: once closed it refuses, what runs too", async () => {
  const workers = new TreeWorkers({ maxWorkers: 1 });
  const running = new MerkleTree().appendUsing(bytesOf(0, 3_000), workers);
  workers.close();
  await assert.rejects(running, refuses("cancelled"));
  await assert.rejects(new MerkleTree().appendUsing(bytesOf(0, 3_000), workers), refuses("cancelled"));
});

async function* packed(service: TreeService): AsyncGenerator<[size: number, tree: MerkleTree]> {
  const header = { pool: "0:ab" };
  for (const size of [0, 1, 2, 3, 31, 32, 33, 1_023, 1_024, 1_025]) {
    const times = Uint32Array.from({ length: size }, (_, i) => 2 ** 32 - 1 - i);
    const bytes = await service.encodeSnapshot({
      ...header,
      size,
      levels: plainTree(size).levels,
      timestamps: times,
    }, key);
    const { levels, ...back } = (await service.decodeSnapshot(bytes, key))!;
    assert.deepEqual(back, { ...header, size, timestamps: times });
    yield [size, MerkleTree.fromLevels(size, levels)];
  }
}
for (const where of ["workers", "this thread"]) {
  Deno.test(`tree service: a snapshot by ${where} comes back with every node, and its tree grows on`, () =>
    withWorkers({ maxWorkers: 1 }, async (workers) => {
      const service = where === "workers" ? workers : inlineTreeService;
      for await (const [size, tree] of packed(service)) {
        assert.equal(tree.root, plainTree(size).root);
        await tree.appendUsing(bytesOf(size, size + 300), service);
        assert.equal(tree.root, plainTree(size + 300).root);
      }
    }));
}

Deno.test("tree service: a snapshot of too few or too many nodes is not taken for a tree", async () => {
  const times = new Uint32Array(5);
  const header = { pool: "0:ab", size: 5, timestamps: times };
  const back = async (snapshot: TreeSnapshot) =>
    await inlineTreeService.decodeSnapshot(await inlineTreeService.encodeSnapshot(snapshot, key), key);
  const [{ levels }, larger] = [plainTree(5), plainTree(9)];
  for (const wrong of [levels.slice(0, -1), larger.levels, [...levels, levels[0]]]) {
    assert.equal(await back({ ...header, levels: wrong }), undefined);
  }
  for (const size of [-1, 0.5, TREE_CAPACITY + 1]) {
    assert.equal(await back({ ...header, size, levels }), undefined);
    assert.throws(() => MerkleTree.fromLevels(size, levels), RangeError);
  }
  assert.throws(() => MerkleTree.fromLevels(9, levels), RangeError);
  const odd = levels.map((nodes) => nodes.slice().fill(255));
  await assert.rejects(back({ ...header, levels: odd }), refuses("not_in_field"));
});

/** Bytes with a seal that holds, whatever they say. */
function sealed(header: string): Uint8Array<ArrayBuffer> {
  const body = new TextEncoder().encode(
    `tonado tree 3\n\0\0\0${String.fromCharCode(header.length)}${header}`,
  );
  return new Uint8Array([...body, ...hmac(sha256, key, body)]);
}

const tree0 = '{"pool":"0:ab","size":0}';
Deno.test("tree service: a sealed snapshot without a sound header is damaged", async () => {
  assert.ok(await inlineTreeService.decodeSnapshot(sealed(tree0), key), "else the cases below say nothing");
  const headers = ["", "null", "{", "7", "[]", "{}", '"0:ab"', '{"size":0}', '{"pool":"0:ab","size":"0"}'];
  for (const header of headers) {
    assert.equal(await inlineTreeService.decodeSnapshot(sealed(header), key), undefined, header);
  }
  assert.equal(await inlineTreeService.decodeSnapshot(sealed(tree0), key.map((byte) => byte ^ 1)), undefined);
});

Deno.test("leaf collector: large pieces are appended while the next is collected, and an error reaches whoever adds", async () => {
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
