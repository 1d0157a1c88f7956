/** Draws passphrases: six different words from 2048, together almost 66 bits. */
import { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import type { RandomBytes } from "../ports.ts";

const WORDS = 6;

/** Loads the 2048 words of BIP 39 on demand, which keeps the page's first load small. */
const loadWords = async () => (await import("@ton/crypto/dist/mnemonic/wordlist.js")).default.wordlist;

export async function drawPassphrase(random: RandomBytes): Promise<Secret<string>> {
  const words = await loadWords();
  const bytes = new Uint8Array(2 * WORDS);
  let drawn: string[];
  do {
    random(bytes);
    // 2048 divides 65536, so no word is more likely than another.
    drawn = Array.from(
      { length: WORDS },
      (_, i) => words[(bytes[2 * i] * 256 + bytes[2 * i + 1]) % words.length],
    );
  } while (new Set(drawn).size < WORDS);
  return new Secret(drawn.join(" "));
}

/** Creates a key, with a cheaper scrypt for drawn words if memory is short. Throws `out_of_memory` for others. */
export async function withLightFallback<T>(
  passphrase: Secret<string>,
  create: (isLight: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await create(false);
  } catch (error) {
    const isShort = error instanceof Problem && error.code === "out_of_memory";
    if (!isShort || !await isDrawn(passphrase)) throw error;
    return await create(true);
  }
}

/** Typed words, such as those of another device, cannot be distinguished from drawn ones. */
async function isDrawn(passphrase: Secret<string>): Promise<boolean> {
  const known = new Set(await loadWords());
  const typed = passphrase.reveal().split(" ");
  return new Set(typed).size >= WORDS && typed.every((word) => known.has(word));
}
