import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { addressToField } from "./messages/address_field.ts";
import {
  compliancePublicSignals,
  type ComplianceStatement,
  complianceTreePath,
  parseComplianceReport,
} from "./compliance.ts";
import { Problem } from "../errors/problem.ts";
import { FIELD_MODULUS, fieldToHex } from "../crypto/field.ts";
import { MERKLE_TREE_HEIGHT, MerkleTree } from "../tree/merkle_tree.ts";
import { zeros } from "../tree/zeros.ts";

const somebody = `0:${"0a".repeat(32)}`;
const tx = { lt: "1", hash: "ab".repeat(32) };
const sample: ComplianceStatement = {
  network: "localnet",
  pool: { address: somebody, asset: "native", amount: "1", decimals: 9, denomination: "1000000000" },
  purpose: "a bank",
  madeAt: 3,
  commitment: fieldToHex(5n),
  nullifierHash: fieldToHex(7n),
  deposit: { leafIndex: 0, timestamp: 1, depositor: somebody, tx },
  withdrawal: {
    timestamp: 2,
    recipient: somebody,
    relayer: null,
    fee: "0",
    refund: "0",
    paid: "1000000000",
    tx,
  },
  vkeyHash: "cd".repeat(32),
};
const proof = { pi_a: ["1"], pi_b: [["1"]], pi_c: ["1"], protocol: "groth16", curve: "bls12381" };

Deno.test("a report's proof is over a tree of the deposit alone", () => {
  const tree = new MerkleTree();
  tree.append(5n);
  assert.deepEqual(compliancePublicSignals(sample).slice(0, 2), [String(tree.root), "7"]);
});

Deno.test("in version 2, the deposit lies at its own place of that tree", () => {
  const deposit = { ...sample.deposit, leafIndex: 5 };
  const path = complianceTreePath({ ...sample, pool: { ...sample.pool, version: 2 }, deposit });
  assert.deepEqual(path.pathIndices, [1, 0, 1, ...Array(MERKLE_TREE_HEIGHT - 3).fill(0)]);
  assert.deepEqual(path.pathElements, zeros.slice(0, MERKLE_TREE_HEIGHT));
  const first = complianceTreePath({ ...sample, deposit });
  assert.deepEqual(first.pathIndices, Array(MERKLE_TREE_HEIGHT).fill(0));
});

Deno.test("the value that replaces the recipient is a field element, and not that of any address", () => {
  for (let i = 0; i < 40; i++) {
    const bound = BigInt(compliancePublicSignals({ ...sample, purpose: `${i}` })[2]);
    assert.ok(bound >= 1n << 254n && bound < FIELD_MODULUS);
    assert.ok(addressToField(new Address(0, new Uint8Array(32).fill(i) as Buffer)) < 1n << 254n);
  }
});

Deno.test("every member of the statement is bound, and the order of members is not", () => {
  const signals = compliancePublicSignals(sample).join();
  const leaves = (value: object, path: string[] = []): string[][] =>
    Object.entries(value).flatMap(([name, each]) =>
      typeof each === "object" && each ? leaves(each, [...path, name]) : [[...path, name]]
    );
  const paths = leaves(sample);
  assert.ok(paths.length > 20);
  for (const path of paths) {
    // deno-lint-ignore no-explicit-any
    const other: any = structuredClone(sample);
    const owner = path.slice(0, -1).reduce((at, name) => at[name], other);
    owner[path[path.length - 1]] = fieldToHex(9n);
    assert.notEqual(compliancePublicSignals(other).join(), signals, path.join("."));
  }
  const turned = Object.fromEntries(Object.entries(sample).reverse()) as ComplianceStatement;
  assert.equal(compliancePublicSignals(turned).join(), signals);
});

const whole = { format: "tonado-compliance", version: 1, statement: sample, proof };
const malformed: [string, unknown, RegExp][] = [
  ["nothing", null, /^\/$/],
  ["another version", { ...whole, version: 2 }, /^\/version$/],
  ["a member more", { ...whole, statement: { ...sample, note: "x" } }, /^\/statement$/],
  [
    "a commitment out of the field",
    { ...whole, statement: { ...sample, commitment: `0x${"f".repeat(64)}` } },
    /^\/statement\/commitment$/,
  ],
  ["an amount that is a number", {
    ...whole,
    statement: { ...sample, pool: { ...sample.pool, denomination: 1 } },
  }, /^\/statement\/pool\/denomination$/],
  ["an empty purpose", { ...whole, statement: { ...sample, purpose: "" } }, /^\/statement\/purpose$/],
];
for (const [what, json, pointer] of malformed) {
  Deno.test(`${what} is not a report, and the error names the place`, () => {
    assert.throws(() => parseComplianceReport(json), (error) => {
      assert.ok(error instanceof Problem && error.code === "invalid_report");
      assert.match(error.errors[0].pointer, pointer);
      return true;
    });
  });
}

Deno.test("a whole report is parsed as it is", () => {
  assert.deepEqual(parseComplianceReport(structuredClone(whole)), whole);
});

const withPurpose = (purpose: string) =>
  parseComplianceReport({ ...whole, statement: { ...sample, purpose } });

for (
  const [what, purpose, code] of [
    ["an escape sequence", "bank\x1b[2J", "U\\+001B"],
    ["a C1 control", "bank\x9b31m", "U\\+009B"],
    ["another line", "bank\nverified: ok", "U\\+000A"],
    ["a tab", "a\tb", "U\\+0009"],
    ["text that is turned round", "pay \u202e01", "U\\+202E"],
    ["an isolate", "a\u2066b", "U\\+2066"],
    ["a separator of lines", "a\u2028b", "U\\+2028"],
    ["invisible tags", "a\u{e0041}b", "U\\+E0041"],
    ["half a character", "a\ud800b", "U\\+D800"],
  ] as const
) {
  Deno.test(`a purpose with ${what} is refused, and the character is named`, () => {
    assert.throws(
      () => withPurpose(purpose),
      (error: unknown) => {
        assert.ok(error instanceof Problem);
        assert.equal(error.errors[0].pointer, "/statement/purpose");
        assert.match(error.errors[0].detail, new RegExp(`character [0-9]+ of it is ${code}`));
        return true;
      },
    );
  });
}

Deno.test("a purpose may use any script and emoji", () => {
  for (const purpose of ["Für die Bank", "بانک می\u200cخواهد", "क्\u200dष", "👩\u200d👧 tax 2026"]) {
    assert.equal(withPurpose(purpose).statement.purpose, purpose);
  }
});
