/** The scalar field's order. Separate from the codecs, because the prover's worker needs only this. */

/** r, the order of the BLS12-381 groups (draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1). */
export const FIELD_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

export const FIELD_BYTES = 32;

export function isFieldElement(x: bigint): boolean {
  return x >= 0n && x < FIELD_MODULUS;
}
