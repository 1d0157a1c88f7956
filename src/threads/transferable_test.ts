import { deepEqual } from "node:assert/strict";
import { transferableBuffers, typedArraysIn } from "./transferable.ts";

Deno.test("the memory of a result is found at any depth, in the order of its members", () => {
  const [bytes, words, inner] = [new Uint8Array(3), new Uint32Array(2), new Uint8Array(1)];
  const result = {
    bytes,
    list: [words, { inner, none: null }],
    text: "abc",
    count: 7,
    big: 1n,
    rest: undefined,
  };
  deepEqual(typedArraysIn(result), [bytes, words, inner]);
  deepEqual(transferableBuffers(result), [bytes.buffer, words.buffer, inner.buffer]);
});

Deno.test("shared memory does not move to another thread", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  const own = new Uint8Array(2);
  deepEqual(transferableBuffers([shared, own]), [own.buffer]);
});

for (const value of [undefined, null, true, 5, 5n, "text", {}, []]) {
  Deno.test(`a result without memory moves nothing: ${JSON.stringify(value, (_, n) => typeof n === "bigint" ? "5n" : n)}`, () => {
    deepEqual(transferableBuffers(value), []);
  });
}
