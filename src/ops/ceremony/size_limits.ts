/** Maximum sizes. Folders are not trusted: larger files are rejected before they are read. */

/** The largest of our circuits, settle16, has about fifteen thousand. */
export const MAX_CONSTRAINTS = 1 << 16;
/** Each contribution takes a few thousand bytes. */
export const MAX_TRANSCRIPT_BYTES = 64_000_000;
export const MAX_ENTROPY_BYTES = 16_000_000;

/** Our constraint systems take about 500 bytes per constraint, the keys about 850. */
const BYTES_PER_CONSTRAINT = 2_048;
const BYTES_PER_CONTRIBUTION = 2_048; // for points, hashes, a name and a beacon
/** The part of a key that does not depend on the circuit. */
const BASE_BYTES = 65_536;

export const MAX_R1CS_BYTES = BASE_BYTES + BYTES_PER_CONSTRAINT * MAX_CONSTRAINTS;

export function maxKeyBytes(constraints: number, contributions: number): number {
  return BASE_BYTES + BYTES_PER_CONSTRAINT * constraints + BYTES_PER_CONTRIBUTION * contributions;
}
