// Ed25519 over the hash of the unsigned entry. The hash covers `previous`, and so the head of the transcript and
// all earlier entries. Keys are PKCS#8 files, as OpenSSL writes them.
import { Buffer } from "node:buffer";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { Problem } from "../../../core/errors/problem.ts";
import { canonicalHash, type Contribution } from "./transcript.ts";

const ALGORITHM = "Ed25519";
const PEM = /^-----BEGIN PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----\s*$/;
export const MAX_SIGNING_KEY_BYTES = 10_000;

export interface SigningKey {
  readonly publicKey: string; // in hex
  sign(text: string): Promise<string>;
}

export type UnsignedContribution = Omit<Contribution, "signature" | "hash">;

export function signedText({ kind, name, keys, previous }: UnsignedContribution): string {
  return `tonado ceremony contribution\n${canonicalHash({ kind, name, keys, previous })}\n`;
}

export async function createSigningKey(): Promise<{ pem: string; publicKey: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${
    Buffer.from(pkcs8).toString("base64")
  }\n-----END PRIVATE KEY-----\n`;
  return { pem, publicKey: bytesToHex(raw) };
}

/** Throws `invalid_config` for anything but an unencrypted Ed25519 key in PEM. */
export async function openSigningKey(pem: string): Promise<SigningKey> {
  try {
    const base64 = PEM.exec(pem)![1].replaceAll(/\s/g, "");
    const key = await crypto.subtle.importKey("pkcs8", Buffer.from(base64, "base64"), ALGORITHM, true, [
      "sign",
    ]);
    const { x } = await crypto.subtle.exportKey("jwk", key);
    return {
      publicKey: Buffer.from(x!, "base64url").toString("hex"),
      sign: async (text) =>
        bytesToHex(
          new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, new Uint8Array(utf8ToBytes(text)))),
        ),
    };
  } catch { // no cause: it could quote the key
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "--signing-key", detail: "is not an unencrypted Ed25519 key in a PEM file" }],
      hint: "Create one with `tonado ceremony keygen`.",
    });
  }
}

export async function isSignatureValid(
  { publicKey, value }: NonNullable<Contribution["signature"]>,
  entry: UnsignedContribution,
): Promise<boolean> {
  const bytes = (hex: string) => new Uint8Array(hexToBytes(hex));
  try {
    const key = await crypto.subtle.importKey("raw", bytes(publicKey), ALGORITHM, false, ["verify"]);
    return await crypto.subtle.verify(
      ALGORITHM,
      key,
      bytes(value),
      new Uint8Array(utf8ToBytes(signedText(entry))),
    );
  } catch {
    return false; // the public key is not a point
  }
}
