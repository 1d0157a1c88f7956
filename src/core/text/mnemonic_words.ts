/** TON mnemonics. Errors never contain a word: a mistyped word is almost the secret one. */
import { mnemonicWordList } from "@ton/crypto";
import { Problem } from "../errors/problem.ts";

export const MNEMONIC_WORDS = 24;

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
