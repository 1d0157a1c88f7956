/** Encrypts a paper code as an age file with a passphrase; `base64 -d | age -d` decrypts it. */
import { Problem } from "../../../core/errors/problem.ts";
import { Secret } from "../../../core/text/secret.ts";
import { decryptWithPassphrase, encryptWithPassphrase, SCRYPT_WORK_FACTOR } from "../note_encryption.ts";
import { ENCRYPTED_PREFIX } from "./paper_code_text.ts";

/** Takes as long as opening a note store. Use a lower `workFactor` only in tests. */
export async function encryptPaperCode(
  note: Secret<string>,
  passphrase: Secret<string>,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<string> {
  const bytes = await encryptWithPassphrase(note.reveal(), passphrase, workFactor);
  return ENCRYPTED_PREFIX + btoa(String.fromCharCode(...bytes));
}

/** Throws `wrong_passphrase`, or `invalid_note` for a truncated or misread code. */
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
