import { deepEqual, equal } from "node:assert/strict";
import { ROOT_WINDOW } from "./pool_constants.ts";
import { RootWindow, UncheckedRoots } from "./root_window.ts";

Deno.test("a root has its number for as long as the pool accepts it", () => {
  const roots = new RootWindow();
  deepEqual([roots.count, roots.accepted, roots.numberOf(0n)], [0, [], undefined]);
  for (let i = 0; i < 3 * ROOT_WINDOW; i++) {
    roots.push(BigInt(i));
    const oldest = Math.max(0, i + 1 - ROOT_WINDOW);
    deepEqual([roots.count, roots.accepted.length], [i + 1, i + 1 - oldest]);
    deepEqual(
      [oldest - 1, oldest, i].map((each) => roots.numberOf(BigInt(each))),
      [undefined, oldest, i],
    );
  }
});

Deno.test("a root that is set twice has its newest number", () => {
  const roots = new RootWindow();
  for (const root of [5n, 6n, 5n, 7n]) roots.push(root);
  deepEqual([5n, 6n, 7n].map((root) => roots.numberOf(root)), [2, 1, 3]);
});

Deno.test("only the newest roots are checked, each once", async () => {
  const roots = new UncheckedRoots();
  const add = (end: number, value = BigInt(end)) =>
    roots.add({ kind: "settled", from: end - 1, to: end, root: { number: end - 1, value } });
  const checked: number[] = [];
  const check = () => roots.check((leaves) => (checked.push(leaves), BigInt(leaves)));
  for (let end = 1; end <= 3 * ROOT_WINDOW; end++) add(end);
  equal(await check(), undefined);
  deepEqual([checked[0], checked.length], [2 * ROOT_WINDOW + 1, ROOT_WINDOW]);
  add(5_000, 7n);
  add(5_001);
  deepEqual(await check(), {
    rule: "root",
    detail: "settlement 4999 set a root that its leaves do not give",
  });
  equal(await check(), undefined);
});
