/**
 * Powers of tau, the result of phase 1, as snarkjs writes them (`.ptau`): tau^k in both groups, alpha tau^k and beta tau^k
 * in G1, and, once prepared for phase 2, the Lagrange polynomials of every domain at tau. Whoever made the file is not
 * trusted: every point is checked, and that the points are what they are said to be.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Arithmetic } from "./arithmetic.ts";
import { joined, readSections, refused, sameBytes, type Section, type Source } from "./sections.ts";

/** Bytes of a point. */
export const G1_BYTES = 96;
export const G2_BYTES = 192;
const COORDINATE_BYTES = 48;
export const SCALAR_BYTES = 32;
/** q of BLS12-381, little endian, in hex. */
const BASE_FIELD =
  "abaafffffffffeb9ffff53b1feffab1e24f6b0f6a0d23067bf1285f3844b7764d7ac4b43b6a71b4b9ae67f39ea11011a";
/** The scalar field has roots of unity of order 2^32; more than 2^28 rows no file of ours has. */
const MAX_POWER = 28;
/** Points that are read and checked at a time. */
const CHUNK = 1 << 13;

/** The file's lists of powers, by the name of what they are times tau^k. */
export type PowersName = "tau" | "tauG2" | "alpha" | "beta";

/** Section of the powers, and of the Lagrange polynomials. */
const lists = {
  tau: { section: 2, prepared: 12, point: G1_BYTES },
  tauG2: { section: 3, prepared: 13, point: G2_BYTES },
  alpha: { section: 4, prepared: 14, point: G1_BYTES },
  beta: { section: 5, prepared: 15, point: G1_BYTES },
} as const;
const names = Object.keys(lists) as PowersName[];
const BETA_G2 = 6;
const CONTRIBUTIONS = 7;
const SECTIONS: ReadonlySet<number> = new Set(
  [
    1,
    BETA_G2,
    CONTRIBUTIONS,
    ...Object.values(lists).flatMap(({ section, prepared }) => [section, prepared]),
  ],
);
/** Thousands of them: each takes some 2 KB. They are not read; the file's hash covers them. */
const LARGEST_CONTRIBUTIONS = 16 * 2 ** 20;

