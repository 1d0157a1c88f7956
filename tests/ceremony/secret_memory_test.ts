/**
 * A contributor's secret leaves no trace in memory that this program controls. Anyone who finds x, 1/x or
 * the seed after a contribution can undo it.
 */
import { concatBytes } from "@noble/hashes/utils.js";
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { circuitsOfVersion } from "../../src/core/crypto/groth16.ts";
import type { ArithmeticPool } from "../../src/ops/ceremony/arithmetic/pool.ts";
import type { ArithmeticTasks } from "../../src/ops/ceremony/arithmetic/tasks.ts";
import { contribute, contributionSeeds } from "../../src/ops/ceremony/contribution.ts";
import { pointCoordinates } from "../../src/ops/ceremony/arithmetic/point_hex.ts";
import { announceBeacon, beginCeremony, contributeToCeremony } from "../../src/ops/ceremony/ceremony.ts";
import { memoryFolder } from "../../src/ops/ceremony/rehearsal/memory_folder.ts";
import {
  announcement,
  multiplyG1,
  openTinyCeremony,
  runCeremony,
  utf8,
} from "../support/ceremony/ceremony_fixture.ts";

const { Fr } = bls12_381.fields;
const R = Fr.create(2n ** 256n);
const Z_SQUARED = 0xd201000000010000n ** 2n;

/** Records the memory of every instance that any module creates from now on. */
function recordInstances(): { readonly memories: WebAssembly.Memory[] } & Disposable {
  const memories: WebAssembly.Memory[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...args: ConstructorParameters<typeof Instance>) {
      super(...args);
      memories.push(this.exports.memory as WebAssembly.Memory);
    }
  };
  return { memories, [Symbol.dispose]: () => void (WebAssembly.Instance = Instance) };
}

/** Returns the byte patterns of a seed's secret in memory, by name. */
function tracesOf(seed: Uint8Array): Record<string, Uint8Array> {
  const montgomery = firstScalar(seed);
  const x = Fr.div(montgomery, R);
  const inverse = Fr.inv(x);
  const half = (value: bigint) => littleEndian(value).slice(0, 16);
  return {
    "the seed": seed,
    "the seed's end": seed.slice(8),
    "the key of the cipher": swapWords(seed),
    "x": littleEndian(x),
    "x in Montgomery form": littleEndian(montgomery),
    "1 / x": littleEndian(inverse),
    "1 / x in Montgomery form": littleEndian(Fr.mul(inverse, R)),
    "the lower half of x": half(x % Z_SQUARED),
    "the upper half of x": half(x / Z_SQUARED),
    "the lower half of 1 / x": half(inverse % Z_SQUARED),
    "the upper half of 1 / x": half(inverse / Z_SQUARED),
  };
}

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number(value >> BigInt(8 * i) & 0xffn));
}

function swapWords(bytes: Uint8Array): Uint8Array {
  return concatBytes(
    ...Array.from({ length: bytes.length / 4 }, (_, i) => bytes.slice(4 * i, 4 * i + 4).reverse()),
  );
}

/** Returns the first scalar that ChaCha20 with this key gives, as in ceremony-wasm/src/random.rs. */
function firstScalar(seed: Uint8Array): bigint {
  const state = new Uint32Array(16);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  const key = new DataView(seed.buffer, seed.byteOffset);
  for (let i = 0; i < 8; i++) state[4 + i] = key.getUint32(4 * i);
  for (;; state[12]++) {
    const words = chachaBlock(state);
    for (const half of [0, 8]) {
      const parts = [0, 1, 2, 3].map((i) =>
        (BigInt(words[half + 2 * i]) << 32n | BigInt(words[half + 2 * i + 1])) << BigInt(64 * i)
      );
      const scalar = parts.reduce((sum, part) => sum | part) & (2n ** 255n - 1n);
      if (scalar < Fr.ORDER) return scalar;
    }
  }
}

