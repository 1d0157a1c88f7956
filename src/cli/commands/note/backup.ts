import { basename } from "node:path";
import {
  createNoteRecord,
  MAX_NOTE_STORE_BYTES,
  type NoteRecord,
  type NoteStore,
} from "../../../client/notes/note_store.ts";
import { decryptPaperCode } from "../../../client/notes/paper/paper_code.ts";
import { findPaperCodes, isEncryptedPaperCode } from "../../../client/notes/paper/paper_code_text.ts";
import { loadNoteStoreConfig } from "../../../config/client_config.ts";
import { findRegistry } from "../../../config/deployments_registry.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Network } from "../../../core/protocol/network.ts";
import type { NoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../../core/text/secret.ts";
import { pluralize } from "../../../core/protocol/units.ts";
import { type PaperNote, renderBackupPage } from "../../output/pages/note_backup_page.ts";
import { formatChainFlags } from "../../options/chain_options.ts";
import { usageError } from "../../options/usage_error.ts";
import { type NoteStoreOptions, openNoteStore } from "../../options/note_store_options.ts";
import { candidatePools } from "../../options/note_pools.ts";
import { warnOfSharedNullifiers } from "../../output/note_warnings.ts";
import { printResult, printWarning } from "../../output/print.ts";
import { stageProgressLine } from "../../output/progress.ts";
import type { CliContext } from "../../context.ts";

const AGE_ARMOR_HEADER = "-----BEGIN AGE ENCRYPTED FILE-----";

const TIME_PER_CODE = "about a second each"; // each code derives its own key from the passphrase

export type BackupOptions = NoteStoreOptions & { readonly page?: boolean; readonly plain?: boolean };

export async function backupNotes(context: CliContext, file: string, options: BackupOptions): Promise<void> {
  const { page = false, plain = false } = options;
  if (plain && !page) throw usageError("--plain", "is for --page only: the file is always encrypted");
  const store = await openNoteStore(context, options);
  const records = await store.list();
  if (!page) {
    if (records.length === 0) throw emptyBackupError("the store has no notes");
    const bytes = await store.exportBackup();
    await context.writeNewFile(file, ReadableStream.from([bytes]));
    const text = `${
      pluralize(records.length, "note")
    } written to ${file}, encrypted with the store's passphrase`;
    return printResult(context, options, { file, notes: records.length }, text);
  }
  const notes = records.filter(({ state }) => state !== "withdrawn");
  if (notes.length === 0) throw emptyBackupError("the store has no note that is not withdrawn");
  const progress = stageProgressLine(context.stderr, options);
  const codes: PaperNote[] = [];
  try {
    for (const { id, note, text } of notes) {
      if (!plain) {
        progress.update(
          `encrypting ${pluralize(notes.length, "note")}, ${TIME_PER_CODE}`,
          codes.length / notes.length,
        );
      }
      codes.push({ pool: note.reveal(), code: plain ? text.reveal() : await store.createPaperCode(id) });
    }
  } finally {
    progress.clear();
  }
  const html = renderBackupPage(codes, {
    sealed: !plain,
    madeAt: context.now(),
    store: basename(loadNoteStoreConfig(options, context.env).path),
  });
  await context.writeNewFile(file, ReadableStream.from([new TextEncoder().encode(html)]));
  if (plain) printWarning(context, "anyone who sees this page or the file can take the money");
  const how = plain ? "not encrypted" : "encrypted with the store's passphrase";
  printResult(
    context,
    options,
    { file, notes: codes.length, plain },
    `${pluralize(codes.length, "note")} written to ${file}, ${how}`,
  );
}

export async function restoreNotes(
  context: CliContext,
  file: string | undefined,
  options: NoteStoreOptions,
): Promise<void> {
  const { records, seed } = file === undefined
    ? { records: await readTypedNotes(context, options) }
    : await readBackup(context, file, options);
  const store = await openNoteStore(context, options, { create: true });
  const added = await store.add(records);
  if (seed) await restoreBackedUpSeed(context, store, seed);
  warnOfSharedNullifiers(context, await store.list());
  const text = `${added} of ${pluralize(records.length, "note")} ${added === 1 ? "is" : "are"} new here${
    (await noteCheckHints(records, options)).join("")
  }`;
  printResult(context, options, { found: records.length, added }, text);
}

/** A store keeps its own seed: the notes are restored in any case. */
async function restoreBackedUpSeed(context: CliContext, store: NoteStore, seed: NoteSeed): Promise<void> {
  try {
    await store.restoreSeed(seed);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "seed_conflict") throw error;
    printWarning(
      context,
      "this store has another seed than the backup. Keep the backup: its seed was not restored",
    );
  }
}

