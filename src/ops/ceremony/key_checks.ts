/**
 * Whether keys are what a ceremony says they are: the initial one that of the circuit and the powers of tau, the current
 * one the initial one with delta changed as the contributions say. By random combinations; see ceremony-wasm/src/lib.rs.
 */
import type { Arithmetic } from "./arithmetic.ts";
import type { History } from "./contribution.ts";
import { circuitHash, levelFor } from "./initial.ts";
import {
  added,
  freshSeed,
  G1_BYTES,
  G2_BYTES,
  generatorsOf,
  type Powers,
  type PowersName,
  SCALAR_BYTES,
  sound,
} from "./powers.ts";
import { joined, refused, sameBytes } from "./sections.ts";
import type { KeyContribution, KeySection, Zkey } from "./zkey.ts";

const groupOf = (section: KeySection) => section === "B2" ? "G2" : "G1";

/**
 * Compares an initial key with a constraint system and powers of tau, which have been checked themselves.
 *
 * @throws {Problem} `invalid_ceremony` naming the section that differs
 */
export async function checkInitialKey(
  key: Zkey,
  r1cs: Uint8Array,
  powers: Powers,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const what = "initial key";
  const circuit = await arithmetic.run("circuit", r1cs);
  const sizes = [
    key.variables === circuit.variables,
    key.public === circuit.public,
    key.domain === circuit.domain,
  ];
  if (sizes.includes(false) || !sameBytes(key.sections.coefficients, circuit.coefficients)) {
    throw refused(what, "is of another circuit");
  }
  levelFor(key.domain, powers);
  const { g1, g2 } = await generatorsOf(arithmetic);
  const [alpha, beta] = await Promise.all([powers.list("alpha", 0, 1), powers.list("beta", 0, 1)]);
  const header = sameBytes(
    joined(key.alpha1, key.beta1, key.beta2, key.gamma2, key.delta1, key.delta2),
    joined(alpha, beta, powers.betaG2, g2, g1, g2),
  );
  if (!header) throw refused(what, "has another alpha, beta, gamma or delta than it must begin with");
  if (key.contributions.length > 0) throw refused(what, "has contributions already");

  const plan: Record<Exclude<KeySection, "coefficients">, readonly PowersName[]> = {
    IC: ["beta", "alpha", "tau"],
    L: ["beta", "alpha", "tau"],
    A: ["tau"],
    B1: ["tau"],
    B2: ["tauG2"],
    H: ["tau"],
  };
  let done = 0;
  for (const section of Object.keys(plan) as (keyof typeof plan)[]) {
    const group = groupOf(section);
    const points = key.sections[section];
    await soundInParts(points, group, `${what}, section ${section}`, arithmetic);
    const count = points.length / (group === "G2" ? G2_BYTES : G1_BYTES);
    const scalars = await arithmetic.run("randomScalars", freshSeed(), count);
    const coefficients = section === "H"
      ? await arithmetic.run("hCombination", scalars)
      : await arithmetic.run("combination", r1cs, section, scalars);
    const sum = group === "G2" ? "sumG2" : "sumG1";
    const rows = section === "H" ? 2 * key.domain : key.domain;
    const [ours, ...parts] = await Promise.all([
      arithmetic.run(sum, points, scalars),
      ...plan[section].map(async (list, i) => {
        const used = coefficients.subarray(i * rows * SCALAR_BYTES, (i + 1) * rows * SCALAR_BYTES);
        const known = Math.min(rows, list === "tau" ? 2 ** (powers.power + 1) - 1 : rows);
        return await arithmetic.run(sum, await powers.list(list, 0, known), used);
      }),
    ]);
    if (!sameBytes(ours, await added(parts, sum, arithmetic))) {
      throw refused(what, `has a section ${section} that does not follow from the circuit and the powers`);
    }
    onProgress(++done / Object.keys(plan).length);
  }
  if (!sameBytes(key.circuitHash, await circuitHash(key, powers, arithmetic))) {
    throw refused(what, "has another circuit hash than its points");
  }
}

