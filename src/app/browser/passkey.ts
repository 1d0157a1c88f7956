/// <reference lib="dom" />
/** Stores the passphrase encrypted with this device's passkey: WebAuthn's PRF, through age. */
import { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import type { Passkeys } from "../ports.ts";
import type { Records } from "./indexeddb.ts";

const RECORD = "passphrase";
/** Loaded when a passkey is used: the page's start does not need it. */
const loadAge = () => import("age-encryption");

interface Enrolled {
  /** age's name of the credential. It is useless without the device. */
  readonly identity: string;
  readonly sealed: Uint8Array<ArrayBuffer>;
}

export function browserPasskeys(records: Records): Passkeys {
  const read = async () => await records.get("passkeys", RECORD) as Enrolled | undefined;
  return {
    async isAvailable() {
      try {
        // A WebAuthn credential belongs to a domain name, so a page at an IP address cannot have one.
        if (/^[\d.]+$|^\[/.test(location.hostname)) return false;
        return await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
      } catch { // an old browser
        return false;
      }
    },
    isEnrolled: async () => (await read().catch(() => undefined)) !== undefined,
    enroll: (passphrase) =>
      answered(async () => {
        const { Encrypter, webauthn } = await loadAge();
        const identity = await webauthn.createCredential({ keyName: "tonado" });
        const encrypter = new Encrypter();
        encrypter.addRecipient(new webauthn.WebAuthnRecipient({ identity }));
        const sealed = await encrypter.encrypt(passphrase.reveal());
        await records.put("passkeys", RECORD, { identity, sealed } satisfies Record<keyof Enrolled, unknown>);
      }),
    unlock: () =>
      answered(async () => {
        const enrolled = await read();
        if (!enrolled) throw new Problem("passkey_unavailable", "no passkey was set up in this browser");
        const { Decrypter, webauthn } = await loadAge();
        const decrypter = new Decrypter();
        decrypter.addIdentity(new webauthn.WebAuthnIdentity({ identity: enrolled.identity }));
        return new Secret(await decrypter.decrypt(enrolled.sealed, "text"));
      }),
    remove: () => records.delete("passkeys", RECORD),
  };
}

/** Omits the cause of a failure, which could quote decrypted text. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const name = error instanceof Error ? error.name : "";
    if (name === "NotAllowedError" || name === "AbortError") throw new Problem("cancelled");
    throw new Problem("passkey_unavailable", `the device has no passkey that can open the notes (${name})`);
  }
}
