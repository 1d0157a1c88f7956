/**
 * The key that a ceremony starts from: what Groth16's setup makes of a constraint system and the powers of tau, with
 * gamma and delta still 1. It follows from both, so anybody can make it again.
 */
import { blake2b } from "@noble/hashes/blake2.js";
import type { Arithmetic } from "./arithmetic.ts";
import { chunks, G1_BYTES, generatorsOf, type Powers } from "./powers.ts";
import { joined, refused } from "./sections.ts";
import type { KeySection, Zkey } from "./zkey.ts";

/** Points that a thread makes in one go. */
const TOGETHER = 1 << 10;

/**
 * Makes the initial key.
 *
 * @param r1cs the constraint system, as circom writes it
 * @param onProgress told how much is done, 0 to 1
 * @throws {Problem} `invalid_ceremony` for a file that is no constraint system over BLS12-381, for powers that are too few
 *   or not prepared
 */
export async function initialKey(
  r1cs: Uint8Array,
  powers: Powers,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<Zkey> {
  const circuit = await arithmetic.run("circuit", r1cs);
  const level = levelFor(circuit.domain, powers);
  const [tau, tauG2, alpha, beta] = await Promise.all(
    (["tau", "tauG2", "alpha", "beta"] as const).map((name) => powers.lagrange(name, level)),
  );
  const mixed = joined(beta, alpha, tau);
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
    await chunks(sizes[name], arithmetic, async (first, count) => {
      parts[first / TOGETHER] = await arithmetic.run("points", r1cs, name, first, count, bases[name]);
      onProgress((done += count) / total);
    }, TOGETHER);
    sections[name] = joined(...parts);
  }
  sections.H = odd(await powers.lagrange("tau", level + 1));

  const { g1, g2 } = await generatorsOf(arithmetic);
  const [alpha1, beta1] = await Promise.all([powers.list("alpha", 0, 1), powers.list("beta", 0, 1)]);
  const key: Omit<Zkey, "circuitHash"> = {
    ...{ variables: circuit.variables, public: circuit.public, domain: circuit.domain },
    ...{ alpha1, beta1, beta2: powers.betaG2, gamma2: g2, delta1: g1, delta2: g2 },
    sections: sections as Record<KeySection, Uint8Array>,
    contributions: [],
  };
  return { ...key, circuitHash: await circuitHash(key, powers, arithmetic) };
}

/** The power of two that a domain is. @throws {Problem} `invalid_ceremony` when there are not as many powers */
export function levelFor(domain: number, powers: Powers): number {
  const level = Math.log2(domain);
  if (level > powers.power) {
    throw refused("powers of tau", `are too few: the circuit needs 2^${level}, these are 2^${powers.power}`);
  }
  return level;
}

/** Every second point. */
function odd(points: Uint8Array): Uint8Array {
  const out = new Uint8Array(points.length / 2);
  for (let i = 0; i < out.length; i += G1_BYTES) {
    out.set(points.subarray(2 * i + G1_BYTES, 2 * i + 2 * G1_BYTES), i);
  }
  return out;
}

/**
 * What identifies the circuit and the powers in every challenge: BLAKE2b of the initial key's points, with the powers'
 * differences tau^(n+i) - tau^i in place of H (snarkjs, `zkey_new.js`; bellman before it).
 */
export async function circuitHash(
  key: Omit<Zkey, "circuitHash">,
  powers: Powers,
  arithmetic: Arithmetic,
): Promise<Uint8Array> {
  const hash = blake2b.create({ dkLen: 64 });
  const { g1, g2 } = await generatorsOf(arithmetic);
  const g1Points = async (points: Uint8Array) => void hash.update(await arithmetic.run("hashedG1", points));
  const g2Points = async (points: Uint8Array) => void hash.update(await arithmetic.run("hashedG2", points));
  const count = (n: number) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, n);
    hash.update(bytes);
  };
  await g1Points(joined(key.alpha1, key.beta1));
  await g2Points(joined(key.beta2, g2));
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