function chachaBlock(state: Uint32Array): Uint32Array {
  const x = state.slice();
  const rotate = (value: number, bits: number) => value << bits | value >>> (32 - bits);
  const quarter = (a: number, b: number, c: number, d: number) => {
    for (const [sum, term, mixed, bits] of [[a, b, d, 16], [c, d, b, 12], [a, b, d, 8], [c, d, b, 7]]) {
      x[sum] += x[term];
      x[mixed] = rotate(x[mixed] ^ x[sum], bits);
    }
  };
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 4; i++) quarter(i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i++) quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  return x.map((word, i) => word + state[i]);
}

/** Returns the names of the traces that the memories contain. */
function foundTraces(memories: readonly WebAssembly.Memory[], seed: Uint8Array): string[] {
  const texts = memories.map(({ buffer }) => latin1(new Uint8Array(buffer)));
  return Object.entries(tracesOf(seed)).filter(([, trace]) =>
    texts.some((text) => text.includes(latin1(trace)))
  ).map(([name]) => name);
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes); // windows-1252, also a bijection
}

const points = concatBytes(...Array.from({ length: 16 }, (_, i) => multiplyG1(BigInt(i + 2))));
const randomSeed = () => crypto.getRandomValues(new Uint8Array(32));

Deno.test("no trace of a contribution's secret remains in the memory of a WebAssembly instance", async (t) => {
  using recorded = recordInstances();
  const { arithmeticTasks: tasks } = await import("../../src/ops/ceremony/arithmetic/tasks.ts");
  const glue = await import("../../ceremony-wasm/pkg/ceremony_wasm.js");

  const uses: [task: string, use: (seed: Uint8Array) => unknown][] = [
    ["opening", (seed) => tasks.opening(seed)],
    [
      "answer",
      (seed) =>
        tasks.answer(seed, new Uint8Array(64).fill(9), points.slice(0, 96), tasks.generatorG2().slice()),
    ],
    ["divide", (seed) => tasks.divide(seed, points)],
    [
      "divide of malformed points",
      (seed) => assert.throws(() => tasks.divide(seed, points.slice(1)), /points are malformed/),
    ],
  ];
  for (const [task, use] of uses) {
    await t.step(task, () => {
      const seed = randomSeed();
      use(seed.slice());
      assert.ok(recorded.memories.length > 0);
      assert.deepEqual(foundTraces(recorded.memories, seed), []);
    });
  }

  await t.step("each use has an instance of its own, filled with zeros", () => {
    const before = recorded.memories.length;
    tasks.opening(randomSeed());
    tasks.divide(randomSeed(), points);
    const used = recorded.memories.slice(before);
    assert.equal(used.length, 2);
    for (const { buffer } of used) assert.ok(new Uint8Array(buffer).every((byte) => byte === 0));
  });

  await t.step("the search finds the traces that the module's own destructor leaves", () => {
    const seed = randomSeed();
    const secret = new glue.Secret(seed);
    const [sx, sy, xsx, xsy] = pointCoordinates(secret.opening());
    secret.divide(points);
    secret.free();
    assert.notDeepEqual(foundTraces(recorded.memories, seed), []);
    const s = bls12_381.G1.Point.fromAffine({ x: sx, y: sy });
    const x = Fr.div(firstScalar(seed), R);
    assert.ok(s.multiply(x).equals(bls12_381.G1.Point.fromAffine({ x: xsx, y: xsy })), "x is the secret");
  });
});

