import { concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { BASE_FIELD_MODULUS } from "../../../core/crypto/proof_codec.ts";
import type { ArithmeticPool } from "./pool.ts";
import { transcriptFault } from "../faults.ts";

export const COORDINATE_BYTES = 48;
export const G1_BYTES = 2 * COORDINATE_BYTES;
export const G2_BYTES = 4 * COORDINATE_BYTES;
export const SCALAR_BYTES = 32;
/** q of BLS12-381, little endian, as in file headers. */
export const BASE_FIELD_BYTES: Uint8Array = hexToBytes(
  BASE_FIELD_MODULUS.toString(16).padStart(2 * COORDINATE_BYTES, "0"),
).reverse();
const POINTS_PER_CHUNK = 1 << 13;

export async function forEachChunk(
  count: number,
  { threads }: ArithmeticPool,
  work: (first: number, count: number) => Promise<void>,
  size = POINTS_PER_CHUNK,
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

export class RunningSum {
  readonly #task: "sumG1" | "sumG2";
  readonly #parts: Uint8Array[] = [];

  constructor(private readonly arithmetic: ArithmeticPool, group: "G1" | "G2") {
    this.#task = group === "G1" ? "sumG1" : "sumG2";
  }

  async add(points: Uint8Array, scalars: Uint8Array): Promise<void> {
    this.#parts.push(await this.arithmetic.run(this.#task, points, scalars));
  }

  total(): Promise<Uint8Array> {
    return sumPoints(this.#parts, this.#task, this.arithmetic);
  }
}

export async function sumPoints(
  points: readonly Uint8Array[],
  task: "sumG1" | "sumG2",
  arithmetic: ArithmeticPool,
): Promise<Uint8Array> {
  const ones = new Uint8Array(points.length * SCALAR_BYTES);
  for (let i = 0; i < ones.length; i += SCALAR_BYTES) ones[i] = 1;
  return await arithmetic.run(task, concatBytes(...points), ones);
}

/** Checks that points are canonical and of order r. Throws `invalid_ceremony` for the first invalid one. */
export async function assertPointsInGroup(
  arithmetic: ArithmeticPool,
  group: "G1" | "G2",
  points: Uint8Array,
  what: string,
  infinity = false,
): Promise<void> {
  const task = group === "G1" ? "firstUnsoundG1" : "firstUnsoundG2";
  const index = await arithmetic.run(task, points, infinity);
  if (index !== -1) throw transcriptFault(what, "point_outside_group", `${group}: number ${index}`);
}

export function randomSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

export interface Generators {
  readonly g1: Uint8Array;
  readonly g2: Uint8Array;
}

export async function loadGenerators(arithmetic: ArithmeticPool): Promise<Generators> {
  const [g1, g2] = await Promise.all([arithmetic.run("generatorG1"), arithmetic.run("generatorG2")]);
  return { g1, g2 };
}
