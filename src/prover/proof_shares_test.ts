import assert from "node:assert/strict";
import { joined, spread } from "./proof_shares.ts";
import type { PieceName } from "./worker_task.ts";

const names: PieceName[] = ["a", "b1", "b2", "c", "h"];

for (const workers of [0, 1, 2, 3, 4, 8]) {
  Deno.test(`a proof on ${workers} workers has every part of every piece once, and they join in order`, () => {
    const shares = spread(workers);
    const numbered = shares.map((share, i) => ({ ...share, i }));
    const pieces = joined(shares, shares.map((_, i) => Uint8Array.of(i)));
    for (const name of names) {
      const own = numbered.filter(({ piece }) => piece === name);
      assert.deepEqual(own.map(({ part }) => part), Array.from({ length: own[0].parts }, (_, part) => part));
      assert.deepEqual([...pieces[name]], own.map(({ i }) => i));
    }
    assert.equal(shares.length, names.reduce((sum, name) => sum + pieces[name].length, 0));
    assert.equal(shares.length, workers < 4 ? 5 : 7);
  });
}
