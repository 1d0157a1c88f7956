/* tslint:disable */
/* eslint-disable */

/**
 * A constraint system.
 */
export class Circuit {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Returns section 4 of the `.zkey`.
     */
    coefficients(): Uint8Array;
    /**
     * Returns a combination of a section's points as coefficients of powers of tau. For IC and L these are powers
     * times beta, powers times alpha, and powers.
     */
    combination(section: string, scalars: Uint8Array): Uint8Array;
    /**
     * Parses an `.r1cs` file.
     */
    constructor(r1cs: Uint8Array);
    /**
     * Returns points `first` to `first + count` of section A, B1, IC or L, from the Lagrange polynomials at tau. For
     * IC and L these are given times beta, then times alpha, then unchanged.
     */
    pointsG1(section: string, first: number, count: number, bases: Uint8Array): Uint8Array;
    /**
     * Works like `pointsG1`, for B2.
     */
    pointsG2(section: string, first: number, count: number, bases: Uint8Array): Uint8Array;
    /**
     * Returns the number of points of section `A`, `B1`, `B2`, `IC` or `L`.
     */
    size(section: string): number;
    readonly constraints: number;
    readonly domain: number;
    readonly public: number;
    readonly variables: number;
}

/**
 * A contributor's secret, which must be deleted after use: `free` overwrites it.
 */
export class Secret {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Returns the point of G2 that answers a challenge.
     */
    answer(challenge: Uint8Array): Uint8Array;
    /**
     * Returns points of G1 divided by x.
     */
    divide(points: Uint8Array): Uint8Array;
    /**
     * Derives the secret from a seed of 32 bytes.
     */
    constructor(seed: Uint8Array);
    /**
     * Returns two points of G1: s and x s.
     */
    opening(): Uint8Array;
    /**
     * Returns a point of G1 times x.
     */
    timesG1(point: Uint8Array): Uint8Array;
    /**
     * Works like `timesG1`, for G2.
     */
    timesG2(point: Uint8Array): Uint8Array;
}

/**
 * Returns the point of G2 that a contribution's challenge determines.
 */
export function challenged(challenge: Uint8Array): Uint8Array;

/**
 * Returns the difference of two lists of points of G1, point by point.
 */
export function differencesG1(minuends: Uint8Array, subtrahends: Uint8Array): Uint8Array;

/**
 * Returns the number of the first point of G1 that is not canonical, not on the curve, not of order r, or infinity
 * where `infinity` is false. Returns -1 if all points are sound.
 */
export function firstUnsoundG1(points: Uint8Array, infinity: boolean): number;

/**
 * Works like `firstUnsoundG1`, for G2.
 */
export function firstUnsoundG2(points: Uint8Array, infinity: boolean): number;

/**
 * Returns the generator of G1.
 */
export function generatorG1(): Uint8Array;

/**
 * Returns the generator of G2.
 */
export function generatorG2(): Uint8Array;

/**
 * Returns the coefficients of tau^k of a combination of section H's points, with one scalar each.
 */
export function hCombination(scalars: Uint8Array): Uint8Array;

/**
 * Returns the bytes that are hashed for points of G1.
 */
export function hashedG1(points: Uint8Array): Uint8Array;

/**
 * Works like `hashedG1`, for G2.
 */
export function hashedG2(points: Uint8Array): Uint8Array;

/**
 * Returns the coefficients of tau^k of a combination of Lagrange polynomials. The number of scalars is a power of two.
 */
export function lagrangeCombination(scalars: Uint8Array): Uint8Array;

/**
 * Returns scalars from a seed of 32 bytes, uniform below r.
 */
export function randomScalars(seed: Uint8Array, count: number): Uint8Array;

/**
 * Returns whether e(p, b) = e(q, a), that is, q : p = b : a. All must be of order r; returns false for infinity.
 */
export function sameRatio(p: Uint8Array, q: Uint8Array, a: Uint8Array, b: Uint8Array): boolean;

/**
 * Returns the sum of scalar multiples of points of G1. Ignores the surplus of the longer list.
 */
export function sumG1(points: Uint8Array, scalars: Uint8Array): Uint8Array;

/**
 * Works like `sumG1`, for G2.
 */
export function sumG2(points: Uint8Array, scalars: Uint8Array): Uint8Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_circuit_free: (a: number, b: number) => void;
    readonly __wbg_secret_free: (a: number, b: number) => void;
    readonly challenged: (a: number, b: number) => [number, number, number, number];
    readonly circuit_coefficients: (a: number) => [number, number];
    readonly circuit_combination: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
    readonly circuit_constraints: (a: number) => number;
    readonly circuit_domain: (a: number) => number;
    readonly circuit_new: (a: number, b: number) => [number, number, number];
    readonly circuit_pointsG1: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number, number, number];
    readonly circuit_pointsG2: (a: number, b: number, c: number, d: number, e: number, f: number, g: number) => [number, number, number, number];
    readonly circuit_public: (a: number) => number;
    readonly circuit_size: (a: number, b: number, c: number) => [number, number, number];
    readonly circuit_variables: (a: number) => number;
    readonly differencesG1: (a: number, b: number, c: number, d: number) => [number, number, number, number];
    readonly firstUnsoundG1: (a: number, b: number, c: number) => number;
    readonly firstUnsoundG2: (a: number, b: number, c: number) => number;
    readonly generatorG1: () => [number, number];
    readonly generatorG2: () => [number, number];
    readonly hCombination: (a: number, b: number) => [number, number, number, number];
    readonly hashedG1: (a: number, b: number) => [number, number, number, number];
    readonly hashedG2: (a: number, b: number) => [number, number, number, number];
    readonly lagrangeCombination: (a: number, b: number) => [number, number, number, number];
    readonly randomScalars: (a: number, b: number, c: number) => [number, number, number, number];
    readonly sameRatio: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => number;
    readonly secret_answer: (a: number, b: number, c: number) => [number, number, number, number];
    readonly secret_divide: (a: number, b: number, c: number) => [number, number, number, number];
    readonly secret_new: (a: number, b: number) => [number, number, number];
    readonly secret_opening: (a: number) => [number, number];
    readonly secret_timesG1: (a: number, b: number, c: number) => [number, number, number, number];
    readonly secret_timesG2: (a: number, b: number, c: number) => [number, number, number, number];
    readonly sumG1: (a: number, b: number, c: number, d: number) => [number, number, number, number];
    readonly sumG2: (a: number, b: number, c: number, d: number) => [number, number, number, number];
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path?: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
