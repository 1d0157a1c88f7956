/** `tonado note backup` and `restore`. */
import { newRecord, type NoteRecord } from "../client/note_store.ts";
import { loadNotes } from "../config/client_config.ts";
import { Problem } from "../core/errors.ts";
import { type NoteOptions, openNotes } from "./note_access.ts";
import type { Wiring } from "./wiring.ts";

/** Writes a copy that was read back before. */
export async function noteBackup(wiring: Wiring, file: string, options: NoteOptions): Promise<void> {
  const store = await openNotes(wiring, options);
  const { length } = await store.list();
  const bytes = await store.backup();
  await wiring.writeStream(file, ReadableStream.from([bytes]));
  report(
    wiring,
    options,
    { file, notes: length },
    `${length} notes in ${file}, under the store's passphrase`,
  );
}

/** Adds what the backup has beyond the store. */
export async function noteRestore(
  wiring: Wiring,
  file: string | undefined,
  options: NoteOptions,
): Promise<void> {
  const records = file === undefined ? [await asked(wiring)] : await backedUp(wiring, file, options);
  const store = await openNotes(wiring, options, { create: true });
  const added = await store.add(records);
  const text = `${added} of ${records.length} notes are new here\nWhere they stand: tonado note check`;
  report(wiring, options, { found: records.length, added }, text);
}

async function asked(wiring: Wiring): Promise<NoteRecord> {
  const text = await wiring.askSecret("The note, tonado-...");
  if (!text) {
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "file", detail: "is required: there is no terminal to ask for a note at" }],
    });
  }
  return newRecord(text.reveal().trim(), wiring.now());
}

/** The backup's passphrase may be another one than the store's: it is tried first, then asked for. */
async function backedUp(wiring: Wiring, path: string, options: NoteOptions): Promise<readonly NoteRecord[]> {
  const file = wiring.notes(path);
  if (!await file.exists()) {
    throw new Problem("invalid_config", undefined, {
      errors: [{ pointer: "file", detail: `${path} is not there` }],
    });
  }
  const { passphrase } = loadNotes(options, wiring.env);
  const given = passphrase ?? await wiring.askSecret(`Passphrase of ${path}`);
  if (!given) throw new Problem("notes_locked", "there is no terminal to ask for the backup's passphrase at");
  return await (await file.open(given)).list();
}

function report({ stdout }: Wiring, { json, quiet }: NoteOptions, members: object, text: string): void {
  if (json) stdout.write(JSON.stringify(members) + "\n");
  else if (!quiet) stdout.write(`${text}\n`);
}
