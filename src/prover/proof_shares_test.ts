import assert from "node:assert/strict";
import { joined, spread } from "./proof_shares.ts";
import type { PieceName } from "./worker_task.ts";

const names: PieceName[] = ["a", "b1", "b2", "c", "h"];

for (const workers of [0, 1, 2, 3, 4, 8]) {
  Deno.test(`a proof on ${workers} workers has every part of every piece once, and they join in order`, () => {
    const tasks = spread(workers);
    assert.equal(tasks.length === 1, workers < 2);
    let number = 0;
    const done = tasks.map((shares) => shares.map(() => Uint8Array.of(number++)));
    const numbered = tasks.flat().map((share, i) => ({ ...share, i }));
    const pieces = joined(tasks, done);
    for (const name of names) {
      const own = numbered.filter(({ piece }) => piece === name);
      assert.deepEqual(own.map(({ part }) => part), Array.from({ length: own[0].parts }, (_, part) => part));
      assert.deepEqual([...pieces[name]], own.map(({ i }) => i));
    }
    assert.equal(tasks.flat().length, names.reduce((sum, name) => sum + pieces[name].length, 0));
  });
}
