/** The worker that has the keys of note stores: scrypt and age run here, off the page's thread. */
import {
  createIdentity,
  identityOf,
  LIGHT_WORK_FACTOR,
  type NoteIdentity,
  type NoteVault,
  SCRYPT_WORK_FACTOR,
  vaultOf,
  workFactorOf,
} from "../client/notes/note_encryption.ts";
import { decryptPaperCode, encryptPaperCode } from "../client/notes/paper/paper_code.ts";
import { Problem } from "../core/errors/problem.ts";
import { Secret } from "../core/text/secret.ts";
import { serveTasks } from "../threads/serve_tasks.ts";
import type { VaultResults, VaultTask } from "./vault_task.ts";

interface OpenKey {
  readonly vault: NoteVault;
  readonly passphrase: Secret<string>;
  /** The cost that this device could compute, which paper codes use as well. */
  readonly workFactor: number;
}

const keys = new Map<number, OpenKey>();
let lastNumber = 0;

async function run(task: VaultTask): Promise<VaultResults[VaultTask["kind"]]> {
  switch (task.kind) {
    case "create": {
      const passphrase = new Secret(task.passphrase);
      const workFactor = task.isLight ? LIGHT_WORK_FACTOR : SCRYPT_WORK_FACTOR;
      return await keep(await createIdentity(passphrase, workFactor), passphrase);
    }
    case "open": {
      const passphrase = new Secret(task.passphrase);
      return await keep(await identityOf(task.bytes, passphrase), passphrase);
    }
    case "encrypt":
      return await keyOf(task.vault).vault.encrypt(task.text);
    case "decrypt":
      return await keyOf(task.vault).vault.decrypt(task.bytes);
    case "paper": {
      const { passphrase, workFactor } = keyOf(task.vault);
      return await encryptPaperCode(new Secret(task.text), passphrase, workFactor);
    }
    case "openPaper":
      return (await decryptPaperCode(task.code, new Secret(task.passphrase))).reveal();
    case "close":
      keys.delete(task.vault);
      return undefined;
  }
}

async function keep(identity: NoteIdentity, passphrase: Secret<string>): Promise<number> {
  const vault = await vaultOf(identity);
  keys.set(++lastNumber, { vault, passphrase, workFactor: workFactorOf(identity.head) });
  return lastNumber;
}

function keyOf(number: number): OpenKey {
  const key = keys.get(number);
  if (!key) throw new Problem("cancelled", "the notes are locked");
  return key;
}

serveTasks<VaultTask>("vault", run);
