/**
 * Encrypts notes as two armored age files (age-encryption.org/v1): an age identity under the passphrase
 * (scrypt), and the notes for that identity. The passphrase is stretched once per run, and the `age` program
 * can decrypt both.
 */
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { Problem } from "../../core/errors/problem.ts";
import type { Secret } from "../../core/text/secret.ts";

/** age's default: log2 of scrypt's N. Takes about a second and 256 MiB. */
export const SCRYPT_WORK_FACTOR = 18;
const AGE_ARMOR_FOOTER = "-----END AGE ENCRYPTED FILE-----\n";

export interface NoteCipher {
  encrypt(text: string): Promise<Uint8Array>;
  /** Throws `note_store_corrupted`. */
  decrypt(bytes: Uint8Array): Promise<string>;
}

/** Use a lower `workFactor` only in tests. */
export async function createNoteCipher(
  passphrase: Secret<string>,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<NoteCipher> {
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.reveal());
  encrypter.setScryptWorkFactor(workFactor);
  return cipherFromIdentity(identity, armor.encode(await encrypter.encrypt(identity)));
}

/** Opens bytes of {@linkcode NoteCipher.encrypt}. Throws `wrong_passphrase` or `note_store_corrupted`. */
export async function openNoteCipher(bytes: Uint8Array, passphrase: Secret<string>): Promise<NoteCipher> {
  const [head] = splitAgeFiles(bytes);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.reveal());
  let identity: string;
  try {
    identity = await decrypter.decrypt(armor.decode(head), "text");
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("no identity matched")) {
      throw new Problem("wrong_passphrase");
    }
    throw noteStoreCorrupted();
  }
  return await cipherFromIdentity(identity, head);
}

async function cipherFromIdentity(identity: string, head: string): Promise<NoteCipher> {
  let recipient: string;
  try {
    recipient = await identityToRecipient(identity);
  } catch {
    throw noteStoreCorrupted();
  }
  return {
    async encrypt(text) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      const body = armor.encode(await encrypter.encrypt(text));
      return new TextEncoder().encode(`${head.trimEnd()}\n${body.trimEnd()}\n`);
    },
    async decrypt(bytes) {
      const [, body] = splitAgeFiles(bytes);
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      try {
        return await decrypter.decrypt(armor.decode(body), "text");
      } catch {
        throw noteStoreCorrupted();
      }
    },
  };
}

function splitAgeFiles(bytes: Uint8Array): [head: string, body: string] {
  const text = new TextDecoder().decode(bytes);
  const at = text.indexOf(AGE_ARMOR_FOOTER);
  if (
    at < 0 || !text.endsWith(AGE_ARMOR_FOOTER) ||
    text.indexOf(AGE_ARMOR_FOOTER, at + 1) !== text.length - AGE_ARMOR_FOOTER.length
  ) {
    throw noteStoreCorrupted();
  }
  return [text.slice(0, at + AGE_ARMOR_FOOTER.length), text.slice(at + AGE_ARMOR_FOOTER.length)];
}

function noteStoreCorrupted(): Problem {
  return new Problem(
    "note_store_corrupted",
    "the note store is truncated or altered, or the file is not a note store",
  );
}
