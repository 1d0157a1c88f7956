/* tslint:disable */
/* eslint-disable */

/**
 * A parsed proving key, from which excerpts are made.
 */
export class Key {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Returns the excerpt for [`piece`] of one of a proof's five sums, `a`, `b1`, `b2`, `c` or `h`, or the excerpt
     * `joint` for [`assemble`]. Only instances of this same module can read it.
     */
    excerpt(name: string): Uint8Array;
    /**
     * Parses a snarkjs `.zkey`. Throws if it is cut short or for another curve or protocol.
     */
    constructor(zkey: Uint8Array);
}

/**
 * A verification key with its pairing of alpha and beta and the lines of gamma and delta precomputed.
 */
export class Verifier {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Parses alpha, beta, gamma, delta and the points of the public inputs, one after another, uncompressed.
     */
    constructor(key: Uint8Array);
    /**
     * Returns whether the 384 bytes of `proof` prove these public signals (32 bytes each, big endian).
     */
    verify(proof: Uint8Array, signals: Uint8Array): boolean;
}

/**
 * Joins the pieces (each with its parts one after another), blinds them with 96 bytes of fresh randomness, and returns
 * A, B, C: 384 bytes. Accepts any excerpt of the key.
 */
export function assemble(excerpt: Uint8Array, a: Uint8Array, b1: Uint8Array, b2: Uint8Array, c: Uint8Array, h: Uint8Array, randomness: Uint8Array): Uint8Array;

/**
 * Returns the sum that an excerpt is for, as an uncompressed point, or the part `part` of `parts` of its terms. The
 * sum is unblinded: it must not leave the process.
 */
export function piece(excerpt: Uint8Array, part: number, parts: number, witness: Uint8Array): Uint8Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_key_free: (a: number, b: number) => void;
    readonly __wbg_verifier_free: (a: number, b: number) => void;
    readonly assemble: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number, k: number, l: number, m: number, n: number) => [number, number, number, number];
    readonly key_excerpt: (a: number, b: number, c: number) => [number, number, number, number];
    readonly key_new: (a: number, b: number) => [number, number, number];
    readonly piece: (a: number, b: number, c: number, d: number, e: number, f: number) => [number, number, number, number];
    readonly verifier_new: (a: number, b: number) => [number, number, number];
    readonly verifier_verify: (a: number, b: number, c: number, d: number, e: number) => number;
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
