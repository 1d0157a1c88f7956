import { createHash } from "node:crypto";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { uniformInt } from "pure-rand/distribution/uniformInt";

const PROBABILITY_STEPS = 1 << 30;

/** A seeded source of random choices. Its state is the seed's hash, so neighbouring seeds are independent. */
export class SeededRandom {
  readonly #generator;

  constructor(seed: number) {
    const hash = createHash("sha256").update(String(seed)).digest();
    this.#generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => hash.readInt32LE(at)));
  }

  /** Returns an integer from `from` to `to`, inclusive. */
  int(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  /** Returns true with probability `p`. */
  chance(p: number): boolean {
    return this.int(0, PROBABILITY_STEPS - 1) < p * PROBABILITY_STEPS;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  /** Returns an integer below 2^248, which is a field element. */
  element(): bigint {
    return this.fill(new Uint8Array(31)).reduce((value, byte) => value << 8n | BigInt(byte), 0n);
  }

  fill<T extends Uint8Array>(bytes: T): T {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.int(0, 255);
    return bytes;
  }
}

/** Shuffles the items in place and returns them. */
export function shuffle<T>(random: SeededRandom, items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.int(0, i);
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}
