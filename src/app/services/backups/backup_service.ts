import type { BackupServices } from "../../flows/backup.ts";
import type { BackupProof } from "../../flows/settings.ts";
import type { AppContext, Session } from "../context.ts";
import { vaultPools } from "../note_book.ts";
import { toBackupProof } from "./backup_coverage.ts";

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
      const source = "bytes" in content
        ? { kind: "file", ...content } as const
        : { kind: "code", ...content } as const;
      const proof = await store.verify(source, { passphrase, pools: vaultPools(registry) });
      return proof && toBackupProof(proof);
    },
  };
}
