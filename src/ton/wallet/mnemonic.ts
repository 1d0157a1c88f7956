/** TON mnemonics: 24 words of BIP-39's list with TON's own derivation and checksum. No word is printed. */
import { mnemonicNew, mnemonicToPrivateKey, mnemonicValidate } from "@ton/crypto";
import { parseMnemonic } from "../../core/text/mnemonic_words.ts";
import { Secret } from "../../core/text/secret.ts";

interface MnemonicKeyPair {
  readonly publicKey: Buffer;
  readonly secretKey: Buffer; // 64 bytes: Ed25519 seed and public key
  readonly checksumValid: boolean;
}

/** Callers only warn: some wallets' words never passed TON's checksum. Throws `invalid_config`. */
export async function deriveKeyPair(mnemonic: Secret<string> | string): Promise<MnemonicKeyPair> {
  const words = parseWords(mnemonic);
  return { ...await mnemonicToPrivateKey(words), checksumValid: await mnemonicValidate(words) };
}

export async function generateMnemonic(): Promise<Secret<string>> {
  return new Secret((await mnemonicNew(24)).join(" "));
}

function parseWords(mnemonic: Secret<string> | string): string[] {
  return parseMnemonic(mnemonic instanceof Secret ? mnemonic.reveal() : mnemonic);
}
