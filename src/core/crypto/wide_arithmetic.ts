/**
 * A module with one function (i64, i64) -> (i64, i64) that executes `i64.mul_wide_u` (0xfc 0x16) of the
 * webassembly/wide-arithmetic proposal. It is invalid in engines without the proposal.
 */
const PROBE_MODULE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
  ...[0x01, 0x08, 0x01, 0x60, 0x02, 0x7e, 0x7e, 0x02, 0x7e, 0x7e], // one type
  ...[0x03, 0x02, 0x01, 0x00], // one function of it
  ...[0x0a, 0x0a, 0x01, 0x08, 0x00, 0x20, 0x00, 0x20, 0x01, 0xfc, 0x16, 0x0b], // its code
);

/** Whether this engine supports wide arithmetic. V8 needs a flag, see `testkit/toolchain/v8_flags.ts`. */
export const hasWideArithmetic: boolean = WebAssembly.validate(PROBE_MODULE);
