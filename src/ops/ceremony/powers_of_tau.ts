// Powers of tau in snarkjs' `.ptau` format: tau^k in both groups, alpha tau^k and beta tau^k in G1, and the
// Lagrange polynomials at tau. The file is not trusted: every point and relation is checked.
import type { ArithmeticPool } from "./arithmetic/pool.ts";
import {
  assertPointsInGroup,
  BASE_FIELD_BYTES,
  COORDINATE_BYTES,
  forEachChunk,
  G1_BYTES,
  G2_BYTES,
  type Generators,
  loadGenerators,
  randomSeed,
  RunningSum,
} from "./arithmetic/points.ts";
import { type ByteSource, ceremonyProblem, equalBytes, readSections, type Section } from "./section_file.ts";

const SUBJECT = "powers of tau";
/** Supported circuits have fewer rows. The scalar field has roots of unity of order 2^32. */
const MAX_POWER = 28;

/** Each list contains the powers tau^k times the value that names it. */
export type PowersListName = "tau" | "tauG2" | "alpha" | "beta";

/** Section of the powers, section of the Lagrange polynomials, and bytes of a point. */
const powersLists = {
  tau: { section: 2, prepared: 12, point: G1_BYTES },
  tauG2: { section: 3, prepared: 13, point: G2_BYTES },
  alpha: { section: 4, prepared: 14, point: G1_BYTES },
  beta: { section: 5, prepared: 15, point: G1_BYTES },
} as const;
const listNames = Object.keys(powersLists) as PowersListName[];
const HEADER_SECTION = 1;
const BETA_G2_SECTION = 6;
const CONTRIBUTIONS_SECTION = 7;
const KNOWN_SECTIONS: ReadonlySet<number> = new Set(
  [
    HEADER_SECTION,
    BETA_G2_SECTION,
    CONTRIBUTIONS_SECTION,
    ...Object.values(powersLists).flatMap(({ section, prepared }) => [section, prepared]),
  ],
);
/** Thousands of contributions of about 2 KB. They are not read; the file's hash covers them. */
const MAX_CONTRIBUTIONS_BYTES = 16 * 2 ** 20;

