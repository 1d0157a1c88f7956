/** The initial key: Groth16's setup with gamma = delta = 1. It is deterministic, so it can be reproduced. */
import { concatBytes } from "@noble/hashes/utils.js";
import { blake2b } from "@noble/hashes/blake2.js";
import type { ArithmeticPool } from "./arithmetic/pool.ts";
import { forEachChunk, G1_BYTES, loadGenerators } from "./arithmetic/points.ts";
import { type PowersOfTau } from "./powers_of_tau.ts";
import { ceremonyProblem } from "./section_file.ts";
import type { KeySection, Zkey } from "./zkey.ts";

const POINTS_PER_TASK = 1 << 10;

/** Throws `invalid_ceremony` if `r1cs` is not over BLS12-381, or the powers are too few or not prepared. */
export async function makeInitialKey(
  r1cs: Uint8Array,
  powers: PowersOfTau,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void = () => {},
): Promise<Zkey> {
  const circuit = await arithmetic.run("circuit", r1cs);
  const level = domainLevel(circuit.domain, powers);
  const [tau, tauG2, alpha, beta] = await Promise.all(
    (["tau", "tauG2", "alpha", "beta"] as const).map((name) => powers.lagrange(name, level)),
  );
  const mixed = concatBytes(beta, alpha, tau);
  const sizes = {
    IC: circuit.public + 1,
    A: circuit.variables,
    B1: circuit.variables,
    B2: circuit.variables,
    L: circuit.variables - circuit.public - 1,
  };
  const bases = { IC: mixed, A: tau, B1: tau, B2: tauG2, L: mixed };
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let done = 0;
  const sections: Partial<Record<KeySection, Uint8Array>> = { coefficients: circuit.coefficients };
  for (const name of ["IC", "A", "B1", "B2", "L"] as const) {
    const parts: Uint8Array[] = [];
    await forEachChunk(sizes[name], arithmetic, async (first, count) => {
      parts[first / POINTS_PER_TASK] = await arithmetic.run("points", r1cs, name, first, count, bases[name]);
      onProgress((done += count) / total);
    }, POINTS_PER_TASK);
    sections[name] = concatBytes(...parts);
  }
  sections.H = oddPoints(await powers.lagrange("tau", level + 1));

  const { g1, g2 } = await loadGenerators(arithmetic);
  const [alpha1, beta1] = await Promise.all([powers.list("alpha", 0, 1), powers.list("beta", 0, 1)]);
  const key: Omit<Zkey, "circuitHash"> = {
    variables: circuit.variables,
    public: circuit.public,
    domain: circuit.domain,
    alpha1,
    beta1,
    beta2: powers.betaG2,
    gamma2: g2,
    delta1: g1,
    delta2: g2,
    sections: sections as Record<KeySection, Uint8Array>,
    contributions: [],
  };
  return { ...key, circuitHash: await computeCircuitHash(key, powers, arithmetic) };
}

/** Returns the base-2 logarithm of a domain. Throws `invalid_ceremony` if there are too few powers. */
export function domainLevel(domain: number, powers: PowersOfTau): number {
  const level = Math.log2(domain);
  if (level > powers.power) {
    throw ceremonyProblem(
      "powers of tau",
      `are too few: the circuit needs 2^${level}, the file has 2^${powers.power}`,
    );
  }
  return level;
}

function oddPoints(points: Uint8Array): Uint8Array {
  const out = new Uint8Array(points.length / 2);
  for (let i = 0; i < out.length; i += G1_BYTES) {
    out.set(points.subarray(2 * i + G1_BYTES, 2 * i + 2 * G1_BYTES), i);
  }
  return out;
}

/** BLAKE2b of the points, with tau^(n+i) - tau^i in place of H (snarkjs, `zkey_new.js`, after bellman). */
export async function computeCircuitHash(
  key: Omit<Zkey, "circuitHash">,
  powers: PowersOfTau,
  arithmetic: ArithmeticPool,
): Promise<Uint8Array> {
  const hash = blake2b.create({ dkLen: 64 });
  const { g1, g2 } = await loadGenerators(arithmetic);
  const g1Points = async (points: Uint8Array) => void hash.update(await arithmetic.run("hashedG1", points));
  const g2Points = async (points: Uint8Array) => void hash.update(await arithmetic.run("hashedG2", points));
  const count = (n: number) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, n);
    hash.update(bytes);
  };
  await g1Points(concatBytes(key.alpha1, key.beta1));
  await g2Points(concatBytes(key.beta2, g2));
  await g1Points(g1);
  await g2Points(g2);
  const { IC, L, A, B1, B2 } = key.sections;
  count(key.public + 1);
  await g1Points(IC);
  count(key.domain - 1);
  await g1Points(
    await arithmetic.run(
      "differencesG1",
      await powers.list("tau", key.domain, key.domain - 1),
      await powers.list("tau", 0, key.domain - 1),
    ),
  );
  for (const points of [L, A, B1]) {
    count(points.length / G1_BYTES);
    await g1Points(points);
  }
  count(key.variables);
  await g2Points(B2);
  return hash.digest();
}