/** An open file of powers of tau. */
export interface Powers {
  /** 2^power rows fit. */
  readonly power: number;
  /** Whether it holds Lagrange polynomials. */
  readonly prepared: boolean;
  readonly betaG2: Uint8Array;
  /** Points `first` to `first + count` of a list. */
  list(name: PowersName, first: number, count: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The Lagrange polynomials of the domain of order 2^power at tau, times what the list is of. */
  lagrange(name: PowersName, power: number): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Opens a `.ptau` file, and looks at its form only.
 *
 * @throws {Problem} `invalid_ceremony` for another file, another curve, missing sections or bytes
 */
export async function openPowers(source: Source): Promise<Powers> {
  const what = "powers of tau";
  const sections = await readSections(source, "ptau", what);
  assertKnown(sections, what);
  const header = sections.get(1);
  if (header === undefined) throw refused(what, "have no header");
  const bytes = await source.read(header.offset, header.length);
  const view = new DataView(bytes.buffer);
  const curve = bytes.length === 4 + COORDINATE_BYTES + 8 && view.getUint32(0, true) === COORDINATE_BYTES &&
    bytesToHex(bytes.subarray(4, 4 + COORDINATE_BYTES)) === BASE_FIELD;
  if (!curve) throw refused(what, "are not of BLS12-381");
  const power = view.getUint32(4 + COORDINATE_BYTES, true);
  if (power < 1 || power > MAX_POWER) throw refused(what, `have an impossible size: 2^${power}`);

  const sized = (id: number, length: number): Section => {
    const section = sections.get(id);
    if (section === undefined) throw refused(what, `lack section ${id}`);
    if (section.length !== length) {
      throw refused(what, `have a section ${id} of another length than 2^${power} needs`);
    }
    return section;
  };
  const counts = (name: PowersName) => name === "tau" ? 2 ** (power + 1) - 1 : 2 ** power;
  const found = Object.fromEntries(
    names.map((name) => [name, sized(lists[name].section, counts(name) * lists[name].point)]),
  ) as Record<PowersName, Section>;
  const betaG2 = sized(BETA_G2, G2_BYTES);
  const prepared = names.some((name) => sections.has(lists[name].prepared));
  if (prepared) {
    for (const name of names) sized(lists[name].prepared, levels(name, power) * lists[name].point);
  }

  const read = async ({ offset, length }: Section, first: number, count: number, point: number) => {
    const bytes = await source.read(offset + first * point, count * point);
    if ((first + count) * point > length || bytes.length !== count * point) {
      throw refused(what, "are cut short");
    }
    return bytes;
  };
  return {
    power,
    prepared,
    betaG2: await source.read(betaG2.offset, betaG2.length),
    list: (name, first, count) => read(found[name], first, count, lists[name].point),
    lagrange(name, power) {
      const section = sections.get(lists[name].prepared);
      if (section === undefined) throw refused(what, "are not prepared for phase 2");
      return read(section, 2 ** power - 1, 2 ** power, lists[name].point);
    },
  };
}

/** What no such file has is refused before anybody reads and hashes it. */
function assertKnown(sections: ReadonlyMap<number, Section>, what: string): void {
  for (const [id, { length }] of sections) {
    if (!SECTIONS.has(id)) throw refused(what, `have a section ${id}, which no such file has`);
    if (id === CONTRIBUTIONS && length > LARGEST_CONTRIBUTIONS) {
      throw refused(what, `have ${length} bytes of contributions, more than ${LARGEST_CONTRIBUTIONS}`);
    }
  }
}

/** Points of all domains up to the largest; of tau also of twice that. */
function levels(name: PowersName, power: number): number {
  return 2 ** (power + (name === "tau" ? 2 : 1)) - 1;
}

/**
 * Checks all of it: that every point is canonical, on the curve and of order r; that each list is a geometric progression
 * in one and the same tau, neither 0 nor 1; that beta is the same in both groups; and that the Lagrange polynomials are
 * those of these powers.
 *
 * Progressions: with random s_i, sum s_i P_(i+1) is to sum s_i P_i as tau is to 1.
 *
 * @param onProgress told how much is done, 0 to 1
 * @throws {Problem} `invalid_ceremony` naming what is wrong
 */
export async function checkPowers(
  powers: Powers,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const what = "powers of tau";
  const { power } = powers;
  const total = names.reduce(
    (sum, name) => sum + size(name, power) + (powers.prepared ? levels(name, power) : 0),
    0,
  );
  let done = 0;
  const advance = (points: number) => onProgress(Math.min(1, (done += points) / total));

  const [g1, g2, tau, tauG2] = await Promise.all([
    powers.list("tau", 0, 1),
    powers.list("tauG2", 0, 1),
    powers.list("tau", 1, 1),
    powers.list("tauG2", 1, 1),
  ]);
  const generators = await generatorsOf(arithmetic);
  if (!sameBytes(g1, generators.g1) || !sameBytes(g2, generators.g2)) {
    throw refused(what, "do not begin with the generators");
  }
  if (sameBytes(tau, g1)) throw refused(what, "are all the same: tau is 1");
  await sound(arithmetic, "G2", powers.betaG2, what);

  for (const name of names) {
    const inG2 = name === "tauG2";
    const group = inG2 ? "G2" : "G1";
    const [sums, shifted] = [new Sum(arithmetic, group), new Sum(arithmetic, group)];
    const last = size(name, power) - 1;
    await chunks(last, arithmetic, async (first, count) => {
      const points = await powers.list(name, first, count + 1);
      await sound(arithmetic, group, points, what);
      const scalars = await arithmetic.run("randomScalars", freshSeed(), count);
      const point = lists[name].point;
      await Promise.all([
        sums.add(points.subarray(0, count * point), scalars),
        shifted.add(points.subarray(point), scalars),
      ]);
      advance(count);
    });
    const [sum, next] = [await sums.total(), await shifted.total()];
    const ratio = inG2
      ? await arithmetic.run("sameRatio", g1, tau, sum, next)
      : await arithmetic.run("sameRatio", sum, next, g2, tauG2);
    if (!ratio) throw refused(what, `are no powers of one tau: section ${lists[name].section} is not`);
  }
  const beta = await powers.list("beta", 0, 1);
  if (!await arithmetic.run("sameRatio", g1, beta, g2, powers.betaG2)) {
    throw refused(what, "have another beta in G2 than in G1");
  }
  if (!powers.prepared) return;
  for (const name of names) {
    for (let level = 0; level <= power + (name === "tau" ? 1 : 0); level++) {
      await checkLagrange(powers, name, level, arithmetic);
      advance(2 ** level);
    }
  }
}

async function checkLagrange(
  powers: Powers,
  name: PowersName,
  level: number,
  arithmetic: Arithmetic,
): Promise<void> {
  const group = name === "tauG2" ? "G2" : "G1";
  const polynomials = await powers.lagrange(name, level);
  const what = `powers of tau: section ${lists[name].prepared}`;
  await sound(arithmetic, group, polynomials, what);
  const scalars = await arithmetic.run("randomScalars", freshSeed(), 2 ** level);
  const coefficients = await arithmetic.run("lagrangeCombination", scalars);
  // Of twice the largest domain the highest power is not in the file, and taken as nothing there.
  const points = await powers.list(name, 0, Math.min(2 ** level, size(name, powers.power)));
  const task = group === "G2" ? "sumG2" : "sumG1";
  const [ours, theirs] = await Promise.all([
    arithmetic.run(task, points, coefficients),
    arithmetic.run(task, polynomials, scalars),
  ]);
  if (!sameBytes(ours, theirs)) throw refused(what, "does not hold the Lagrange polynomials of the powers");
}

function size(name: PowersName, power: number): number {
  return name === "tau" ? 2 ** (power + 1) - 1 : 2 ** power;
}

/** Works through `count` points in pieces of `size`, as many at a time as there are threads. */
export async function chunks(
  count: number,
  { threads }: Arithmetic,
  work: (first: number, count: number) => Promise<void>,
  size = CHUNK,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const first = next;
      next += size;
      await work(first, Math.min(size, count - first));
    }
  };
  await Promise.all(Array.from({ length: threads }, lane));
}

