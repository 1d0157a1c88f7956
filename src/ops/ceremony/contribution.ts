// A contribution multiplies delta by a secret x, divides L and H by x and proves knowledge of x. The key is
// sound if one contributor erased x. This follows snarkjs (`zkey_contribute.js`, `zkey_beacon.js`).
import { concatBytes } from "@noble/hashes/utils.js";
import { blake2b } from "@noble/hashes/blake2.js";
import type { ArithmeticPool } from "./arithmetic/pool.ts";
import { assertPointsInGroup, forEachChunk, G1_BYTES, loadGenerators } from "./arithmetic/points.ts";
import { transcriptFault } from "./faults.ts";
import { equalBytes } from "./section_file.ts";
import type { KeyContribution, Zkey } from "./zkey.ts";

const RANDOM_BYTES = 64;
const SEED_BYTES = 32;
const POINTS_PER_TASK = 1 << 11;
const HASHES_PER_TASK = 1 << 16;
/** A public value that no one could choose, hashed 2^exponent times. */
export interface Beacon {
  readonly value: Uint8Array;
  readonly exponent: number;
}

export interface ContributionHistory {
  readonly circuitHash: Uint8Array;
  readonly contributions: readonly KeyContribution[];
}

/** Knowing only the entropy or only the system's randomness reveals nothing. The caller overwrites seeds. */
export function contributionSeeds<N extends string>(
  names: readonly N[],
  entropy: Uint8Array,
): Record<N, Uint8Array> {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const seeds = names.map((name) => {
    const material = concatBytes(random, new TextEncoder().encode(`tonado ceremony ${name}\0`), entropy);
    const digest = blake2b(material, { dkLen: RANDOM_BYTES });
    const seed = digest.slice(0, SEED_BYTES);
    material.fill(0);
    digest.fill(0);
    return [name, seed] as const;
  });
  random.fill(0);
  return Object.fromEntries(seeds) as Record<N, Uint8Array>;
}

export async function beaconSeed(
  { value, exponent }: Beacon,
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void = () => {},
): Promise<Uint8Array> {
  const total = 2 ** exponent;
  let hash = value;
  for (let done = 0; done < total;) {
    const times = Math.min(HASHES_PER_TASK, total - done);
    hash = await arithmetic.run("hashTimes", hash, times);
    onProgress((done += times) / total);
  }
  return hash;
}

/** `seed` is overwritten. */
export async function contribute(
  key: Zkey,
  seed: Uint8Array,
  { name, beacon }: { readonly name: string; readonly beacon?: Beacon },
  arithmetic: ArithmeticPool,
  onProgress: (fraction: number) => void = () => {},
): Promise<Zkey> {
  // Messages to threads do not copy shared memory, so overwriting it leaves no copy.
  const secretSeed = new Uint8Array(new SharedArrayBuffer(seed.length));
  secretSeed.set(seed);
  seed.fill(0);
  try {
    const opening = await arithmetic.run("opening", secretSeed);
    const [s, sx] = [opening.subarray(0, G1_BYTES), opening.subarray(G1_BYTES)];
    const challenge = await computeChallenge(key, s, sx, arithmetic);
    const { answer, delta1, delta2 } = await arithmetic.run(
      "answer",
      secretSeed,
      challenge,
      key.delta1,
      key.delta2,
    );
    const total = (key.sections.L.length + key.sections.H.length) / G1_BYTES;
    let done = 0;
    const divide = async (points: Uint8Array) => {
      const parts: Uint8Array[] = [];
      await forEachChunk(points.length / G1_BYTES, arithmetic, async (first, count) => {
        const part = points.subarray(first * G1_BYTES, (first + count) * G1_BYTES);
        parts[first / POINTS_PER_TASK] = await arithmetic.run("divide", secretSeed, part);
        onProgress((done += count) / total);
      }, POINTS_PER_TASK);
      return concatBytes(...parts);
    };
    const sections = { ...key.sections, L: await divide(key.sections.L), H: await divide(key.sections.H) };

    const contribution = { delta: delta1, s, sx, answer, challenge, name, ...(beacon && { beacon }) };
    return { ...key, sections, delta1, delta2, contributions: [...key.contributions, contribution] };
  } finally {
    secretSeed.fill(0);
  }
}

/** The hash that contributors publish: BLAKE2b of the points and the challenge. */
export async function contributionHash(
  contribution: KeyContribution,
  arithmetic: ArithmeticPool,
): Promise<Uint8Array> {
  return blake2b(await contributionHashInput(contribution, arithmetic), { dkLen: 64 });
}

/** Throws `invalid_ceremony`. Does not check that the secret of a beacon follows from its value. */
export async function checkHistory(
  { circuitHash, contributions }: ContributionHistory,
  arithmetic: ArithmeticPool,
  prefix = "",
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  const { g1 } = await loadGenerators(arithmetic);
  let before = g1;
  for (const [i, contribution] of contributions.entries()) {
    const { delta, s, sx, answer, challenge, beacon } = contribution;
    const what = `${prefix}${beacon ? "beacon" : "contribution"} ${i + 1}`;
    await assertPointsInGroup(arithmetic, "G1", concatBytes(delta, s, sx), what);
    await assertPointsInGroup(arithmetic, "G2", answer, what);
    const history = { circuitHash, contributions: contributions.slice(0, i) };
    if (!equalBytes(challenge, await computeChallenge(history, s, sx, arithmetic))) {
      throw transcriptFault(what, "challenge_mismatch");
    }
    const point = await arithmetic.run("challenged", challenge);
    if (!await arithmetic.run("sameRatio", s, sx, point, answer)) {
      throw transcriptFault(what, "secret_not_proven");
    }
    if (!await arithmetic.run("sameRatio", before, delta, point, answer)) {
      throw transcriptFault(what, "delta_not_proven");
    }
    if (equalBytes(before, delta)) throw transcriptFault(what, "delta_unchanged");
    if (equalBytes(g1, delta)) throw transcriptFault(what, "delta_reset");
    before = delta;
    onProgress((i + 1) / contributions.length);
  }
}

async function computeChallenge(
  { circuitHash, contributions }: ContributionHistory,
  s: Uint8Array,
  sx: Uint8Array,
  arithmetic: ArithmeticPool,
): Promise<Uint8Array> {
  const hash = blake2b.create({ dkLen: 64 });
  hash.update(circuitHash);
  for (const contribution of contributions) {
    hash.update(await contributionHashInput(contribution, arithmetic));
  }
  hash.update(await arithmetic.run("hashedG1", concatBytes(s, sx)));
  return hash.digest();
}

async function contributionHashInput(
  { delta, s, sx, answer, challenge }: KeyContribution,
  arithmetic: ArithmeticPool,
): Promise<Uint8Array> {
  const [g1, g2] = await Promise.all([
    arithmetic.run("hashedG1", concatBytes(delta, s, sx)),
    arithmetic.run("hashedG2", answer),
  ]);
  return concatBytes(g1, g2, challenge);
}
