/** The characters of passphrases, and their spellings: one letter can be several sequences of code points. */

/** Completes "the passphrase". */
export const UNENTERABLE =
  "contains a control character (a tab, a line break) or one that could not be decoded, so you could not " +
  "type it again";

/** Returns whether a passphrase can be typed again: without control characters, and without damage from decoding. */
export function isEnterable(passphrase: string): boolean {
  return !/[\p{Cc}\p{Cs}\uFFFD]/u.test(passphrase); // Cs: half of a surrogate pair, which UTF-8 cannot encode
}

/** Returns the spelling that encrypts: with composed letters (Unicode's NFC), as most keyboards type them. */
export function composePassphrase(passphrase: string): string {
  return passphrase.normalize("NFC");
}

/**
 * Returns the spellings that may decrypt, each once: as typed, composed and decomposed. Other programs encrypt what
 * was typed. Most passphrases have one spelling; each costs a whole key derivation.
 */
export function spellingsOf(passphrase: string): string[] {
  return [...new Set([passphrase, composePassphrase(passphrase), passphrase.normalize("NFD")])];
}