/** A sum of scalar multiples that is added to piece by piece. */
class Sum {
  readonly #arithmetic: Arithmetic;
  readonly #task: "sumG1" | "sumG2";
  readonly #parts: Uint8Array[] = [];

  constructor(arithmetic: Arithmetic, group: "G1" | "G2") {
    this.#arithmetic = arithmetic;
    this.#task = group === "G1" ? "sumG1" : "sumG2";
  }

  async add(points: Uint8Array, scalars: Uint8Array): Promise<void> {
    this.#parts.push(await this.#arithmetic.run(this.#task, points, scalars));
  }

  total(): Promise<Uint8Array> {
    return added(this.#parts, this.#task, this.#arithmetic);
  }
}

/** The sum of a few points. */
export async function added(
  points: readonly Uint8Array[],
  task: "sumG1" | "sumG2",
  arithmetic: Arithmetic,
): Promise<Uint8Array> {
  const ones = new Uint8Array(points.length * SCALAR_BYTES);
  for (let i = 0; i < ones.length; i += SCALAR_BYTES) ones[i] = 1;
  return await arithmetic.run(task, joined(...points), ones);
}

/**
 * @param infinity whether points at infinity are among what may be there
 * @throws {Problem} `invalid_ceremony` with the number of the first point that is unsound
 */
export async function sound(
  arithmetic: Arithmetic,
  group: "G1" | "G2",
  points: Uint8Array,
  what: string,
  infinity = false,
): Promise<void> {
  const at = await arithmetic.run(group === "G1" ? "firstUnsoundG1" : "firstUnsoundG2", points, infinity);
  if (at !== -1) throw refused(what, `holds a point that is none of the group: number ${at}`);
}

/** Randomness that nobody could foresee, for a combination. */
export function freshSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** The generators of both groups. */
export async function generatorsOf(arithmetic: Arithmetic): Promise<{ g1: Uint8Array; g2: Uint8Array }> {
  const [g1, g2] = await Promise.all([arithmetic.run("generatorG1"), arithmetic.run("generatorG2")]);
  return { g1, g2 };
}
