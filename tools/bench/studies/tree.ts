/**
 * Compares tree building on all cores with npm `poseidon-bls12381`, and measures how the time grows with the leaves.
 */
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { poseidon2 } from "poseidon-bls12381";
import { FIELD_BYTES, fieldFromBytes } from "../../../src/core/crypto/field.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { TreeWorkers } from "../../../src/tree/tree_workers.ts";
import { median } from "../comparison.ts";
import { type Build, figure, type Outcome, type Point, type Study } from "../study.ts";

/** Leaves hashed with npm's hash, which take seconds. Its time for a larger tree is extrapolated. */
const PEER_LEAVES = 2 ** 14;
const MAX_TREE_POWER = 20;
const MEGABYTE = 1e6;

/** Returns field elements that look like digests. */
function leavesOf(count: number): Uint8Array {
  const bytes = new Uint8Array(count * FIELD_BYTES);
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  for (let i = 0; i < count; i++) bytes[i * FIELD_BYTES] &= 0x3f;
  return bytes;
}

/** Computes the root with npm's hash, each node once. */
function npmRoot(leaves: Uint8Array): bigint {
  let nodes = Array.from(
    { length: leaves.length / FIELD_BYTES },
    (_, i) => fieldFromBytes(leaves.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES)),
  );
  for (let level = 0; level < 20; level++) {
    const parents: bigint[] = [];
    for (let i = 0; i < nodes.length; i += 2) {
      parents.push(poseidon2([nodes[i], nodes[i + 1] ?? zeros[level]]));
    }
    nodes = parents;
  }
  return nodes[0];
}

async function timed(act: () => unknown): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Returns the milliseconds per leaf of npm's hash. */
async function npmPerLeaf(leaves: Uint8Array): Promise<number> {
  const few = leaves.subarray(0, PEER_LEAVES * FIELD_BYTES);
  return await timed(() => npmRoot(few)) / PEER_LEAVES;
}

async function measureFullTree(build: Build): Promise<Outcome> {
  const cores = availableParallelism();
  const workers = new TreeWorkers({ maxWorkers: cores });
  const leaves = leavesOf(2 ** MAX_TREE_POWER);
  const few = leaves.subarray(0, 1024 * FIELD_BYTES);
  const small = new MerkleTree();
  await small.appendUsing(few, workers); // also starts the workers
  assert.equal(small.root, npmRoot(few));
  const rounds: { ours: number; ratio: number }[] = [];
  let memory = 0;
  for (let round = 0; round < 3; round++) {
    const first = await npmPerLeaf(leaves);
    const before = Deno.memoryUsage().rss;
    const tree = new MerkleTree();
    const ours = await timed(() => tree.appendUsing(leaves, workers));
    if (round === 0) memory = (Deno.memoryUsage().rss - before) / MEGABYTE;
    const theirs = (first + await npmPerLeaf(leaves)) / 2 * 2 ** MAX_TREE_POWER; // before and after our measurement
    rounds.push({ ours, ratio: theirs / ours });
  }
  workers.close();
  const ours = median(rounds.map(({ ours }) => ours));
  const ratio = median(rounds.map(({ ratio }) => ratio));
  return {
    figures: [
      figure(`ours, ${cores} workers`, ours / 1000, "s"),
      figure("npm poseidon-bls12381, one thread", ours * ratio / 1000, "s", {
        ratio,
        target: { of: "ratio", atLeast: build === "wide" ? 30 : 20 },
      }),
      figure("memory of the process that it added", memory, "MB", { target: { of: "value", atMost: 150 } }),
    ],
  };
}

async function measureGrowth(): Promise<Outcome> {
  const cores = availableParallelism();
  const counts = [...new Set([1, 2, cores])].filter((count) => count <= cores);
  const leaves = leavesOf(2 ** MAX_TREE_POWER);
  const points: Point[] = [];
  const figures = [];
  for (const count of counts) {
    const workers = new TreeWorkers({ maxWorkers: count });
    await new MerkleTree().appendUsing(leaves.subarray(0, 2 ** 12 * FIELD_BYTES), workers);
    for (let power = 10; power <= MAX_TREE_POWER; power += 2) {
      const own = leaves.subarray(0, 2 ** power * FIELD_BYTES);
      const times: number[] = [];
      for (let round = 0; round < (power > 16 ? 1 : 3); round++) {
        times.push(await timed(() => new MerkleTree().appendUsing(own, workers)));
      }
      const y = median(times);
      points.push({ series: `${count} workers`.replace("1 workers", "1 worker"), x: 2 ** power, y });
      figures.push(figure(`2^${power} leaves, ${count} worker${count > 1 ? "s" : ""}`, y, "ms"));
    }
    workers.close();
  }
  const npm = await npmPerLeaf(leaves);
  for (let power = 10; power <= MAX_TREE_POWER; power += 2) {
    points.push({ series: "npm, one thread", x: 2 ** power, y: npm * 2 ** power });
  }
  return { figures, points };
}

/** Measures appending one leaf to a tree of 2^17, as a relayer or client does that follows a pool. */
async function measureSteps(): Promise<Outcome> {
  const leaves = leavesOf(2 ** 17);
  const workers = new TreeWorkers();
  const tree = new MerkleTree();
  await tree.appendUsing(leaves, workers);
  const appended = leavesOf(101);
  const times: number[] = [];
  for (let i = 0; i < 101; i++) {
    const leaf = appended.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES);
    times.push(await timed(() => tree.appendUsing(leaf, workers)));
  }
  const { size: count, levels } = tree;
  const snapshot = { pool: "0:00", size: count, levels, timestamps: new Uint32Array(count) };
  const key = new Uint8Array(32);
  const [packing, unpacking]: number[][] = [[], []];
  let size = 0;
  for (let round = 0; round < 3; round++) {
    let packed = new Uint8Array();
    packing.push(
      await timed(async () => {
        packed = await workers.encodeSnapshot(snapshot, key);
      }),
    );
    size = packed.length;
    unpacking.push(await timed(() => workers.decodeSnapshot(packed, key)));
  }
  workers.close();
  return {
    figures: [
      figure("one leaf more", times, "ms"),
      figure("packing its snapshot with its hash", packing, "ms"),
      figure("reading its snapshot, hash checked", unpacking, "ms"),
      figure("size of the snapshot", size / MEGABYTE, "MB"),
    ],
  };
}

export const treeStudies: readonly Study[] = [
  {
    id: "tree",
    title: "Tree of 2^20 leaves from bytes, all cores",
    about:
      `The time of npm's package was measured for ${PEER_LEAVES} leaves and multiplied, because each hash takes the same time.`,
    builds: ["plain", "wide"],
    run: measureFullTree,
  },
  {
    id: "tree-growth",
    title: "Trees by size",
    about:
      "The median of three runs, one run above 2^16 leaves. Plain build. The chart's curve for npm's package is its time per leaf, multiplied.",
    run: measureGrowth,
  },
  {
    id: "tree-steps",
    title: "Steps of a tree of 2^17 leaves",
    about: "The steps of following a pool. One leaf: the median of 101 runs. Snapshot: the median of three.",
    run: measureSteps,
  },
];