Deno.test("a contribution passes its seed to the threads in shared memory, and overwrites it", async () => {
  await using tiny = await openTinyCeremony();
  const { honest, keyOf } = await runCeremony(tiny);
  const key = await keyOf(honest, "deposit", 0);
  for (const failing of [undefined, "answer", "divide"] as const) {
    const seeds: Uint8Array[] = [];
    const arithmetic: ArithmeticPool = {
      ...tiny.arithmetic,
      run: (name: keyof ArithmeticTasks, ...args: never) => {
        if (name === "opening" || name === "answer" || name === "divide") {
          const [seed] = args as readonly Uint8Array[];
          assert.ok(seed.some((byte) => byte !== 0), "is needed for this task");
          seeds.push(seed);
        }
        if (name === failing) return Promise.reject(new Error("a thread died"));
        return tiny.arithmetic.run(name, ...args as never) as never;
      },
    };
    const given = randomSeed();
    const contributing = contribute(key, given, { name: "Alice" }, arithmetic);
    if (failing) await assert.rejects(contributing, /a thread died/);
    else await contributing;
    assert.ok(seeds.length >= 2);
    for (const seed of [given, ...seeds]) assert.ok(seed.every((byte) => byte === 0));
    for (const { buffer } of seeds) assert.ok(buffer instanceof SharedArrayBuffer, "a message copies others");
  }
});

Deno.test("the seeds depend on the contributor's entropy and on the system's, and no copy of either is left", () => {
  const copies: Uint8Array[] = [];
  const { set } = Uint8Array.prototype;
  const { getRandomValues } = crypto;
  Uint8Array.prototype.set = function (this: Uint8Array, ...args: Parameters<typeof set>) {
    copies.push(this);
    return set.apply(this, args);
  };
  const seedsFrom = (entropy: string, random: number) => {
    crypto.getRandomValues = ((array: Uint8Array) => (copies.push(array), array.fill(random))) as never;
    return contributionSeeds(circuitsOfVersion[1], utf8(entropy));
  };
  try {
    const first = seedsFrom("what Alice typed", 1);
    assert.deepEqual(seedsFrom("what Alice typed", 1), first);
    const others = [seedsFrom("what Bob typed", 1), seedsFrom("what Alice typed", 2)];
    const all = [first, ...others].flatMap(({ withdraw, deposit }) => [withdraw, deposit]).map(latin1);
    assert.equal(new Set(all).size, 6);
  } finally {
    Uint8Array.prototype.set = set;
    crypto.getRandomValues = getRandomValues;
  }
  assert.ok(copies.length > 0);
  for (const copy of copies) {
    const text = latin1(new Uint8Array(copy.buffer));
    const random = [1, 2].map((byte) => String.fromCharCode(byte).repeat(16));
    for (const trace of ["what Alice typed", ...random]) assert.ok(!text.includes(trace));
  }
});

Deno.test("a contribution that fails at the first circuit overwrites the seeds of all circuits", async () => {
  await using tiny = await openTinyCeremony();
  const folder = memoryFolder();
  await beginCeremony({ folder, arithmetic: tiny.arithmetic, ...tiny.origin });
  await announceBeacon({ folder, arithmetic: tiny.arithmetic, announcement });
  const arithmetic: ArithmeticPool = {
    ...tiny.arithmetic,
    run: (name: keyof ArithmeticTasks, ...args: never) =>
      name === "answer"
        ? Promise.reject(new Error("a thread died"))
        : tiny.arithmetic.run(name, ...args as never) as never,
  };
  const slices: Uint8Array[] = [];
  const { slice } = Uint8Array.prototype;
  const { getRandomValues } = crypto;
  crypto.getRandomValues = ((array: Uint8Array) => array.fill(1)) as never;
  const seeds = Object.values(contributionSeeds(circuitsOfVersion[1], utf8("dice"))).map(latin1);
  Uint8Array.prototype.slice = function (this: Uint8Array, ...args: Parameters<typeof slice>) {
    const copy = slice.apply(this, args);
    slices.push(copy);
    return copy;
  };
  try {
    const contributing = contributeToCeremony({ folder, arithmetic, name: "Alice", entropy: utf8("dice") });
    await assert.rejects(contributing, /a thread died/);
  } finally {
    Uint8Array.prototype.slice = slice;
    crypto.getRandomValues = getRandomValues;
  }
  assert.ok(slices.filter(({ length }) => length === 32).length >= seeds.length);
  assert.deepEqual(slices.map(latin1).filter((text) => seeds.includes(text)), []);
});
