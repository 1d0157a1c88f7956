import { deepEqual, rejects } from "node:assert/strict";
import { concatBytes } from "@noble/hashes/utils.js";
import { G1_BYTES, G2_BYTES } from "./arithmetic/points.ts";
import { u32, writeSections } from "./section_file.ts";
import { type KeyContribution, parseZkey, serializeZkey, type Zkey } from "./zkey.ts";

const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);
const [g1, g2] = [(value: number) => bytes(G1_BYTES, value), (value: number) => bytes(G2_BYTES, value)];

const contribution = (change: Partial<KeyContribution> = {}): KeyContribution => ({
  delta: g1(1),
  s: g1(2),
  sx: g1(3),
  answer: g2(4),
  challenge: bytes(64, 5),
  name: "Ada",
  ...change,
});
const beacon = { value: bytes(8, 6), exponent: 10 };

function keyOf(
  {
    variables = 5,
    nPublic = 2,
    domain = 8,
    contributions = [contribution(), contribution({ name: "", beacon })],
  } = {},
): Zkey {
  return {
    variables,
    public: nPublic,
    domain,
    alpha1: g1(1),
    beta1: g1(2),
    beta2: g2(3),
    gamma2: g2(4),
    delta1: g1(5),
    delta2: g2(6),
    sections: {
      IC: bytes((nPublic + 1) * G1_BYTES, 1),
      coefficients: bytes(9, 2),
      A: bytes(variables * G1_BYTES, 3),
      B1: bytes(variables * G1_BYTES, 4),
      B2: bytes(variables * G2_BYTES, 5),
      L: bytes((variables - nPublic - 1) * G1_BYTES, 6),
      H: bytes(domain * G1_BYTES, 7),
    },
    circuitHash: bytes(64, 8),
    contributions,
  };
}
const parse = (file: Uint8Array) => parseZkey(file, "the key");
const refuses = (file: Uint8Array, detail: string) =>
  rejects(parse(file), { code: "invalid_ceremony", message: `the key ${detail}` });

Deno.test("a key is read as it was written, with its contributions", async () => {
  for (const key of [keyOf(), keyOf({ contributions: [] }), keyOf({ variables: 1, nPublic: 0, domain: 2 })]) {
    deepEqual(await parse(serializeZkey(key)), key);
  }
});

Deno.test("a key has more variables than public signals, and a domain of a power of two from two on", async () => {
  for (const size of [{ public: 5 }, { public: 6 }, ...[0, 1, 7, 9, 12].map((domain) => ({ domain }))]) {
    await refuses(serializeZkey({ ...keyOf(), ...size }), "has impossible sizes");
  }
});

for (const name of ["IC", "A", "B1", "B2", "L", "H"] as const) {
  Deno.test(`a key whose section ${name} has a byte more or less than its header says is refused`, async () => {
    const key = keyOf();
    for (const more of [-1, 1]) {
      const sections = { ...key.sections, [name]: bytes(key.sections[name].length + more, 1) };
      await refuses(
        serializeZkey({ ...key, sections }),
        `has a section ${name} of another length than its header says`,
      );
    }
  });
}

function sectionsOf(change: Readonly<Record<number, Uint8Array | undefined>>, key = keyOf()): Uint8Array {
  const file = serializeZkey(key);
  const sections: [number, Uint8Array][] = [];
  for (let at = 12; at < file.length;) {
    const view = new DataView(file.buffer, at);
    const [id, length] = [view.getUint32(0, true), Number(view.getBigUint64(4, true))];
    const content = id in change ? change[id] : file.slice(at + 12, at + 12 + length);
    if (content !== undefined) sections.push([id, content]);
    at += 12 + length;
  }
  return writeSections("zkey", sections);
}

Deno.test("a key without one of its sections is refused by the section's number", async () => {
  deepEqual(await parse(sectionsOf({})), keyOf());
  for (let id = 1; id <= 10; id++) await refuses(sectionsOf({ [id]: undefined }), `lacks section ${id}`);
});

Deno.test("a key of another protocol or curve, or with surplus bytes in its header, is refused", async () => {
  await refuses(sectionsOf({ 1: u32(2) }), "is not of Groth16");
  const header = serializeZkey(keyOf()).slice(
    12 + 16 + 12,
    12 + 16 + 12 + 88 + 12 + 3 * G1_BYTES + 3 * G2_BYTES,
  );
  deepEqual(await parse(sectionsOf({ 2: header })), keyOf());
  await refuses(sectionsOf({ 2: header.map((byte, i) => i === 4 ? byte ^ 1 : byte) }), "is not of BLS12-381");
  await refuses(sectionsOf({ 2: concatBytes(header, bytes(1, 0)) }), "has a section with surplus bytes");
  await refuses(sectionsOf({ 2: header.slice(0, -1) }), "is truncated");
});

const history = (type: number, parameters: Uint8Array, count = 1, announced = parameters.length) =>
  sectionsOf({
    10: concatBytes(
      ...[
        bytes(64, 8),
        u32(count),
        g1(1),
        g1(2),
        g1(3),
        g2(4),
        bytes(64, 5),
        u32(type),
        u32(announced),
        parameters,
      ],
    ),
  });
const NAME = Uint8Array.of(1, 1, 65);
const EXPONENT = Uint8Array.of(2, 10);
const VALUE = Uint8Array.of(3, 2, 6, 6);

Deno.test("a contribution is made by a person, or by a beacon with its exponent and value", async () => {
  const found = async (...parts: Parameters<typeof history>) =>
    (await parse(history(...parts))).contributions[0];
  deepEqual((await found(0, NAME)).name, "A");
  deepEqual((await found(0, bytes(0, 0))).name, "");
  deepEqual((await found(1, concatBytes(EXPONENT, VALUE))).beacon, {
    exponent: 10,
    value: Uint8Array.of(6, 6),
  });
  const neither = "has a contribution that is neither a person's nor a beacon's";
  for (
    const [type, ...parts] of [[0, EXPONENT], [0, VALUE], [1, NAME], [1, EXPONENT], [1, VALUE], [
      2,
      NAME,
    ]] as const
  ) await refuses(history(type, concatBytes(...parts)), neither);
  await refuses(history(2, concatBytes(EXPONENT, VALUE)), neither);
});

Deno.test("a contribution's parameters come once, in order, and are known", async () => {
  const unordered = "has a contribution with unordered parameters";
  await refuses(history(1, concatBytes(VALUE, EXPONENT)), unordered);
  await refuses(history(0, concatBytes(NAME, NAME)), unordered);
  await refuses(history(0, Uint8Array.of(0)), unordered);
  await refuses(history(0, Uint8Array.of(4, 1)), "has a contribution with an unknown parameter");
  await refuses(history(0, Uint8Array.of(1, 1, 0xff)), "has a name that is not UTF-8");
  await refuses(history(0, Uint8Array.of(1, 2, 65)), "is truncated");
});

Deno.test("a history that announces more than it has, or has more, is refused", async () => {
  await refuses(history(0, NAME, 2), "is truncated");
  await refuses(history(0, NAME, 2 ** 32 - 1), "is truncated");
  await refuses(history(0, NAME, 1, 4), "is truncated");
  await refuses(history(0, NAME, 0), "has a section with surplus bytes");
  await refuses(history(0, NAME, 1, 2), "is truncated");
});
