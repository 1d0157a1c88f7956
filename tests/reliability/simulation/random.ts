/** All chance of a simulation, from one seed. */
import { createHash } from "node:crypto";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { uniformInt } from "pure-rand/distribution/uniformInt";

const FINE = 1 << 30;

/** A seeded source of choices. Neighbouring seeds have nothing in common: the generator's state is the seed's hash. */
export class Random {
  readonly #generator;

  constructor(seed: number) {
    const hash = createHash("sha256").update(String(seed)).digest();
    this.#generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => hash.readInt32LE(at)));
  }

  /** An integer from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return uniformInt(this.#generator, from, to);
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return this.int(0, FINE - 1) < p * FINE;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  /** An integer below 2^248: a field element. */
  element(): bigint {
    return this.fill(new Uint8Array(31)).reduce((value, byte) => value << 8n | BigInt(byte), 0n);
  }

  fill<T extends Uint8Array>(bytes: T): T {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.int(0, 255);
    return bytes;
  }
}
