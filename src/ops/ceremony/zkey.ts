/** snarkjs' `.zkey` format (`zkey_utils.js`). Points stay encoded as in the file. */
import { concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import {
  ceremonyProblem,
  equalBytes,
  memorySource,
  readSections,
  u32,
  writeSections,
} from "./section_file.ts";
import { G1_BYTES, G2_BYTES } from "./arithmetic/points.ts";

const GROTH16 = 1;
const HASH_BYTES = 64;
/** Length and value of q, then of r, little endian. */
const FIELD_HEADER = hexToBytes(
  "30000000abaafffffffffeb9ffff53b1feffab1e24f6b0f6a0d23067bf1285f3844b7764d7ac4b43b6a71b4b9ae67f39ea11011a" +
    "2000000001000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73",
);

export interface KeyContribution {
  readonly delta: Uint8Array; // delta after it, in G1
  /** s and x s, which prove knowledge of x together with `answer`. */
  readonly s: Uint8Array;
  readonly sx: Uint8Array;
  readonly answer: Uint8Array; // x times the challenge's point of G2
  readonly challenge: Uint8Array;
  readonly name: string;
  /** The public source of x: a value, hashed 2^exponent times. */
  readonly beacon?: { readonly value: Uint8Array; readonly exponent: number };
}

/** Section numbers, by snarkjs' names. */
const keySections = { IC: 3, coefficients: 4, A: 5, B1: 6, B2: 7, L: 8, H: 9 } as const;

export type KeySection = keyof typeof keySections;

export interface Zkey {
  readonly variables: number;
  readonly public: number;
  readonly domain: number;
  readonly alpha1: Uint8Array;
  readonly beta1: Uint8Array;
  readonly beta2: Uint8Array;
  readonly gamma2: Uint8Array;
  readonly delta1: Uint8Array;
  readonly delta2: Uint8Array;
  readonly sections: Readonly<Record<KeySection, Uint8Array>>;
  readonly circuitHash: Uint8Array; // of the key before any contribution
  readonly contributions: readonly KeyContribution[];
}

/** Checks the structure, not the points. Throws `invalid_ceremony`, naming the file `what`. */
export async function parseZkey(bytes: Uint8Array, what: string): Promise<Zkey> {
  const source = memorySource(bytes);
  const found = await readSections(source, "zkey", what);
  const section = (id: number): Uint8Array => {
    const at = found.get(id);
    if (at === undefined) throw ceremonyProblem(what, `lacks section ${id}`);
    return bytes.subarray(at.offset, at.offset + at.length);
  };
  if (!equalBytes(section(1), u32(GROTH16))) throw ceremonyProblem(what, "is not of Groth16");
  const header = new ByteReader(section(2), what);
  if (!equalBytes(header.take(FIELD_HEADER.length), FIELD_HEADER)) {
    throw ceremonyProblem(what, "is not of BLS12-381");
  }
  const [variables, nPublic, domain] = [header.u32(), header.u32(), header.u32()];
  if (nPublic >= variables || domain < 2 || 2 ** Math.round(Math.log2(domain)) !== domain) {
    throw ceremonyProblem(what, "has impossible sizes");
  }
  const [alpha1, beta1, beta2] = [header.take(G1_BYTES), header.take(G1_BYTES), header.take(G2_BYTES)];
  const [gamma2, delta1, delta2] = [header.take(G2_BYTES), header.take(G1_BYTES), header.take(G2_BYTES)];
  header.end();

  const lengths = {
    IC: (nPublic + 1) * G1_BYTES,
    A: variables * G1_BYTES,
    B1: variables * G1_BYTES,
    B2: variables * G2_BYTES,
    L: (variables - nPublic - 1) * G1_BYTES,
    H: domain * G1_BYTES,
  };
  const sections = Object.fromEntries(
    Object.entries(keySections).map(([name, id]) => [name, section(id)]),
  ) as Record<KeySection, Uint8Array>;
  for (const [name, length] of Object.entries(lengths)) {
    if (sections[name as KeySection].length !== length) {
      throw ceremonyProblem(what, `has a section ${name} of another length than its header says`);
    }
  }
  const history = new ByteReader(section(10), what);
  const circuitHash = history.take(HASH_BYTES);
  const contributions = Array.from({ length: history.count() }, () => readContribution(history, what));
  history.end();
  return {
    variables,
    public: nPublic,
    domain,
    alpha1,
    beta1,
    beta2,
    gamma2,
    delta1,
    delta2,
    sections,
    circuitHash,
    contributions,
  };
}

export function serializeZkey(key: Zkey): Uint8Array<ArrayBuffer> {
  const header = concatBytes(
    FIELD_HEADER,
    ...[key.variables, key.public, key.domain].map(u32),
    ...[key.alpha1, key.beta1, key.beta2, key.gamma2, key.delta1, key.delta2],
  );
  const history = concatBytes(
    key.circuitHash,
    u32(key.contributions.length),
    ...key.contributions.map(serializeContribution),
  );
  return writeSections("zkey", [
    [1, u32(GROTH16)],
    [2, header],
    ...Object.entries(keySections).map(([name, id]) => [id, key.sections[name as KeySection]] as const),
    [10, history],
  ]);
}

/** Each parameter follows its number, in ascending order. */
const parameterIds = { name: 1, exponent: 2, beacon: 3 } as const;

function readContribution(reader: ByteReader, what: string): KeyContribution {
  const [delta, s, sx] = [reader.take(G1_BYTES), reader.take(G1_BYTES), reader.take(G1_BYTES)];
  const [answer, challenge] = [reader.take(G2_BYTES), reader.take(HASH_BYTES)];
  const type = reader.u32();
  const parameters = new ByteReader(reader.take(reader.count()), what);
  let [name, last] = ["", 0];
  let exponent: number | undefined;
  let value: Uint8Array | undefined;
  while (parameters.remaining > 0) {
    const number = parameters.u8();
    if (number <= last) throw ceremonyProblem(what, "has a contribution with unordered parameters");
    last = number;
    if (number === parameterIds.name) name = parameters.text(parameters.u8());
    else if (number === parameterIds.exponent) exponent = parameters.u8();
    else if (number === parameterIds.beacon) value = parameters.take(parameters.u8());
    else throw ceremonyProblem(what, "has a contribution with an unknown parameter");
  }
  const contribution = { delta, s, sx, answer, challenge, name };
  if (type === 0 && exponent === undefined && value === undefined) return contribution;
  if (type === 1 && exponent !== undefined && value !== undefined) {
    return { ...contribution, beacon: { value, exponent } };
  }
  throw ceremonyProblem(what, "has a contribution that is neither a person's nor a beacon's");
}

function serializeContribution(
  { delta, s, sx, answer, challenge, name, beacon }: KeyContribution,
): Uint8Array {
  const text = new TextEncoder().encode(name);
  const parameters = concatBytes(
    ...(text.length > 0 ? [Uint8Array.of(parameterIds.name, text.length), text] : []),
    ...(beacon
      ? [
        Uint8Array.of(parameterIds.exponent, beacon.exponent, parameterIds.beacon, beacon.value.length),
        beacon.value,
      ]
      : []),
  );
  return concatBytes(
    delta,
    s,
    sx,
    answer,
    challenge,
    u32(beacon ? 1 : 0),
    u32(parameters.length),
    parameters,
  );
}

class ByteReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array, private readonly what: string) {}

  get remaining(): number {
    return this.bytes.length - this.#at;
  }

  take(length: number): Uint8Array {
    if (length > this.remaining) throw ceremonyProblem(this.what, "is truncated");
    return this.bytes.subarray(this.#at, this.#at += length);
  }

  u8(): number {
    return this.take(1)[0];
  }

  u32(): number {
    const bytes = this.take(4);
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  }

  /** Reads the number of items that follow, each of at least one byte. */
  count(): number {
    const count = this.u32();
    if (count > this.remaining) throw ceremonyProblem(this.what, "is truncated");
    return count;
  }

  text(length: number): string {
    const encoded = this.take(length);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(encoded);
    } catch {
      throw ceremonyProblem(this.what, "has a name that is not UTF-8");
    }
  }

  end(): void {
    if (this.remaining > 0) throw ceremonyProblem(this.what, "has a section with surplus bytes");
  }
}
