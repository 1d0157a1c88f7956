/** `tonado note backup` and `restore`. */
import { basename } from "node:path";
import { LARGEST_NOTES, newRecord, type NoteRecord } from "../client/note_store.ts";
import { findCodes, isSealed, openCode } from "../client/paper_code.ts";
import { loadNotes } from "../config/client_config.ts";
import { findRegistry } from "../config/registry.ts";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { Secret } from "../core/secret.ts";
import { counted } from "../core/units.ts";
import { backupPage, type PaperNote } from "./backup_page.ts";
import { sameFlags } from "./chain_options.ts";
import { misuse } from "./misuse.ts";
import { type NoteOptions, openNotes } from "./note_access.ts";
import { poolsOf } from "./note_pools.ts";
import { colours, stageLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** How a store and its backup begin, as age files in text do. */
const ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----";

/** A code has its passphrase stretched by itself. */
const EACH = "a second or so for each";

/** Flags of `backup`. */
export type BackupOptions = NoteOptions & { readonly page?: boolean; readonly plain?: boolean };

/** Writes a copy that was read back before, or a page for paper. */
export async function noteBackup(wiring: Wiring, file: string, options: BackupOptions): Promise<void> {
  const { page = false, plain = false } = options;
  if (plain && !page) throw misuse("--plain", "is for --page only: the file is always encrypted");
  const store = await openNotes(wiring, options);
  const records = await store.list();
  if (!page) {
    if (records.length === 0) throw nothing("the store has no notes");
    const bytes = await store.backup();
    await wiring.writeStream(file, ReadableStream.from([bytes]));
    const text = `${counted(records.length, "note")} in ${file}, under the store's passphrase`;
    return report(wiring, options, { file, notes: records.length }, text);
  }
  const notes = records.filter(({ state }) => state !== "withdrawn");
  if (notes.length === 0) throw nothing("the store has no note that is not withdrawn");
  const progress = stageLine(wiring.stderr, options);
  const codes: PaperNote[] = [];
  try {
    for (const { id, note, text } of notes) {
      if (!plain) {
        progress.update(`encrypting ${counted(notes.length, "note")}, ${EACH}`, codes.length / notes.length);
      }
      codes.push({ pool: note.reveal(), code: plain ? text.reveal() : await store.paperCode(id) });
    }
  } finally {
    progress.clear();
  }
  const html = backupPage(codes, {
    sealed: !plain,
    madeAt: wiring.now(),
    store: basename(loadNotes(options, wiring.env).path),
  });
  await wiring.writeStream(file, ReadableStream.from([new TextEncoder().encode(html)]));
  if (plain) {
    const mark = colours(wiring.stderr, wiring.env).yellow("warning");
    wiring.stderr.write(`${mark}: whoever sees this page, or the file, can take the money\n`);
  }
  const how = plain ? "not encrypted" : "under the store's passphrase";
  report(
    wiring,
    options,
    { file, notes: codes.length, plain },
    `${counted(codes.length, "note")} in ${file}, ${how}`,
  );
}

/** Adds what the backup has beyond the store. */
export async function noteRestore(
  wiring: Wiring,
  file: string | undefined,
  options: NoteOptions,
): Promise<void> {
  const records = file === undefined ? await asked(wiring, options) : await backedUp(wiring, file, options);
  const store = await openNotes(wiring, options, { create: true });
  const added = await store.add(records);
  const text = `${added} of ${counted(records.length, "note")} ${added === 1 ? "is" : "are"} new here${
    (await checkHints(records, options)).join("")
  }`;
  report(wiring, options, { found: records.length, added }, text);
}

/** The command that checks the restored notes, for each network; with --registry if the release does not list a pool. */
async function checkHints(records: readonly NoteRecord[], { notes }: NoteOptions): Promise<string[]> {
  const byNetwork = Map.groupBy(records, ({ note }) => note.reveal().network);
  return await Promise.all([...byNetwork].map(async ([network, ofNetwork]) => {
    const listed = await allListed(network, ofNetwork);
    const flags = sameFlags({ network, notes });
    return `\nTo check them: tonado note check ${flags}${listed ? "" : " --registry <file>"}${
      listed
        ? ""
        : "\nThe registry file is the one that you used to deposit: these pools are in no default registry."
    }`;
  }));
}

async function allListed(network: Network, records: readonly NoteRecord[]): Promise<boolean> {
  try {
    const known = await findRegistry(network);
    for (const record of records) poolsOf(record, known);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false; // a hint must not make a finished restore fail
    throw error;
  }
}

/** What is typed or pasted: a note, or a code of a page. */
async function asked(wiring: Wiring, options: NoteOptions): Promise<readonly NoteRecord[]> {
  const text = await wiring.askSecret("The note, tonado-...");
  if (!text) throw misuse("file", "is required: there is no terminal to ask for a note at");
  const codes = findCodes(text.reveal());
  if (codes.length > 0) return await opened(wiring, codes, options, "the code");
  return [newRecord(text.reveal().trim(), wiring.now())];
}

async function backedUp(wiring: Wiring, path: string, options: NoteOptions): Promise<readonly NoteRecord[]> {
  const text = new TextDecoder().decode(wiring.readFile(path, LARGEST_NOTES));
  const codes = findCodes(text);
  if (codes.length > 0) return await opened(wiring, codes, options, path);
  if (!text.startsWith(ARMOR)) {
    throw new Problem("invalid_config", `${path} is no backup, and no page with codes`, {
      todo: "Name the file that `tonado note backup` wrote.",
    });
  }
  try {
    return await (await wiring.notes(path).open(await passphraseOf(wiring, options, path))).list();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "notes_damaged") throw error;
    throw new Problem("notes_damaged", `the backup ${path} is cut off or altered`, {
      todo: "Use another copy of it, or the page: nothing was changed here.",
    });
  }
}

async function opened(
  wiring: Wiring,
  codes: readonly string[],
  options: NoteOptions,
  what: string,
): Promise<readonly NoteRecord[]> {
  const passphrase = codes.some(isSealed) ? await passphraseOf(wiring, options, what) : undefined;
  const progress = stageLine(wiring.stderr, options);
  const records: NoteRecord[] = [];
  try {
    for (const code of codes) {
      if (passphrase) {
        progress.update(
          `decrypting ${counted(codes.length, "note")}, ${EACH}`,
          records.length / codes.length,
        );
      }
      const text = passphrase && isSealed(code) ? (await openCode(code, passphrase)).reveal() : code;
      records.push(newRecord(text, wiring.now()));
    }
  } finally {
    progress.clear();
  }
  return records;
}

/** That of the settings, which may be another one than the store's. */
async function passphraseOf(wiring: Wiring, options: NoteOptions, what: string): Promise<Secret<string>> {
  const { passphrase } = loadNotes(options, wiring.env);
  const given = passphrase ?? await wiring.askSecret(`Passphrase of ${what}`);
  if (!given) throw new Problem("notes_locked", "there is no terminal to ask for the backup's passphrase at");
  return given;
}

/** A backup of nothing would be taken for one of something. */
function nothing(what: string): Problem {
  return new Problem("unknown_note", `${what}: nothing is written`, {
    todo: "`tonado note show` lists what is there; --notes or TONADO_NOTES names another store.",
  });
}

function report({ stdout }: Wiring, { json, quiet }: NoteOptions, members: object, text: string): void {
  if (json) stdout.write(JSON.stringify(members) + "\n");
  else if (!quiet) stdout.write(`${text}\n`);
}
