/**
 * Contributions to a key. A contribution multiplies delta by a secret x, divides L and H by it, proves that its maker knew
 * x, and forgets x. The key is sound when one contributor of all did forget. Proofs and challenges are snarkjs'
 * (`zkey_contribute.js`, `zkey_beacon.js`): a hash over all that was before, so that nothing can be taken from elsewhere.
 */
import { blake2b } from "@noble/hashes/blake2.js";
import type { Arithmetic } from "./arithmetic.ts";
import { chunks, G1_BYTES, generatorsOf, sound } from "./powers.ts";
import { joined, refused, sameBytes } from "./sections.ts";
import type { KeyContribution, Zkey } from "./zkey.ts";

/** Bytes of system randomness in a contribution. */
const RANDOM_BYTES = 64;
const SEED_BYTES = 32;
/** Points that a thread divides in one go. */
const TOGETHER = 1 << 11;
/** Hashes between two reports of progress. */
const HASHES = 1 << 16;
/** Of a beacon, as snarkjs takes them. */
export const beaconExponents = { least: 10, most: 40 } as const;

/** A public value that nobody chose, and how often it is hashed: 2^exponent times. */
export interface Beacon {
  readonly value: Uint8Array;
  readonly exponent: number;
}

/** A history of contributions to one circuit's key. */
export interface History {
  readonly circuitHash: Uint8Array;
  readonly contributions: readonly KeyContribution[];
}

/**
 * A seed for each of `names` from the contributor's entropy and the system's randomness: who knows only one of both knows
 * nothing of the seeds. Whoever uses a seed overwrites it.
 */
export function contributionSeeds<N extends string>(
  names: readonly N[],
  entropy: Uint8Array,
): Record<N, Uint8Array> {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const seeds = names.map((name) => {
    const material = joined(random, new TextEncoder().encode(`tonado ceremony ${name}\0`), entropy);
    const digest = blake2b(material, { dkLen: RANDOM_BYTES });
    const seed = digest.slice(0, SEED_BYTES);
    material.fill(0);
    digest.fill(0);
    return [name, seed] as const;
  });
  random.fill(0);
  return Object.fromEntries(seeds) as Record<N, Uint8Array>;
}

/** The seed of a beacon: what its value is after 2^exponent times SHA-256. */
export async function beaconSeed(
  { value, exponent }: Beacon,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<Uint8Array> {
  const total = 2 ** exponent;
  let hash = value;
  for (let done = 0; done < total;) {
    const times = Math.min(HASHES, total - done);
    hash = await arithmetic.run("hashTimes", hash, times);
    onProgress((done += times) / total);
  }
  return hash;
}

/**
 * The key after one more contribution.
 *
 * @param seed what the secret is drawn from; overwritten
 * @param by whose it is
 */
export async function contribute(
  key: Zkey,
  seed: Uint8Array,
  by: { readonly name: string; readonly beacon?: Beacon },
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<Zkey> {
  try {
    const opening = await arithmetic.run("opening", seed);
    const [s, sx] = [opening.subarray(0, G1_BYTES), opening.subarray(G1_BYTES)];
    const challenge = await challengeOf(key, s, sx, arithmetic);
    const { answer, delta1, delta2 } = await arithmetic.run(
      "answer",
      seed,
      challenge,
      key.delta1,
      key.delta2,
    );
    const total = (key.sections.L.length + key.sections.H.length) / G1_BYTES;
    let done = 0;
    const divide = async (points: Uint8Array) => {
      const parts: Uint8Array[] = [];
      await chunks(points.length / G1_BYTES, arithmetic, async (first, count) => {
        const part = points.subarray(first * G1_BYTES, (first + count) * G1_BYTES);
        parts[first / TOGETHER] = await arithmetic.run("divide", seed, part);
        onProgress((done += count) / total);
      }, TOGETHER);
      return joined(...parts);
    };
    const sections = { ...key.sections, L: await divide(key.sections.L), H: await divide(key.sections.H) };
    const { name, beacon } = by;
    const contribution = { delta: delta1, s, sx, answer, challenge, name, ...(beacon && { beacon }) };
    return { ...key, sections, delta1, delta2, contributions: [...key.contributions, contribution] };
  } finally {
    seed.fill(0);
  }
}

/** What everybody compares: BLAKE2b of a contribution's points and its challenge. */
export async function contributionHash(
  contribution: KeyContribution,
  arithmetic: Arithmetic,
): Promise<Uint8Array> {
  return blake2b(await hashedBytes(contribution, arithmetic), { dkLen: 64 });
}

/**
 * Verifies a history: each challenge is the hash of what was before it, each contributor knew the x by which delta grew,
 * beacons are what they say.
 *
 * @throws {Problem} `invalid_ceremony` naming the first contribution that fails
 */
export async function checkHistory(
  { circuitHash, contributions }: History,
  arithmetic: Arithmetic,
  onProgress: (fraction: number) => void = () => {},
): Promise<void> {
  let before = (await generatorsOf(arithmetic)).g1;
  for (const [i, contribution] of contributions.entries()) {
    const what = `contribution ${i + 1}`;
    const { delta, s, sx, answer, challenge, beacon } = contribution;
    await sound(arithmetic, "G1", joined(delta, s, sx), what);
    await sound(arithmetic, "G2", answer, what);
    const history = { circuitHash, contributions: contributions.slice(0, i) };
    if (!sameBytes(challenge, await challengeOf(history, s, sx, arithmetic))) {
      throw refused(what, "does not answer to what was before it: the challenge is another");
    }
    const point = await arithmetic.run("challenged", challenge);
    if (!await arithmetic.run("sameRatio", s, sx, point, answer)) {
      throw refused(what, "does not prove that its secret was known");
    }
    if (!await arithmetic.run("sameRatio", before, delta, point, answer)) {
      throw refused(what, "changes delta by something else than its secret");
    }
    if (sameBytes(before, delta)) throw refused(what, "leaves delta as it was");
    if (beacon) {
      const seed = await beaconSeed(beacon, arithmetic);
      if (!sameBytes(joined(s, sx), await arithmetic.run("opening", seed))) {
        throw refused(what, "is not what its beacon gives");
      }
    }
    before = delta;
    onProgress((i + 1) / contributions.length);
  }
}

async function challengeOf(
  { circuitHash, contributions }: History,
  s: Uint8Array,
  sx: Uint8Array,
  arithmetic: Arithmetic,
): Promise<Uint8Array> {
  const hash = blake2b.create({ dkLen: 64 });
  hash.update(circuitHash);
  for (const contribution of contributions) hash.update(await hashedBytes(contribution, arithmetic));
  hash.update(await arithmetic.run("hashedG1", joined(s, sx)));
  return hash.digest();
}

async function hashedBytes(
  { delta, s, sx, answer, challenge }: KeyContribution,
  arithmetic: Arithmetic,
): Promise<Uint8Array> {
  const [g1, g2] = await Promise.all([
    arithmetic.run("hashedG1", joined(delta, s, sx)),
    arithmetic.run("hashedG2", answer),
  ]);
  return joined(g1, g2, challenge);
}
