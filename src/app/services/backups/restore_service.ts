import { createNoteRecord, type NoteStoreContent } from "../../../client/notes/note_store.ts";
import { findPaperCodes, isEncryptedPaperCode } from "../../../client/notes/paper/paper_code_text.ts";
import { parseNoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../../core/text/secret.ts";
import type { Restorable, Restored, RestoreServices } from "../../flows/restore.ts";
import type { AppContext, Session } from "../context.ts";
import { createStoreOf, openSession, writeFirst } from "../store_service.ts";
import { openBackupFile } from "./backup_service.ts";
import { proveBackup } from "./backup_proof.ts";

/** @param session of the open store; undefined if this browser has none yet */
export function restoreServices(
  context: AppContext,
  session: () => Session | undefined,
  onCreated: (session: Session) => void,
): RestoreServices {
  return {
    async restore(source, passphrase) {
      const open = session();
      const content = await readSource(context, source, passphrase);
      let target = open;
      if (target === undefined) {
        target = source.kind === "file"
          ? await adoptFile(context, source.bytes, passphrase)
          : await createStoreOf(context, content, passphrase);
        onCreated(target);
      } else if (content.seed) {
        await target.store.restoreSeed(content.seed);
      }
      const added = open === undefined ? content.records.length : await target.store.add(content.records);
      const { registry } = context;
      const { seed, records } = content;
      const others = records.filter(({ note }) => note.reveal().network !== registry.network);
      return {
        added,
        known: records.length - added,
        otherNetwork: others.length,
        ...seed && { proof: await proveBackup(registry, seed, records) },
      } satisfies Restored;
    },
  };
}

async function adoptFile(
  context: AppContext,
  bytes: Uint8Array,
  passphrase: Secret<string>,
): Promise<Session> {
  const vault = await context.vaults.open(bytes, passphrase);
  return await openSession(context, vault, async () => {
    await writeFirst(context, new Uint8Array(bytes));
    await context.files.persist();
  });
}

async function readSource(
  context: AppContext,
  source: Restorable,
  passphrase: Secret<string>,
): Promise<NoteStoreContent> {
  if (source.kind === "file") return await openBackupFile(context, source.bytes, passphrase);
  if (source.kind === "code") {
    return parseText(await context.vaults.openPaperCode(source.code, passphrase), context.clock.now());
  }
  const [code] = findPaperCodes(source.text.reveal());
  if (code !== undefined && isEncryptedPaperCode(code)) {
    return parseText(await context.vaults.openPaperCode(code, passphrase), context.clock.now());
  }
  return parseText(source.text, context.clock.now());
}

function parseText(text: Secret<string>, now: number): NoteStoreContent {
  const trimmed = text.reveal().trim();
  if (/^\s*tonado[\s-]*seed/i.test(trimmed)) return { seed: parseNoteSeed(trimmed), records: [] };
  return { records: [createNoteRecord(trimmed, now)] };
}
