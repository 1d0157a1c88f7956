import { deepEqual } from "node:assert/strict";
import type { PoolTree } from "./pool_tree.ts";
import { MissingRootTimer } from "./missing_root.ts";

type Step = readonly [roots: readonly bigint[], own: bigint, now: number];

function missingAfter(...steps: readonly Step[]): number[] {
  const timer = new MissingRootTimer();
  return steps.map(([roots, root, now]) => timer.missingForMs({ roots, tree: { root } as PoolTree }, now));
}

const cases: [claim: string, steps: readonly Step[], expected: number[]][] = [
  ["a tree with the newest root misses none", [[[1n], 1n, 0], [[2n, 1n], 2n, 500]], [0, 0]],
  ["the time counts from the first root that the tree lacks", [
    [[2n, 1n], 1n, 100],
    [[2n, 1n], 1n, 400],
    [[3n, 2n, 1n], 1n, 900],
  ], [0, 300, 800]],
  ["it ends when the tree has that root", [[[2n, 1n], 1n, 100], [[2n, 1n], 2n, 400]], [0, 0]],
  ["a tree that has that root and lacks a newer one begins anew", [
    [[2n, 1n], 1n, 100],
    [[3n, 2n, 1n], 2n, 400],
    [[3n, 2n, 1n], 2n, 600],
  ], [0, 0, 200]],
  ["a tree that has passed that root begins anew", [
    [[2n, 1n], 1n, 100],
    [[4n, 3n, 2n, 1n], 3n, 400],
    [[4n, 3n, 2n, 1n], 3n, 700],
  ], [0, 0, 300]],
  ["a root that left the history is not missing any more", [
    [[2n, 1n], 1n, 100],
    [[4n, 3n, 1n], 1n, 400],
    [[4n, 3n, 1n], 1n, 500],
  ], [0, 0, 100]],
];
for (const [claim, steps, expected] of cases) {
  Deno.test(`missing roots: ${claim}`, () => deepEqual(missingAfter(...steps), expected));
}
