/** The words of a TON mnemonic. Nothing here prints, keeps or names a word: a mistyped one is nearly the secret one. */
import { mnemonicWordList } from "@ton/crypto";
import { Problem } from "./errors.ts";

/** Words of a mnemonic. */
export const MNEMONIC_WORDS = 24;

/**
 * Splits a mnemonic into its words, in lower case.
 *
 * @throws {Problem} `invalid_config` for another count than 24, or words that are not in the list (by their positions)
 */
export function parseMnemonic(text: string): string[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  if (words.length !== MNEMONIC_WORDS) {
    const count = text.trim() === "" ? 0 : words.length;
    throw new Problem("invalid_config", `mnemonic has ${count} words instead of ${MNEMONIC_WORDS}`);
  }
  const known = new Set(mnemonicWordList);
  const unknown = words.flatMap((word, i) => known.has(word) ? [] : [i + 1]);
  if (unknown.length > 0) {
    throw new Problem("invalid_config", `mnemonic: word ${unknown.join(", ")} is not in the word list`);
  }
  return words;
}
