import assert from "node:assert/strict";
import { Address, contractAddress } from "@ton/core";
import native from "../../../artifacts/contracts/native.json" with { type: "json" };
import { Problem } from "../../core/errors/problem.ts";
import { uniqueCells } from "../account_storage.ts";
import { nativePoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import {
  deploymentMatchesBuild,
  findPoolGeneration,
  loadPoolCode,
  parsePoolCode,
  v2NativePoolInit,
} from "./state_init.ts";

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

Deno.test("a registry entry matches only with this build's code and the address of its parameters", () => {
  const options = { denomination: 10n, owner: null };
  const entry = { ...options, codeHash: native.codeHash, address: nativePoolAddress(options) };
  assert.equal(deploymentMatchesBuild(entry), true);
  assert.equal(deploymentMatchesBuild({ ...entry, codeHash: "0".repeat(64) }), false);
  assert.equal(deploymentMatchesBuild({ ...entry, denomination: 11n }), false);
  assert.equal(deploymentMatchesBuild({ ...entry, generation: 1 }), false);
});

Deno.test("the address of a version 2 pool commits to its version, denomination, owner and generation", () => {
  const owner = Address.parse("0:" + "0a".repeat(32));
  for (const options of [{ denomination: 10n, owner: null }, { denomination: 7n, owner, generation: 255 }]) {
    const { code, data } = v2NativePoolInit(options);
    const address = contractAddress(0, { code, data });
    assert.equal(findPoolGeneration(address, { ...options, version: 2 }), options.generation ?? 0);
    assert.equal(findPoolGeneration(address, options), undefined, "as a version 1 pool");
    const { codeHash } = loadPoolCode("native2");
    assert.equal(deploymentMatchesBuild({ ...options, version: 2, address, codeHash }), true);
    assert.equal(deploymentMatchesBuild({ ...options, address, codeHash }), false);
  }
  const { data } = v2NativePoolInit({ denomination: 10_000_000_000n, owner: null });
  assert.equal(uniqueCells([data]).length, 9, "forks share their cells");
  assert.throws(() => v2NativePoolInit({ denomination: 10n, owner: null, generation: 256 }), RangeError);
});
