/* tslint:disable */
/* eslint-disable */

/**
 * Hashes a level of a tree into the level above: n elements to half as many, rounded up. `zero`, one element, is the
 * empty subtree beside the last node of an odd level; an even level ignores it.
 */
export function hash_level(nodes: Uint8Array, zero: Uint8Array): Uint8Array;

/**
 * Hashes n elements, each by itself: n * 32 bytes to n * 32 bytes. Ignores an incomplete element at the end.
 */
export function poseidon1(inputs: Uint8Array): Uint8Array;

/**
 * Hashes n pairs: n * 64 bytes to n * 32 bytes. Ignores an incomplete pair at the end.
 */
export function poseidon2(pairs: Uint8Array): Uint8Array;

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly hash_level: (a: number, b: number, c: number, d: number) => [number, number];
    readonly poseidon1: (a: number, b: number) => [number, number];
    readonly poseidon2: (a: number, b: number) => [number, number];
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
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
