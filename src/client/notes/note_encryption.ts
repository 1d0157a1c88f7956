/** Encrypts a note store as two armored age files: an identity under the passphrase, and the notes for it. */
import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { Problem } from "../../core/errors/problem.ts";
import { composePassphrase, isEnterable, spellingsOf, UNENTERABLE } from "../../core/text/passphrase.ts";
import { Secret } from "../../core/text/secret.ts";
import { noteStoreCorrupted, splitAgeFiles } from "./store/age_files.ts";

/** age's default: log2 of scrypt's N. Takes about a second and 256 MiB. */
export const SCRYPT_WORK_FACTOR = 18;
/** For devices without 256 MiB: needs 64 MiB. Use it only for randomly drawn passphrases. */
export const LIGHT_WORK_FACTOR = 16;

/** The key of a note store. */
export interface NoteIdentity {
  /** An age identity: it opens the store without the passphrase. */
  readonly key: Secret<string>;
  /** The identity, encrypted with the passphrase and armored: the first part of every file of the store. */
  readonly head: string;
}

/** Encrypts and decrypts the content of a note store. */
export interface NoteVault {
  encrypt(text: string): Promise<Uint8Array<ArrayBuffer>>;
  decrypt(bytes: Uint8Array): Promise<string>;
}

/**
 * Creates the key of a new note store. Takes about a second and 256 MiB.
 * @param workFactor base-2 logarithm of scrypt's cost; lower ones are for tests and small machines
 * @throws {Problem} `invalid_config` for control characters in the passphrase; `out_of_memory`
 * @example
 * ```ts
 * const vault = await vaultOf(await createIdentity(new Secret(passphrase)));
 * ```
 */
export async function createIdentity(
  passphrase: Secret<string>,
  workFactor: number = SCRYPT_WORK_FACTOR,
): Promise<NoteIdentity> {
  const key = await generateX25519Identity();
  const head = armor.encode(await encryptWithPassphrase(key, passphrase, workFactor));
  return { key: new Secret(key), head };
}

/**
 * Returns the key of a note store. Takes as long as {@linkcode createIdentity}, so a page calls it in a worker.
 * @param bytes the file of a note store
 * @throws {Problem} `wrong_passphrase`; `note_store_corrupted`; `out_of_memory`
 * @example
 * ```ts
 * const identity = await identityOf(bytes, new Secret(passphrase));
 * ```
 */
export async function identityOf(bytes: Uint8Array, passphrase: Secret<string>): Promise<NoteIdentity> {
  const [head] = splitAgeFiles(bytes);
  const key = await decryptWithPassphrase(() => armor.decode(head), passphrase, {
    wrong: new Problem("wrong_passphrase"),
    corrupted: noteStoreCorrupted(),
  });
  return { key: new Secret(key), head };
}

/**
 * Returns the vault of a key immediately, without the passphrase.
 * @throws {Problem} `note_store_corrupted` if the key is not an age identity
 * @example
 * ```ts
 * const text = await (await vaultOf(identity)).decrypt(bytes);
 * ```
 */
export async function vaultOf({ key, head }: NoteIdentity): Promise<NoteVault> {
  let recipient: string;
  try {
    recipient = await identityToRecipient(key.reveal());
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
      decrypter.addIdentity(key.reveal());
      try {
        return await decrypter.decrypt(armor.decode(body), "text");
      } catch {
        throw noteStoreCorrupted();
      }
    },
  };
}

/** Encrypts `text` as an age file. Throws `invalid_config` for a passphrase that could not be typed again. */
export async function encryptWithPassphrase(
  text: string,
  passphrase: Secret<string>,
  workFactor: number,
): Promise<Uint8Array> {
  if (!isEnterable(passphrase.reveal())) throw new Problem("invalid_config", `the passphrase ${UNENTERABLE}`);
  const encrypter = new Encrypter();
  encrypter.setPassphrase(composePassphrase(passphrase.reveal()));
  encrypter.setScryptWorkFactor(workFactor);
  try {
    return await encrypter.encrypt(text);
  } catch (error) {
    throw isAllocationFailure(error) ? new Problem("out_of_memory") : error;
  }
}

/** Decrypts the age file that `decode` returns. Throws `wrong`, or `corrupted` without a cause, which could quote text. */
export async function decryptWithPassphrase(
  decode: () => Uint8Array,
  passphrase: Secret<string>,
  { wrong, corrupted }: Readonly<Record<"wrong" | "corrupted", Problem>>,
): Promise<string> {
  const decrypter = new Decrypter();
  for (const spelling of spellingsOf(passphrase.reveal())) decrypter.addPassphrase(spelling);
  const encrypted = decodeOr(corrupted, decode);
  try {
    return await decrypter.decrypt(encrypted, "text");
  } catch (error) {
    if (isAllocationFailure(error)) throw new Problem("out_of_memory");
    throw error instanceof Error && error.message.startsWith("no identity matched") ? wrong : corrupted;
  }
}

function decodeOr(corrupted: Problem, decode: () => Uint8Array): Uint8Array {
  try {
    return decode();
  } catch {
    throw corrupted;
  }
}

/** Returns whether scrypt could not allocate its memory: a RangeError, in Firefox an InternalError. */
function isAllocationFailure(error: unknown): boolean {
  return error instanceof RangeError || (error as { readonly name?: unknown })?.name === "InternalError";
}

/** Returns the base-2 logarithm of scrypt's cost in the first part of a store's file. */
export function workFactorOf(head: string): number {
  const [, stanza] = new TextDecoder().decode(armor.decode(head)).split("\n", 2);
  return Number(/^-> scrypt \S+ (\d{1,2})$/.exec(stanza)?.[1] ?? SCRYPT_WORK_FACTOR);
}
