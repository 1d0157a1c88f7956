/** Encrypts a paper code as an age file with a passphrase; `base64 -d | age -d` decrypts it. */
import { Problem } from "../../../core/errors/problem.ts";
import { Secret } from "../../../core/text/secret.ts";
import { decryptWithPassphrase, encryptWithPassphrase, SCRYPT_WORK_FACTOR } from "../note_encryption.ts";
import { ENCRYPTED_PREFIX } from "./paper_code_text.ts";

/**
 * Encrypts the text of a note or seed as a code to print. Takes as long as opening a note store.
 * @param workFactor base-2 logarithm of scrypt's cost; lower ones are for tests only
 * @throws {Problem} `invalid_config` for control characters in the passphrase; `out_of_memory`
 * @example
 * ```ts
 * const code = await encryptPaperCode(record.text, passphrase);
 * ```
 */
export async function encryptPaperCode(
  note: Secret<string>,
  passphrase: Secret<string>,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<string> {
  const bytes = await encryptWithPassphrase(note.reveal(), passphrase, workFactor);
  return ENCRYPTED_PREFIX + btoa(String.fromCharCode(...bytes));
}

/**
 * Returns the text of the note or seed in a code.
 * @param code from {@linkcode encryptPaperCode}
 * @throws {Problem} `wrong_passphrase`; `invalid_note` for a truncated or misread code; `out_of_memory`
 * @example
 * ```ts
 * const note = parseNote((await decryptPaperCode(code, passphrase)).reveal());
 * ```
 */
export async function decryptPaperCode(code: string, passphrase: Secret<string>): Promise<Secret<string>> {
  const decode = () =>
    Uint8Array.from(atob(code.slice(ENCRYPTED_PREFIX.length)), (byte) => byte.charCodeAt(0));
  return new Secret(
    await decryptWithPassphrase(decode, passphrase, {
      wrong: new Problem("wrong_passphrase", "the passphrase does not open this code"),
      corrupted: new Problem("invalid_note", "the code is incomplete or misread. Copy all of it"),
    }),
  );
}
