/** Whether this engine has WebAssembly's wide arithmetic: products of 64 by 64 bits. Kernels come with and without. */

/**
 * A module with one function that uses the proposal (webassembly/wide-arithmetic): of type (i64, i64) -> (i64, i64), it
 * does `i64.mul_wide_u`, which is 0xfc 0x16. Engines that do not know it find it invalid.
 */
const probe = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
  ...[0x01, 0x08, 0x01, 0x60, 0x02, 0x7e, 0x7e, 0x02, 0x7e, 0x7e], // one type
  ...[0x03, 0x02, 0x01, 0x00], // one function of it
  ...[0x0a, 0x0a, 0x01, 0x08, 0x00, 0x20, 0x00, 0x20, 0x01, 0xfc, 0x16, 0x0b], // its code
);

/** Whether modules that use it are valid here. V8 needs `--experimental-wasm-wide-arithmetic`; see `tools/v8_flags.ts`. */
export const hasWideArithmetic: boolean = WebAssembly.validate(probe);