async function noteCheckHints(
  records: readonly NoteRecord[],
  { notes }: NoteStoreOptions,
): Promise<string[]> {
  const byNetwork = Map.groupBy(records, ({ note }) => note.reveal().network);
  return await Promise.all([...byNetwork].map(async ([network, ofNetwork]) => {
    const listed = await areAllListed(network, ofNetwork);
    const flags = formatChainFlags({ network, notes });
    return `\nTo check them: tonado note check ${flags}${listed ? "" : " --registry <file>"}${
      listed
        ? ""
        : "\nThe registry file is the one that you used to deposit: these pools are in no default registry."
    }`;
  }));
}

async function areAllListed(network: Network, records: readonly NoteRecord[]): Promise<boolean> {
  try {
    const known = await findRegistry(network);
    for (const record of records) candidatePools(record, known);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false; // only a hint depends on it; the restore has succeeded
    throw error;
  }
}

async function readTypedNotes(
  context: CliContext,
  options: NoteStoreOptions,
): Promise<readonly NoteRecord[]> {
  const text = await context.promptSecret("The note, tonado-...");
  if (!text) throw usageError("file", "is required, because there is no terminal to ask for a note at");
  const codes = findPaperCodes(text.reveal());
  if (codes.length > 0) return await decryptCodes(context, codes, options, "the code");
  return [createNoteRecord(text.reveal().trim(), context.now())];
}

async function readBackup(
  context: CliContext,
  path: string,
  options: NoteStoreOptions,
): Promise<{ readonly records: readonly NoteRecord[]; readonly seed?: NoteSeed | undefined }> {
  // Damaged text around the codes of a page does not matter: each code is ASCII and checked by itself.
  const text = new TextDecoder().decode(context.readFile(path, MAX_NOTE_STORE_BYTES));
  const codes = findPaperCodes(text);
  if (codes.length > 0) return { records: await decryptCodes(context, codes, options, path) };
  if (!text.startsWith(AGE_ARMOR_HEADER)) {
    throw new Problem("invalid_config", `${path} is neither a backup nor a page with codes`, {
      hint: "Name the file that `tonado note backup` wrote.",
    });
  }
  try {
    const backup = await context.noteStoreAt(path).open(await readPassphrase(context, options, path));
    return { records: await backup.list(), seed: await backup.seed() };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "note_store_corrupted") throw error;
    throw new Problem("note_store_corrupted", `the backup ${path} is incomplete or was altered`, {
      hint: "Use another copy of the backup, or the printed page. The store did not change.",
    });
  }
}

async function decryptCodes(
  context: CliContext,
  codes: readonly string[],
  options: NoteStoreOptions,
  what: string,
): Promise<readonly NoteRecord[]> {
  const passphrase = codes.some(isEncryptedPaperCode)
    ? await readPassphrase(context, options, what)
    : undefined;
  const progress = stageProgressLine(context.stderr, options);
  const records: NoteRecord[] = [];
  try {
    for (const code of codes) {
      if (passphrase) {
        progress.update(
          `decrypting ${pluralize(codes.length, "note")}, ${TIME_PER_CODE}`,
          records.length / codes.length,
        );
      }
      const text = passphrase && isEncryptedPaperCode(code)
        ? (await decryptPaperCode(code, passphrase)).reveal()
        : code;
      records.push(createNoteRecord(text, context.now()));
    }
  } finally {
    progress.clear();
  }
  return records;
}

async function readPassphrase(
  context: CliContext,
  options: NoteStoreOptions,
  what: string,
): Promise<Secret<string>> {
  const { passphrase } = loadNoteStoreConfig(options, context.env);
  const given = passphrase ?? await context.promptSecret(`Passphrase of ${what}`);
  if (!given) {
    throw new Problem("wrong_passphrase", "there is no terminal to ask for the backup's passphrase at");
  }
  return given;
}

/** A backup without notes could be mistaken for a real one. */
function emptyBackupError(what: string): Problem {
  return new Problem("unknown_note", `${what}: nothing was written`, {
    hint: "`tonado note show` lists the stored notes; use --notes or TONADO_NOTES for another store.",
  });
}
