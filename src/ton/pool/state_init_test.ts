import assert from "node:assert/strict";
import native from "../../../artifacts/contracts/native.json" with { type: "json" };
import { Problem } from "../../core/errors/problem.ts";
import { parsePoolCode } from "./state_init.ts";

const flipped = native.codeBoc64.replace(
  /[A-Z]/g,
  (letter, at) => at > 300 && at < 310 ? letter.toLowerCase() : letter,
);
const corrupted: [string, typeof native][] = [
  ["one byte is another", { ...native, codeBoc64: flipped }],
  ["it is cut short", { ...native, codeBoc64: native.codeBoc64.slice(0, 400) }],
  ["it is empty", { ...native, codeBoc64: "" }],
  ["its hash is another", { ...native, codeHash: "0".repeat(64) }],
];
for (const [name, artifact] of corrupted) {
  Deno.test(`a compiled contract is refused, and named, when ${name}`, () => {
    assert.throws(
      () => parsePoolCode("native", artifact),
      (error) =>
        error instanceof Problem && error.code === "artifact_corrupted" &&
        error.message.includes("contracts/native.json"),
    );
  });
}

Deno.test("the committed contract is accepted", () => {
  assert.equal(parsePoolCode("native", native).codeHash, native.codeHash);
});
