/** The layout check finds each fault that it is designed to find. */
import assert from "node:assert/strict";
import {
  findDisorder,
  findMisaligned,
  findOverflows,
  findOverlaps,
  type Part,
} from "../../support/app/layout.ts";

/** Returns a box from one corner to the other. */
function part(name: string, [left, top, right, bottom]: number[], more: Partial<Part> = {}): Part {
  return { name, left, top, right, bottom, within: [], parent: 0, isClipped: false, ...more };
}

const title = part("title", [10, 0, 300, 40]);

Deno.test("two parts that share a place overlap, unless one contains the other", () => {
  const text = part("text", [10, 30, 300, 60]);
  assert.deepEqual(findOverlaps([title, text]), ["title and text overlap"]);
  assert.deepEqual(findOverlaps([title, { ...text, within: [0] }]), []);
  assert.deepEqual(findOverlaps([title, { ...text, top: 40 }]), []);
});

Deno.test("a part above the one before it, or left of its sibling, is out of order", () => {
  const above = part("above", [10, -30, 300, 0]);
  assert.deepEqual(findDisorder([title, above]), ["above is above title"]);
  assert.deepEqual(findDisorder([above, title]), []);
  const left = part("left", [0, 0, 10, 40]);
  assert.deepEqual(findDisorder([title, left]), ["left is left of title"]);
  assert.deepEqual(findDisorder([title, { ...left, parent: 1 }]), [], "another column");
});

Deno.test("a part that leaves the screen, or is narrower than its content, overflows", () => {
  assert.deepEqual(findOverflows([title], 300), []);
  assert.deepEqual(findOverflows([title], 290), ["title leaves the screen"]);
  assert.deepEqual(findOverflows([{ ...title, isClipped: true }], 300), [
    "title is narrower than its content",
  ]);
});

Deno.test("a primary action has the sides of its column", () => {
  const column = { left: 10, right: 300 };
  const action = (left: number, right: number) => part("action", [left, 50, right, 100], { column });
  assert.deepEqual(findMisaligned([title, action(10, 300)]), []);
  assert.deepEqual(findMisaligned([action(12, 300), action(10, 280)]), [
    "action does not fill its column",
    "action does not fill its column",
  ]);
});
