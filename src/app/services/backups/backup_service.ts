import { type NoteStoreContent, parseNoteStore } from "../../../client/notes/note_store.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatNoteSeed, parseNoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../../core/text/secret.ts";
import type { BackupServices, Returned } from "../../flows/backup.ts";
import type { BackupProof } from "../../flows/settings.ts";
import type { AppContext, Session } from "../context.ts";
import { proveBackup } from "./backup_proof.ts";

export function backupServices(
  context: AppContext,
  { store }: Session,
  recordProof: (proof: BackupProof) => void,
  texts: { readonly title: string; readonly lines: readonly string[] },
): BackupServices {
  const { downloads, clock, registry } = context;
  return {
    recordProof,
    async make(kind) {
      await store.ensureSeed(); // a store of an earlier release, or of a single restored note, has none
      if (kind === "paper") {
        return await downloads.print({ ...texts, code: await store.createSeedPaperCode() });
      }
      const bytes = new Uint8Array(await store.exportBackup());
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      downloads.save(`tonado-notes-${day}.age`, bytes, "application/octet-stream");
    },
    async verify(content, passphrase) {
      const ours = await store.seed();
      if (ours === undefined) throw new Problem("seed_missing");
      const { seed, records } = await openBackup(context, content, passphrase);
      const isOurs = seed && formatNoteSeed(seed).reveal() === formatNoteSeed(ours).reveal();
      return isOurs ? await proveBackup(registry, seed, records) : undefined;
    },
  };
}

async function openBackup(
  context: AppContext,
  content: Returned,
  passphrase: Secret<string>,
): Promise<NoteStoreContent> {
  if ("bytes" in content) return await openBackupFile(context, content.bytes, passphrase);
  const text = await context.vaults.openPaperCode(content.code, passphrase);
  return { seed: parseNoteSeed(text.reveal()), records: [] };
}

export async function openBackupFile(
  { vaults }: AppContext,
  bytes: Uint8Array,
  passphrase: Secret<string>,
): Promise<NoteStoreContent> {
  const vault = await vaults.open(bytes, passphrase);
  try {
    return parseNoteStore(await vault.decrypt(bytes));
  } finally {
    vault.close();
  }
}
