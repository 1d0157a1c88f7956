/** The characters of passphrases. */

/** Completes "the passphrase". */
export const UNENTERABLE =
  "contains a control character (a tab, a line break) or one that could not be decoded, so you could not " +
  "type it again";

/** Returns whether a passphrase can be typed again: without control characters, and without damage from decoding. */
export function isEnterable(passphrase: string): boolean {
  return !/[\p{Cc}\p{Cs}\uFFFD]/u.test(passphrase); // Cs: half of a surrogate pair, which UTF-8 cannot encode
}
