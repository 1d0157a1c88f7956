/**
 * The roots of empty subtrees: `zeros[0]` is the empty leaf, `zeros[20]` the root of an empty pool. `deno
 * task zeros` generates them for TypeScript, Tolk and circom.
 */
export { ZERO_SEED, zeros } from "./generated/zeros.ts";
