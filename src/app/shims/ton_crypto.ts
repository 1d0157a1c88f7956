/** Replaces `@ton/crypto` in the app's build: hashing cells needs only SHA-256. Everything else throws. */
import { Buffer } from "node:buffer";
import { sha256 as hash } from "@noble/hashes/sha2.js";

export function sha256_sync(data: Uint8Array | string): Buffer {
  return Buffer.from(hash(typeof data === "string" ? new TextEncoder().encode(data) : data));
}

export function sha256(data: Uint8Array | string): Promise<Buffer> {
  return Promise.resolve(sha256_sync(data));
}

function unsupported(): never {
  throw new Error("the app neither signs nor handles mnemonics: a wallet does");
}

export {
  unsupported as keyPairFromSecretKey,
  unsupported as keyPairFromSeed,
  unsupported as mnemonicNew,
  unsupported as mnemonicToPrivateKey,
  unsupported as mnemonicValidate,
  unsupported as sign,
  unsupported as signVerify,
};

/** Empty: only the relayer and the command line search texts for mnemonics. */
export const mnemonicWordList: readonly string[] = [];
