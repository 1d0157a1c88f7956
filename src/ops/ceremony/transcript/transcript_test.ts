import { canonicalJson } from "../../../core/text/canonical_json.ts";
import { deepEqual, equal, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { circuitsOfVersion } from "../../../core/crypto/groth16.ts";
import { MAX_CONSTRAINTS } from "../size_limits.ts";
import {
  canonicalHash,
  closingBeacon,
  contributionsOf,
  entryName,
  headHash,
  keyEntries,
  lastHash,
  latestAnnouncement,
  parseTranscript,
  type Transcript,
  transcriptBytes,
  withHash,
} from "./transcript.ts";

const hex = (bytes: number) => "ab".repeat(bytes);
// deno-lint-ignore no-explicit-any
type Json = any;

function keysOf(version: 1 | 2): Json {
  const entry = () => ({
    delta: { g1: hex(96), g2: hex(192) },
    proof: { s: hex(96), sx: hex(96), answer: hex(192) },
    challenge: hex(64),
    contributionHash: hex(64),
    zkey: hex(32),
  });
  return Object.fromEntries(circuitsOfVersion[version].map((circuit) => [circuit, entry()]));
}
const chained = { previous: hex(32), hash: hex(32) };
const announcement = { kind: "announcement", source: "drand 1", round: 7, exponent: 10, ...chained };
const contribution = (version: 1 | 2 = 1) => ({
  kind: "contribution",
  name: "Alice",
  keys: keysOf(version),
  ...chained,
});
const signature = { publicKey: hex(32), value: hex(64) };
const beacon = { kind: "beacon", value: hex(8), keys: keysOf(1), ...chained };

function transcriptOf(version: 1 | 2 = 1): Json {
  const circuit = () => ({ r1cs: hex(32), constraints: 5, circuitHash: hex(64), zkey: hex(32) });
  return {
    format: "tonado-ceremony-3",
    powers: { sha256: hex(32), power: 16 },
    circuits: Object.fromEntries(circuitsOfVersion[version].map((name) => [name, circuit()])),
    entries: [
      contribution(version),
      { ...contribution(version), signature },
      announcement,
      { ...beacon, keys: keysOf(version) },
    ],
  };
}

const parse = (value: unknown) => parseTranscript(new TextEncoder().encode(JSON.stringify(value)));
function withMember(path: string, value: unknown, version: 1 | 2 = 1): Json {
  const transcript = structuredClone(transcriptOf(version));
  const names = path.split("/");
  const last = names.pop()!;
  const at = names.reduce((object, name) => object[name], transcript);
  if (value === undefined) delete at[last];
  else at[last] = value;
  return transcript;
}

Deno.test("a transcript of either version is read as it was written", () => {
  for (const version of [1, 2] as const) {
    const transcript = transcriptOf(version);
    deepEqual(parse(transcript), transcript);
    deepEqual(parseTranscript(transcriptBytes(transcript)), transcript);
    const other = keysOf(version === 1 ? 2 : 1);
    throws(() => parse(withMember("entries/0/keys", other, version)), { code: "invalid_ceremony" });
  }
});

const accepted: [path: string, values: unknown[]][] = [
  ["powers/power", [1, 28]],
  ["circuits/withdraw/constraints", [1, MAX_CONSTRAINTS]],
  ["entries/2/round", [0]],
  ["entries/2/exponent", [10, 30]],
  ["entries/0/name", ["A", "x".repeat(63), "Ä 1.,:@/()_-"]],
  ["entries/3/value", [hex(8), hex(255)]],
];
const refused: [path: string, values: unknown[]][] = [
  ["format", ["tonado-ceremony-1", undefined]],
  ["powers/power", [0, 29, 1.5, "16"]],
  ["circuits/withdraw/constraints", [0, MAX_CONSTRAINTS + 1]],
  ["circuits/deposit", [undefined]],
  ["entries/2/round", [-1, 0.5]],
  ["entries/2/exponent", [9, 31]],
  ["entries/0/name", ["", "x".repeat(64), " x", "-x", "a\nb"]],
  ["entries/0/more", [1]],
  ["entries/0/kind", ["key"]],
  ["entries/1/signature/publicKey", [hex(31), hex(33)]],
  ["entries/1/signature/value", [hex(63), undefined]],
  ["entries/3/value", [hex(7), hex(256), "abc", hex(8).toUpperCase()]],
];
const lengths: [path: string, bytes: number][] = [
  ["powers/sha256", 32],
  ["circuits/withdraw/r1cs", 32],
  ["circuits/withdraw/circuitHash", 64],
  ["circuits/withdraw/zkey", 32],
  ["entries/0/previous", 32],
  ["entries/0/hash", 32],
  ["entries/0/keys/withdraw/delta/g1", 96],
  ["entries/0/keys/withdraw/delta/g2", 192],
  ["entries/0/keys/withdraw/proof/s", 96],
  ["entries/0/keys/withdraw/proof/sx", 96],
  ["entries/0/keys/withdraw/proof/answer", 192],
  ["entries/0/keys/withdraw/challenge", 64],
  ["entries/0/keys/withdraw/contributionHash", 64],
  ["entries/0/keys/withdraw/zkey", 32],
];

for (const [path, values] of accepted) {
  Deno.test(`a transcript's ${path} is accepted at its bounds`, () => {
    for (const value of values) parse(withMember(path, value));
  });
}
for (
  const [path, values] of [
    ...refused,
    ...lengths.map(([path, n]) => [path, [hex(n - 1), hex(n + 1), "AB".repeat(n)]] as const),
  ]
) {
  Deno.test(`a transcript's ${path} is refused beyond its form`, () => {
    for (const value of values) {
      throws(() => parse(withMember(path, value)), {
        code: "invalid_ceremony",
        message: /^transcript is malformed: \//,
      });
    }
  });
}

Deno.test("a transcript that is no JSON, no UTF-8, or names a member twice is refused", () => {
  const refuses = (bytes: Uint8Array, message: RegExp) =>
    throws(() => parseTranscript(bytes), { code: "invalid_ceremony", message });
  refuses(new TextEncoder().encode("{"), /is not JSON$/);
  refuses(Uint8Array.of(0x22, 0xff, 0x22), /is not JSON$/);
  refuses(new TextEncoder().encode('{"format":1,"format":1}'), /is malformed: .*two members/);
  for (const text of ["null", "[]", "7"]) refuses(new TextEncoder().encode(text), /is malformed/);
});

Deno.test("a transcript has at most 10,000 entries", () => {
  const many = (count: number) => ({ ...transcriptOf(), entries: Array(count).fill(announcement) });
  equal(parse(many(10_000)).entries.length, 10_000);
  throws(() => parse(many(10_001)), { code: "invalid_ceremony" });
});

Deno.test("entries are found by their kind, and numbered among those that made keys or announced", () => {
  const transcript = parse(transcriptOf());
  const shown = (entries: readonly { kind: string }[]) => entries.map(({ kind }) => kind);
  deepEqual(shown(keyEntries(transcript)), ["contribution", "contribution", "beacon"]);
  deepEqual(shown(contributionsOf(transcript)), ["contribution", "contribution"]);
  deepEqual([0, 1, 2, 3].map((index) => entryName(transcript, index)), [
    ...["contribution 1", "contribution 2", "announcement 1", "beacon 3"],
  ]);
  equal(closingBeacon(transcript), transcript.entries[3]);
  equal(latestAnnouncement(transcript), transcript.entries[2]);
  const open: Transcript = { ...transcript, entries: transcript.entries.slice(0, 2) };
  deepEqual([closingBeacon(open), latestAnnouncement(open)], [undefined, undefined]);
  const twice: Transcript = {
    ...transcript,
    entries: [transcript.entries[2], transcript.entries[0], {
      ...announcement as Json,
      round: 9,
    }],
  };
  equal(latestAnnouncement(twice)!.round, 9);
});

Deno.test("canonical JSON has sorted members and no spaces, and leaves out what is undefined", () => {
  const value = { b: [1, { d: null, c: 'x"' }], a: true, none: undefined, A: [] };
  equal(canonicalJson(value), '{"A":[],"a":true,"b":[1,{"c":"x\\"","d":null}]}');
  equal(canonicalHash(value), createHash("sha256").update(canonicalJson(value)).digest("hex"));
});

Deno.test("the chain of entries begins at the head's hash, which covers all but the entries", () => {
  const transcript = parse(transcriptOf());
  const { format, powers, circuits } = transcript;
  equal(headHash(transcript), canonicalHash({ format, powers, circuits }));
  equal(lastHash(transcript), hex(32));
  equal(lastHash({ ...transcript, entries: [] }), headHash(transcript));
  const entry = withHash({ previous: hex(32), kind: "announcement" });
  equal(entry.hash, canonicalHash({ kind: "announcement", previous: hex(32) }));
});
