import { deepEqual, equal } from "node:assert/strict";
import { FIELD_BYTES } from "../crypto/field.ts";
import { LeafIndex } from "./leaf_index.ts";

function leavesOf(count: number, repeated = 1): Uint8Array {
  const leaves = new Uint8Array(count * FIELD_BYTES);
  const view = new DataView(leaves.buffer);
  for (let i = 0; i < count; i++) view.setUint32((i + 1) * FIELD_BYTES - 4, Math.floor(i / repeated) + 1);
  return leaves;
}
const leafAt = (leaves: Uint8Array, i: number) => leaves.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES);

Deno.test("every leaf is found at its first place, while the table grows, and others are not found", () => {
  const leaves = leavesOf(5_000, 2);
  const index = new LeafIndex();
  for (const end of [1, 2, 511, 512, 513, 514, 2_048, 2_049, 5_000]) {
    index.extend(leaves, end);
    equal(index.count, end);
    for (let i = 0; i < end; i++) {
      equal(index.indexOf(leaves, leafAt(leaves, i)), i - i % 2, `${i} of ${end}`);
    }
    for (const other of [leavesOf(1, 2), leavesOf(9_000)].map((all) => all.slice(-FIELD_BYTES))) {
      other[0] = 1;
      equal(index.indexOf(leaves, other), -1);
    }
    equal(Math.log2(index.slots.length) % 1, 0);
    equal(index.slots.length >= 2 * end, true, "the table is at most half full");
    equal(index.slots.filter((slot) => slot !== 0).length, Math.ceil(end / 2));
  }
});

Deno.test("a restored table continues where the stored one ended", () => {
  const leaves = leavesOf(3_000);
  const index = new LeafIndex();
  index.extend(leaves, 1_000);
  const restored = new LeafIndex();
  restored.restore(index.slots.slice(), index.count);
  restored.extend(leaves, 3_000);
  deepEqual([restored.count, restored.indexOf(leaves, leafAt(leaves, 2_999))], [3_000, 2_999]);
});

Deno.test("an extension is expensive if it hashes more than 2,048 leaves: the new ones, or all when the table grows", () => {
  const fresh = new LeafIndex();
  deepEqual([2_048, 2_049].map((end) => fresh.isExpensiveToExtend(end)), [false, true]);
  const leaves = leavesOf(9_000);
  const used = new LeafIndex();
  used.extend(leaves, 5_000); // in a table of 16,384, which grows at 8,193
  deepEqual([5_001, 7_048, 7_049, 8_192].map((end) => used.isExpensiveToExtend(end)), [
    false,
    false,
    true,
    true,
  ]);
  used.extend(leaves, 8_000);
  deepEqual([8_192, 8_193].map((end) => used.isExpensiveToExtend(end)), [false, true]);
});
