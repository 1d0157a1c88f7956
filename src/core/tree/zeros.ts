/** The roots of empty subtrees by height; `zeros[0]` is the empty leaf. See `deno task zeros`. */
export { ZERO_SEED, zeros } from "./generated/zeros.ts";
