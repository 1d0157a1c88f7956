/** Two armored age files, which `age` can decrypt: an identity under the passphrase, and the notes for it. */
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { Problem } from "../../core/errors/problem.ts";
import type { Secret } from "../../core/text/secret.ts";

/** age's default: log2 of scrypt's N. Takes about a second and 256 MiB. */
export const SCRYPT_WORK_FACTOR = 18;
const AGE_ARMOR_FOOTER = "-----END AGE ENCRYPTED FILE-----\n";

export interface NoteCipher {
  encrypt(text: string): Promise<Uint8Array>;
  decrypt(bytes: Uint8Array): Promise<string>;
}

/** Use a lower `workFactor` only in tests. */
export async function createNoteCipher(
  passphrase: Secret<string>,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<NoteCipher> {
  const identity = await generateX25519Identity();
  return cipherFromIdentity(
    identity,
    armor.encode(await encryptWithPassphrase(identity, passphrase, workFactor)),
  );
}

export async function openNoteCipher(bytes: Uint8Array, passphrase: Secret<string>): Promise<NoteCipher> {
  const [head] = splitAgeFiles(bytes);
  const identity = await decryptWithPassphrase(() => armor.decode(head), passphrase, {
    wrong: new Problem("wrong_passphrase"),
    corrupted: noteStoreCorrupted(),
  });
  return await cipherFromIdentity(identity, head);
}

/** Encrypts `text` as an age file. @param workFactor base-2 logarithm of scrypt's cost */
export async function encryptWithPassphrase(
  text: string,
  passphrase: Secret<string>,
  workFactor: number,
): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.reveal());
  encrypter.setScryptWorkFactor(workFactor);
  return await encrypter.encrypt(text);
}

/** Decrypts the age file that `decode` returns. Throws `wrong`, or `corrupted` without a cause, which could quote text. */
export async function decryptWithPassphrase(
  decode: () => Uint8Array,
  passphrase: Secret<string>,
  { wrong, corrupted }: Readonly<Record<"wrong" | "corrupted", Problem>>,
): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.reveal());
  try {
    return await decrypter.decrypt(decode(), "text");
  } catch (error) {
    throw error instanceof Error && error.message.startsWith("no identity matched") ? wrong : corrupted;
  }
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