/**
 * Compares a key with the initial one and a verified history.
 *
 * @throws {Problem} `invalid_ceremony` naming what differs
 */
export async function checkKey(
  key: Zkey,
  initial: Zkey,
  history: History,
  arithmetic: Arithmetic,
): Promise<void> {
  const what = "key";
  const sizes = ["variables", "public", "domain"] as const;
  if (sizes.some((size) => key[size] !== initial[size])) throw refused(what, "is of another circuit");
  const fixed = ["alpha1", "beta1", "beta2", "gamma2", "circuitHash"] as const;
  for (const name of fixed) {
    if (!sameBytes(key[name], initial[name])) throw refused(what, `has another ${name} than the initial one`);
  }
  for (const section of ["IC", "coefficients", "A", "B1", "B2"] as const) {
    if (!sameBytes(key.sections[section], initial.sections[section])) {
      throw refused(what, `has another section ${section} than the initial one`);
    }
  }
  if (!sameHistory(key.contributions, history.contributions)) {
    throw refused(what, "has other contributions than the transcript");
  }
  const { g1, g2 } = await generatorsOf(arithmetic);
  const last = history.contributions.at(-1)?.delta ?? g1;
  await sound(arithmetic, "G2", key.delta2, what);
  if (!sameBytes(key.delta1, last) || !await arithmetic.run("sameRatio", g1, key.delta1, g2, key.delta2)) {
    throw refused(what, "has another delta than its contributions give");
  }
  for (const section of ["L", "H"] as const) {
    const [now, then] = [key.sections[section], initial.sections[section]];
    await soundInParts(now, "G1", `${what}, section ${section}`, arithmetic);
    const scalars = await arithmetic.run("randomScalars", freshSeed(), now.length / G1_BYTES);
    const [sumNow, sumThen] = await Promise.all([
      arithmetic.run("sumG1", now, scalars),
      arithmetic.run("sumG1", then, scalars),
    ]);
    if (now.length > 0 && !await arithmetic.run("sameRatio", sumNow, sumThen, g2, key.delta2)) {
      throw refused(what, `has a section ${section} that is not the initial one over delta`);
    }
  }
}

/**
 * A delta that is 1, or the same as gamma, lets anybody prove anything.
 *
 * @throws {Problem} `invalid_ceremony`
 */
export async function checkDelta(key: Zkey, arithmetic: Arithmetic): Promise<void> {
  const { g1, g2 } = await generatorsOf(arithmetic);
  if (!sameBytes(key.gamma2, g2)) throw refused("key", "has a gamma that is not 1");
  if (sameBytes(key.delta1, g1) || sameBytes(key.delta2, key.gamma2)) {
    throw refused("key", "has the same delta as gamma: nobody has contributed");
  }
}

function sameHistory(x: readonly KeyContribution[], y: readonly KeyContribution[]): boolean {
  const bytes = ({ delta, s, sx, answer, challenge, beacon }: KeyContribution) =>
    joined(delta, s, sx, answer, challenge, beacon?.value ?? new Uint8Array());
  return x.length === y.length && x.every((one, i) => {
    const other = y[i];
    return one.name === other.name && one.beacon?.exponent === other.beacon?.exponent &&
      sameBytes(bytes(one), bytes(other));
  });
}

async function soundInParts(
  points: Uint8Array,
  group: "G1" | "G2",
  what: string,
  arithmetic: Arithmetic,
): Promise<void> {
  const size = group === "G2" ? G2_BYTES : G1_BYTES;
  const half = Math.ceil(points.length / size / arithmetic.threads) * size;
  const parts = Array.from(
    { length: arithmetic.threads },
    (_, i) => points.subarray(i * half, (i + 1) * half),
  );
  await Promise.all(parts.map((part) => sound(arithmetic, group, part, what, true)));
}
