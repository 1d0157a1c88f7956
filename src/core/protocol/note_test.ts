import assert from "node:assert/strict";
import fc from "fast-check";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };
import { Problem } from "../errors/problem.ts";
import { fieldToHex } from "../crypto/field.ts";
import { networks } from "./network.ts";
import { poseidon } from "../crypto/poseidon.ts";
import { createNote, formatNote, parseNote, placeNote } from "./note.ts";

const pool = { asset: "native", amount: "10", network: "testnet" } as const;

Deno.test("notes give the commitments and nullifier hashes of the independent vectors", () => {
  for (const vector of vectors.notes) {
    const note = parseNote(vector.string);
    assert.equal(fieldToHex(note.nullifier), vector.nullifier);
    assert.equal(fieldToHex(note.secret), vector.secret);
    assert.equal(fieldToHex(note.commitment), vector.commitment);
    assert.equal(fieldToHex(note.nullifierHash), vector.nullifierHash);
    assert.equal(formatNote(note), vector.string);
  }
});

Deno.test("a fresh note survives being written and read, for any pool", () => {
  fc.assert(fc.property(
    fc.stringMatching(/^[a-z0-9]{1,8}$/),
    fc.constantFrom("0.1", "1", "10", "1000", "0.000000001"),
    fc.constantFrom(...networks),
    (asset, amount, network) => {
      const note = createNote({ asset, amount, network });
      const again = parseNote(formatNote(note));
      for (
        const key of [
          "asset",
          "amount",
          "network",
          "nullifier",
          "secret",
          "commitment",
          "nullifierHash",
        ] as const
      ) {
        assert.equal(again[key], note[key]);
      }
    },
  ));
});

Deno.test("all 62 bytes of a note are drawn, and leading zeros are kept", () => {
  const zero = createNote(pool, () => {});
  assert.equal(formatNote(zero), `tonado-native-10-testnet-0x${"0".repeat(124)}`);
  const ones = createNote(pool, (bytes) => bytes.fill(0xff));
  assert.equal(formatNote(ones), `tonado-native-10-testnet-0x${"f".repeat(124)}`);
  const seen = new Set(Array.from({ length: 100 }, () => formatNote(createNote(pool))));
  assert.equal(seen.size, 100);
});

const good = vectors.notes[0].string;
const hex = good.slice(good.lastIndexOf("0x"));
const malformed: [string, string][] = [
  ["nothing", ""],
  ["another prefix", good.replace("tonado", "tornado")],
  ["upper case", good.toUpperCase()],
  ["a part too few", good.replace("-10-", "-")],
  ["a part too many", good.replace("-10-", "-10-10-")],
  ["an asset with other characters", good.replace("native", "na_tive")],
  ["an empty asset", good.replace("native", "")],
  ["an amount with an exponent", good.replace("-10-", "-1e1-")],
  ["an amount with trailing zeros", good.replace("-10-", "-10.0-")],
  ["an amount with a leading zero", good.replace("-10-", "-010-")],
  ["an amount of zero", good.replace("-10-", "-0-")],
  ["another network", good.replace("testnet", "moonnet")],
  ["a digit too few", good.slice(0, -1)],
  ["a digit too many", good + "0"],
  ["upper case digits", good.replace(hex, hex.toUpperCase().replace("0X", "0x"))],
  ["a space at the end", good + " "],
  ["a line feed at the end", good + "\n"],
  ["far too long", good + "0".repeat(100_000)],
];
for (const [name, text] of malformed) {
  Deno.test(`parseNote refuses a note with ${name}, and does not print it`, () => {
    assert.throws(() => parseNote(text), (error) => {
      assert.ok(error instanceof Problem && error.code === "invalid_note");
      assert.ok(!error.message.includes(hex.slice(2, 20).toLowerCase()), error.message);
      return true;
    });
  });
}

const impossible: [string, unknown][] = [
  ["an amount that is a number", { ...pool, amount: 10 }],
  ["an amount in an array", { ...pool, amount: ["10"] }],
  ["an amount too long to be parsed again", { ...pool, amount: "1".repeat(81) }],
  ["an asset too long to be parsed again", { ...pool, asset: "a".repeat(81) }],
  ["no network", { ...pool, network: undefined }],
];
for (const [name, of] of impossible) {
  Deno.test(`createNote refuses ${name}`, () => {
    assert.throws(
      () => createNote(of as typeof pool),
      (error) => error instanceof Problem && error.code === "invalid_note",
    );
  });
}

Deno.test("formatNote refuses a note that parseNote would not read", () => {
  const note = parseNote(good);
  for (const wrong of [{ nullifier: 1n << 250n }, { secret: -5n }, { amount: "1e1" }]) {
    assert.throws(
      () => formatNote({ ...note, ...wrong }),
      (error) => error instanceof Problem && error.code === "invalid_note",
    );
  }
});

for (const value of [null, 5, {}, undefined]) {
  Deno.test(`parseNote refuses ${JSON.stringify(value)} as no string`, () => {
    assert.throws(() => parseNote(value as unknown as string), /it is not a string/);
  });
}

Deno.test("a note that is printed by accident shows no secret", () => {
  const note = parseNote(good);
  const secrets = [note.nullifier, note.secret].flatMap((x) => [String(x), x.toString(16)]);
  for (
    const shown of [
      Deno.inspect(note),
      Deno.inspect({ deep: [note] }),
      JSON.stringify({ note }),
      String(note),
    ]
  ) {
    for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
  }
});

Deno.test("a version 2 note has its own prefix, and a nullifier hash only at a leaf", () => {
  const note = createNote({ asset: "native", amount: "10", network: "testnet", version: 2 });
  const text = formatNote(note);
  assert.match(text, /^tonado2-native-10-testnet-0x[0-9a-f]{124}$/);
  assert.equal(parseNote(text).version, 2);
  assert.equal(parseNote(text).commitment, note.commitment);
  assert.throws(() => note.nullifierHash, RangeError);
  const [first, second] = [placeNote(note, 0), placeNote(note, 1)];
  assert.equal(first.nullifierHash, poseidon([note.nullifier, 0n]));
  assert.equal(second.nullifierHash, poseidon([note.nullifier, 1n]));
  assert.equal(second.leafIndex, 1);
  for (const each of [note, first]) assert.ok(!String(each).includes(String(note.nullifier)));
  for (const wrong of [-1, 0.5, NaN]) assert.throws(() => placeNote(note, wrong), RangeError);
  const version1 = parseNote(text.replace("tonado2-", "tonado-"));
  assert.equal(version1.nullifierHash, poseidon([note.nullifier]));
  assert.equal(placeNote(version1, 5), version1);
  assert.throws(() => parseNote(text.replace("tonado2-", "tonado3-")), { code: "invalid_note" });
});
