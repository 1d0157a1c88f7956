/**
 * How notes are encrypted: two age files (age-encryption.org/v1), armored, one after the other. The first holds an age
 * identity under the passphrase (scrypt), the second the notes for that identity. So the passphrase is stretched once a
 * run, not at each write, and the `age` program reads both without this one.
 */
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { Problem } from "../core/errors.ts";
import type { Secret } from "../core/secret.ts";

/** log2 of scrypt's N: age's own default, about a second and 256 MiB. */
export const WORK_FACTOR = 18;
const END = "-----END AGE ENCRYPTED FILE-----\n";

/** An opened store's key. */
export interface Vault {
  seal(text: string): Promise<Uint8Array>;
  /** @throws {Problem} `notes_damaged` */
  open(bytes: Uint8Array): Promise<string>;
}

/** A new key under `passphrase`. @param workFactor lower only where nothing is at stake */
export async function createVault(passphrase: Secret<string>, workFactor = WORK_FACTOR): Promise<Vault> {
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.reveal());
  encrypter.setScryptWorkFactor(workFactor);
  return vaultOf(identity, armor.encode(await encrypter.encrypt(identity)));
}

/**
 * The key of what {@linkcode Vault.seal} wrote.
 *
 * @throws {Problem} `notes_locked` for another passphrase, `notes_damaged`
 */
export async function openVault(bytes: Uint8Array, passphrase: Secret<string>): Promise<Vault> {
  const [head] = split(bytes);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.reveal());
  let identity: string;
  try {
    identity = await decrypter.decrypt(armor.decode(head), "text");
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("no identity matched")) {
      throw new Problem("notes_locked");
    }
    throw damaged();
  }
  return await vaultOf(identity, head);
}

async function vaultOf(identity: string, head: string): Promise<Vault> {
  let recipient: string;
  try {
    recipient = await identityToRecipient(identity);
  } catch {
    throw damaged();
  }
  return {
    async seal(text) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      const body = armor.encode(await encrypter.encrypt(text));
      return new TextEncoder().encode(`${head.trimEnd()}\n${body.trimEnd()}\n`);
    },
    async open(bytes) {
      const [, body] = split(bytes);
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      try {
        return await decrypter.decrypt(armor.decode(body), "text");
      } catch {
        throw damaged();
      }
    },
  };
}

function split(bytes: Uint8Array): [head: string, body: string] {
  const text = new TextDecoder().decode(bytes);
  const at = text.indexOf(END);
  if (at < 0 || !text.endsWith(END) || text.indexOf(END, at + 1) !== text.length - END.length) {
    throw damaged();
  }
  return [text.slice(0, at + END.length), text.slice(at + END.length)];
}

function damaged(): Problem {
  return new Problem("notes_damaged", "the note store is cut off, altered, or no note store");
}
