/**
 * Notes on paper: what a QR code of a backup page holds, and how it is found again in whatever it was copied into. A code
 * is one note: an age file under a passphrase (`tonado-age:` and base64, which `base64 -d | age -d` opens, too), or, where
 * its owner wants it so, the note itself.
 */
import { Decrypter, Encrypter } from "age-encryption";
import { Problem } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { WORK_FACTOR } from "./note_vault.ts";

const SEALED = "tonado-age:";
const CODE = /tonado-age:[A-Za-z0-9+/]+={0,2}|tonado-[a-z0-9]+-[0-9.]+-[a-z]+-0x[0-9a-f]{124}(?![0-9a-f])/g;

/**
 * One note under a passphrase, by itself. It takes as long as opening a note store.
 *
 * @param workFactor lower only where nothing is at stake
 */
export async function sealCode(
  note: Secret<string>,
  passphrase: Secret<string>,
  workFactor = WORK_FACTOR,
): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.reveal());
  encrypter.setScryptWorkFactor(workFactor);
  return SEALED + btoa(String.fromCharCode(...await encrypter.encrypt(note.reveal())));
}

/** All codes in a text: a page, what a scanner says, or what somebody typed. Each once, in their order. */
export function findCodes(text: string): string[] {
  return [...new Set(text.match(CODE))];
}

/** Whether a code needs its passphrase. */
export function isSealed(code: string): boolean {
  return code.startsWith(SEALED);
}

/**
 * The note of a code.
 *
 * @throws {Problem} `notes_locked` for another passphrase, `invalid_note` for a code that is cut off or misread
 */
export async function openCode(code: string, passphrase: Secret<string>): Promise<Secret<string>> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.reveal());
  try {
    const bytes = Uint8Array.from(atob(code.slice(SEALED.length)), (byte) => byte.charCodeAt(0));
    return new Secret(await decrypter.decrypt(bytes, "text"));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("no identity matched")) {
      throw new Problem("notes_locked", "the passphrase does not open this code");
    }
    throw new Problem("invalid_note", "the code is cut off or misread: copy the whole of it");
  }
}