export interface PowersOfTau {
  readonly power: number; // base-2 logarithm of the largest domain
  readonly prepared: boolean;
  readonly betaG2: Uint8Array;
  list(name: PowersListName, first: number, count: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Reads the Lagrange polynomials of the domain of order 2^power at tau, times the list's value. */
  lagrange(name: PowersListName, power: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Opens a `.ptau` file and checks its structure only. Throws `invalid_ceremony`. */
export async function openPowersOfTau(source: ByteSource): Promise<PowersOfTau> {
  const sections = await readSections(source, "ptau", SUBJECT);
  assertKnownSections(sections);
  const power = await readPower(source, sections.get(HEADER_SECTION));
  const sized = (id: number, length: number): Section => {
    const section = sections.get(id);
    if (section === undefined) throw ceremonyProblem(SUBJECT, `lack section ${id}`);
    if (section.length !== length) {
      throw ceremonyProblem(SUBJECT, `have a section ${id} of another length than 2^${power} needs`);
    }
    return section;
  };
  const lists = Object.fromEntries(
    listNames.map((name) => {
      const { section, point } = powersLists[name];
      return [name, sized(section, listPointCount(name, power) * point)];
    }),
  ) as Record<PowersListName, Section>;
  const betaG2 = sized(BETA_G2_SECTION, G2_BYTES);
  const prepared = listNames.some((name) => sections.has(powersLists[name].prepared));
  if (prepared) {
    for (const name of listNames) {
      sized(powersLists[name].prepared, lagrangePointCount(name, power) * powersLists[name].point);
    }
  }

  const read = async ({ offset, length }: Section, first: number, count: number, point: number) => {
    const bytes = await source.read(offset + first * point, count * point);
    if ((first + count) * point > length || bytes.length !== count * point) {
      throw ceremonyProblem(SUBJECT, "are truncated");
    }
    return bytes;
  };
  return {
    power,
    prepared,
    betaG2: await source.read(betaG2.offset, betaG2.length),
    list: (name, first, count) => read(lists[name], first, count, powersLists[name].point),
    lagrange(name, power) {
      const section = sections.get(powersLists[name].prepared);
      if (section === undefined) throw ceremonyProblem(SUBJECT, "are not prepared for phase 2");
      return read(section, 2 ** power - 1, 2 ** power, powersLists[name].point);
    },
  };
}

async function readPower(source: ByteSource, header: Section | undefined): Promise<number> {
  if (header === undefined) throw ceremonyProblem(SUBJECT, "have no header");
  const bytes = await source.read(header.offset, header.length);
  const view = new DataView(bytes.buffer);
  const isBls12381 = bytes.length === 4 + COORDINATE_BYTES + 8 &&
    view.getUint32(0, true) === COORDINATE_BYTES &&
    equalBytes(bytes.subarray(4, 4 + COORDINATE_BYTES), BASE_FIELD_BYTES);
  if (!isBls12381) throw ceremonyProblem(SUBJECT, "are not of BLS12-381");
  const power = view.getUint32(4 + COORDINATE_BYTES, true);
  if (power < 1 || power > MAX_POWER) throw ceremonyProblem(SUBJECT, `have an impossible size: 2^${power}`);
  return power;
}

/** Rejects unknown sections before they are read and hashed. */
function assertKnownSections(sections: ReadonlyMap<number, Section>): void {
  for (const [id, { length }] of sections) {
    if (!KNOWN_SECTIONS.has(id)) {
      throw ceremonyProblem(SUBJECT, `have a section ${id}, which no such file has`);
    }
    if (id === CONTRIBUTIONS_SECTION && length > MAX_CONTRIBUTIONS_BYTES) {
      throw ceremonyProblem(
        SUBJECT,
        `have ${length} bytes of contributions, more than ${MAX_CONTRIBUTIONS_BYTES}`,
      );
    }
  }
}

/** `tau` goes up to the degree of a product of two polynomials. */
function listPointCount(name: PowersListName, power: number): number {
  return name === "tau" ? 2 ** (power + 1) - 1 : 2 ** power;
}

/** The powers for all domains; `tau` also covers twice the largest. */
function lagrangePointCount(name: PowersListName, power: number): number {
  return 2 ** (power + (name === "tau" ? 2 : 1)) - 1;
}

/** Checks every point, and that all lists have the same tau, neither 0 nor 1. Throws `invalid_ceremony`. */
export async function checkPowersOfTau(
  powers: PowersOfTau,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const { power, prepared } = powers;
  const total = listNames.reduce(
    (sum, name) => sum + listPointCount(name, power) - 1 + (prepared ? lagrangePointCount(name, power) : 0),
    0,
  );
  let done = 0;
  const advance = (points: number) => onProgress((done += points) / total);

  const generators = await loadGenerators(arithmetic);
  const tau = await checkFirstPowers(powers, generators, arithmetic);
  for (const name of listNames) await checkProgression(powers, name, generators, tau, arithmetic, advance);
  const beta = await powers.list("beta", 0, 1);
  if (!await arithmetic.run("sameRatio", generators.g1, beta, generators.g2, powers.betaG2)) {
    throw ceremonyProblem(SUBJECT, "have another beta in G2 than in G1");
  }
  if (!prepared) return;
  for (const name of listNames) {
    for (let level = 0; level <= power + (name === "tau" ? 1 : 0); level++) {
      await checkLagrange(powers, name, level, arithmetic);
      advance(2 ** level);
    }
  }
}

async function checkFirstPowers(
  powers: PowersOfTau,
  generators: Generators,
  arithmetic: ArithmeticPool,
): Promise<Generators> {
  const [one, oneG2, tau, tauG2] = await Promise.all([
    powers.list("tau", 0, 1),
    powers.list("tauG2", 0, 1),
    powers.list("tau", 1, 1),
    powers.list("tauG2", 1, 1),
  ]);
  if (!equalBytes(one, generators.g1) || !equalBytes(oneG2, generators.g2)) {
    throw ceremonyProblem(SUBJECT, "do not begin with the generators");
  }
  if (equalBytes(tau, one)) throw ceremonyProblem(SUBJECT, "are all the same: tau is 1");
  await assertPointsInGroup(arithmetic, "G2", powers.betaG2, SUBJECT);
  return { g1: tau, g2: tauG2 };
}

/** For random s_i, the sum of s_i P_(i+1) must be tau times the sum of s_i P_i. */
async function checkProgression(
  powers: PowersOfTau,
  name: PowersListName,
  generators: Generators,
  tau: Generators,
  arithmetic: ArithmeticPool,
  advance: (points: number) => void,
): Promise<void> {
  const { section, point } = powersLists[name];
  const group = name === "tauG2" ? "G2" : "G1";
  const [sums, shiftedSums] = [new RunningSum(arithmetic, group), new RunningSum(arithmetic, group)];
  const pairs = listPointCount(name, powers.power) - 1;
  await forEachChunk(pairs, arithmetic, async (first, count) => {
    const points = await powers.list(name, first, count + 1);
    await assertPointsInGroup(arithmetic, group, points, SUBJECT);
    const scalars = await arithmetic.run("randomScalars", randomSeed(), count);
    await Promise.all([
      sums.add(points.subarray(0, count * point), scalars),
      shiftedSums.add(points.subarray(point), scalars),
    ]);
    advance(count);
  });
  const [sum, shifted] = [await sums.total(), await shiftedSums.total()];
  const isProgression = group === "G2"
    ? await arithmetic.run("sameRatio", generators.g1, tau.g1, sum, shifted)
    : await arithmetic.run("sameRatio", sum, shifted, generators.g2, tau.g2);
  if (!isProgression) throw ceremonyProblem(SUBJECT, `are not powers of one tau in section ${section}`);
}

async function checkLagrange(
  powers: PowersOfTau,
  name: PowersListName,
  level: number,
  arithmetic: ArithmeticPool,
): Promise<void> {
  const group = name === "tauG2" ? "G2" : "G1";
  const polynomials = await powers.lagrange(name, level);
  const what = `${SUBJECT}: section ${powersLists[name].prepared}`;
  await assertPointsInGroup(arithmetic, group, polynomials, what);
  const scalars = await arithmetic.run("randomScalars", randomSeed(), 2 ** level);
  const coefficients = await arithmetic.run("lagrangeCombination", scalars);
  // The highest power of twice the largest domain is not in the file and counts as zero.
  const points = await powers.list(name, 0, Math.min(2 ** level, listPointCount(name, powers.power)));
  const task = group === "G2" ? "sumG2" : "sumG1";
  const [expected, actual] = await Promise.all([
    arithmetic.run(task, points, coefficients),
    arithmetic.run(task, polynomials, scalars),
  ]);
  if (!equalBytes(expected, actual)) {
    throw ceremonyProblem(what, "does not contain the Lagrange polynomials of the powers");
  }
}
