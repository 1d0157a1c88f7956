/** How large a ceremony's files can be. Folders come from strangers: what is larger is refused before it is read. */

/** Of a circuit here; the larger one has some ten thousand, and a transcript or a file that says more is not of them. */
export const MOST_CONSTRAINTS = 1 << 16;
/** Bytes of a transcript; each contribution takes some thousand. */
export const LARGEST_TRANSCRIPT = 64_000_000;
/** Bytes of somebody's entropy: what is random in more of it, is so in less. */
export const LARGEST_ENTROPY = 16_000_000;

/** The circuits' constraint systems have some 500 bytes a constraint, their keys some 850. */
const BYTES_PER_CONSTRAINT = 2_048;
/** Points, hashes, a name and a beacon. */
const BYTES_PER_CONTRIBUTION = 2_048;
/** What a key has whatever its circuit. */
const BYTES_ANYWAY = 65_536;

/** Bytes that a constraint system may have. */
export const LARGEST_R1CS = BYTES_ANYWAY + BYTES_PER_CONSTRAINT * MOST_CONSTRAINTS;

/** Bytes that the key of a circuit may have after so many contributions. */
export function largestKey(constraints: number, contributions: number): number {
  return BYTES_ANYWAY + BYTES_PER_CONSTRAINT * constraints + BYTES_PER_CONTRIBUTION * contributions;
}
