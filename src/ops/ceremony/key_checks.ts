/** Verifies keys with random linear combinations (ceremony-wasm/src/lib.rs). */
import { concatBytes } from "@noble/hashes/utils.js";
import type { ArithmeticPool } from "./arithmetic/pool.ts";
import type { ContributionHistory } from "./contribution.ts";
import { computeCircuitHash, domainLevel } from "./initial_key.ts";
import {
  assertPointsInGroup,
  G1_BYTES,
  G2_BYTES,
  loadGenerators,
  randomSeed,
  SCALAR_BYTES,
  sumPoints,
} from "./arithmetic/points.ts";
import { type PowersListName, type PowersOfTau } from "./powers_of_tau.ts";
import { ceremonyProblem, equalBytes } from "./section_file.ts";
import type { KeyContribution, KeySection, Zkey } from "./zkey.ts";

const INITIAL_KEY = "initial key";

/** Throws `invalid_ceremony` with the first difference from the circuit and the verified powers. */
export async function checkInitialKey(
  key: Zkey,
  r1cs: Uint8Array,
  powers: PowersOfTau,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const circuit = await arithmetic.run("circuit", r1cs);
  const sameSizes = (["variables", "public", "domain"] as const).every((size) => key[size] === circuit[size]);
  if (!sameSizes || !equalBytes(key.sections.coefficients, circuit.coefficients)) {
    throw ceremonyProblem(INITIAL_KEY, "belongs to another circuit");
  }
  domainLevel(key.domain, powers); // rejects too few powers
  const { g1, g2 } = await loadGenerators(arithmetic);
  const [alpha, beta] = await Promise.all([powers.list("alpha", 0, 1), powers.list("beta", 0, 1)]);
  const sameHeader = equalBytes(
    concatBytes(key.alpha1, key.beta1, key.beta2, key.gamma2, key.delta1, key.delta2),
    concatBytes(alpha, beta, powers.betaG2, g2, g1, g2),
  );
  if (!sameHeader) {
    throw ceremonyProblem(INITIAL_KEY, "does not begin with the required alpha, beta, gamma and delta");
  }
  if (key.contributions.length > 0) throw ceremonyProblem(INITIAL_KEY, "has contributions already");

  for (const [done, section] of sectionNames.entries()) {
    await checkInitialSection(key, section, r1cs, powers, arithmetic);
    onProgress((done + 1) / sectionNames.length);
  }
  if (!equalBytes(key.circuitHash, await computeCircuitHash(key, powers, arithmetic))) {
    throw ceremonyProblem(INITIAL_KEY, "has another circuit hash than its points");
  }
}

const sectionPowers: Record<Exclude<KeySection, "coefficients">, readonly PowersListName[]> = {
  IC: ["beta", "alpha", "tau"],
  L: ["beta", "alpha", "tau"],
  A: ["tau"],
  B1: ["tau"],
  B2: ["tauG2"],
  H: ["tau"],
};
const sectionNames = Object.keys(sectionPowers) as (keyof typeof sectionPowers)[];

async function checkInitialSection(
  key: Zkey,
  section: keyof typeof sectionPowers,
  r1cs: Uint8Array,
  powers: PowersOfTau,
  arithmetic: ArithmeticPool,
): Promise<void> {
  const group = section === "B2" ? "G2" : "G1";
  const points = key.sections[section];
  await assertPointsInGroupParallel(points, group, `${INITIAL_KEY}, section ${section}`, arithmetic);
  const count = points.length / (group === "G2" ? G2_BYTES : G1_BYTES);
  const scalars = await arithmetic.run("randomScalars", randomSeed(), count);
  const coefficients = section === "H"
    ? await arithmetic.run("hCombination", scalars)
    : await arithmetic.run("combination", r1cs, section, scalars);
  const sum = group === "G2" ? "sumG2" : "sumG1";
  const rows = section === "H" ? 2 * key.domain : key.domain;
  const [actual, ...parts] = await Promise.all([
    arithmetic.run(sum, points, scalars),
    ...sectionPowers[section].map(async (list, i) => {
      const factors = coefficients.subarray(i * rows * SCALAR_BYTES, (i + 1) * rows * SCALAR_BYTES);
      const available = Math.min(rows, list === "tau" ? 2 ** (powers.power + 1) - 1 : rows);
      return await arithmetic.run(sum, await powers.list(list, 0, available), factors);
    }),
  ]);
  if (!equalBytes(actual, await sumPoints(parts, sum, arithmetic))) {
    throw ceremonyProblem(
      INITIAL_KEY,
      `has a section ${section} that does not follow from the circuit and the powers`,
    );
  }
}

