/**
 * TON mnemonics (24 words of the BIP-39 list, TON's own derivation and checksum; not BIP-39). Nothing here prints,
 * keeps or names a word.
 */
import { mnemonicNew, mnemonicToPrivateKey, mnemonicValidate } from "@ton/crypto";
import { parseMnemonic } from "../../core/text/mnemonic_words.ts";
import { Secret } from "../../core/text/secret.ts";

/** A key pair, and whether the words that it came from pass TON's checksum. */
export interface MnemonicKeyPair {
  readonly publicKey: Buffer;
  /** 64 bytes: Ed25519 seed and public key. */
  readonly secretKey: Buffer;
  readonly checksumValid: boolean;
}

/**
 * Parses a mnemonic and says whether TON's checksum holds. It fails for a word put in another's place with 255 in 256;
 * wallets exist whose words never passed it, so this only warns.
 *
 * @throws {Problem} `invalid_config` for another count than 24, or words that are not in the list
 */
export async function checkMnemonic(mnemonic: Secret<string> | string): Promise<{ checksumHolds: boolean }> {
  return { checksumHolds: await mnemonicValidate(parseWords(mnemonic)) };
}

/** Derives the key. Throws as {@linkcode checkMnemonic} does. */
export async function deriveKeyPair(mnemonic: Secret<string> | string): Promise<MnemonicKeyPair> {
  const words = parseWords(mnemonic);
  return { ...await mnemonicToPrivateKey(words), checksumValid: await mnemonicValidate(words) };
}

/** 24 new words, of the platform's cryptographic generator, that pass TON's checksum. */
export async function generateMnemonic(): Promise<Secret<string>> {
  return new Secret((await mnemonicNew(24)).join(" "));
}

function parseWords(mnemonic: Secret<string> | string): string[] {
  return parseMnemonic(mnemonic instanceof Secret ? mnemonic.reveal() : mnemonic);
}