/** Throws `invalid_ceremony` with the first difference from the initial key and the verified history. */
export async function checkKey(
  key: Zkey,
  initial: Zkey,
  history: ContributionHistory,
  arithmetic: ArithmeticPool,
): Promise<void> {
  const what = "key";
  const sizes = ["variables", "public", "domain"] as const;
  if (sizes.some((size) => key[size] !== initial[size])) {
    throw ceremonyProblem(what, "belongs to another circuit");
  }
  const fixed = ["alpha1", "beta1", "beta2", "gamma2", "circuitHash"] as const;
  for (const name of fixed) {
    if (!equalBytes(key[name], initial[name])) {
      throw ceremonyProblem(what, `has another ${name} than the initial one`);
    }
  }
  for (const section of ["IC", "coefficients", "A", "B1", "B2"] as const) {
    if (!equalBytes(key.sections[section], initial.sections[section])) {
      throw ceremonyProblem(what, `has another section ${section} than the initial one`);
    }
  }
  for (
    const [name, points] of Object.entries({ alpha1: key.alpha1, beta1: key.beta1, IC: key.sections.IC })
  ) {
    await assertPointsInGroup(arithmetic, "G1", points, `${what}, ${name}`);
  }
  for (const name of ["beta2", "gamma2"] as const) {
    await assertPointsInGroup(arithmetic, "G2", key[name], `${what}, ${name}`);
  }
  if (!sameHistory(key.contributions, history.contributions)) {
    throw ceremonyProblem(what, "has other contributions than the transcript");
  }
  const { g1, g2 } = await loadGenerators(arithmetic);
  const last = history.contributions.at(-1)?.delta ?? g1;
  await assertPointsInGroup(arithmetic, "G2", key.delta2, what);
  if (!equalBytes(key.delta1, last) || !await arithmetic.run("sameRatio", g1, key.delta1, g2, key.delta2)) {
    throw ceremonyProblem(what, "has another delta than its contributions give");
  }
  for (const section of ["L", "H"] as const) {
    const [now, then] = [key.sections[section], initial.sections[section]];
    await assertPointsInGroupParallel(now, "G1", `${what}, section ${section}`, arithmetic);
    const scalars = await arithmetic.run("randomScalars", randomSeed(), now.length / G1_BYTES);
    const [sumNow, sumThen] = await Promise.all([
      arithmetic.run("sumG1", now, scalars),
      arithmetic.run("sumG1", then, scalars),
    ]);
    if (now.length > 0 && !await arithmetic.run("sameRatio", sumNow, sumThen, g2, key.delta2)) {
      throw ceremonyProblem(what, `has a section ${section} that is not the initial one over delta`);
    }
  }
}

/** Throws `invalid_ceremony` if delta is 1 or gamma, because then anyone can prove anything. */
export async function checkDelta(key: Zkey, arithmetic: ArithmeticPool): Promise<void> {
  const { g1, g2 } = await loadGenerators(arithmetic);
  if (!equalBytes(key.gamma2, g2)) throw ceremonyProblem("key", "has a gamma that is not 1");
  if (equalBytes(key.delta1, g1) || equalBytes(key.delta2, key.gamma2)) {
    throw ceremonyProblem("key", "has the same delta as gamma: no one has contributed");
  }
}

function sameHistory(x: readonly KeyContribution[], y: readonly KeyContribution[]): boolean {
  const bytes = ({ delta, s, sx, answer, challenge, beacon }: KeyContribution) =>
    concatBytes(delta, s, sx, answer, challenge, beacon?.value ?? new Uint8Array());
  return x.length === y.length && x.every((contribution, i) => {
    const other = y[i];
    return contribution.name === other.name && contribution.beacon?.exponent === other.beacon?.exponent &&
      equalBytes(bytes(contribution), bytes(other));
  });
}

async function assertPointsInGroupParallel(
  points: Uint8Array,
  group: "G1" | "G2",
  what: string,
  arithmetic: ArithmeticPool,
): Promise<void> {
  const size = group === "G2" ? G2_BYTES : G1_BYTES;
  const partBytes = Math.ceil(points.length / size / arithmetic.threads) * size;
  const parts = Array.from(
    { length: arithmetic.threads },
    (_, i) => points.subarray(i * partBytes, (i + 1) * partBytes),
  );
  await Promise.all(parts.map((part) => assertPointsInGroup(arithmetic, group, part, what, true)));
}
