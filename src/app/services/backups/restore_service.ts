import type { PublicNote } from "../../../client/notes/note_store.ts";
import type { Secret } from "../../../core/text/secret.ts";
import type { Restorable, Restored, RestoreServices } from "../../flows/restore.ts";
import type { BackupProof } from "../../flows/settings.ts";
import type { BackupSource, RestoredStore, VaultProof } from "../../vault/vault_task.ts";
import type { AppContext, Session } from "../context.ts";
import { drawPassphrase } from "../drawn_passphrase.ts";
import { checkListing, vaultPools } from "../note_book.ts";
import { createStore, openSession, writeFirst } from "../store_service.ts";
import { toBackupProof } from "./backup_coverage.ts";

/** What a backup has, and how many of its notes the store lacked. */
type Found = Pick<RestoredStore, "found" | "proof"> & { readonly added: number };

/**
 * @param session of the open store; undefined if this browser has none yet
 * @param recordProof is called with the proof of a restored backup, also if the screen is left at once
 */
export function restoreServices(
  context: AppContext,
  session: () => Session | undefined,
  onCreated: (session: Session) => void,
  recordProof: (proof: BackupProof) => void,
): RestoreServices {
  return {
    async check(text) {
      const { assertRestorable } = await import("../../vault/restorable_text.ts");
      assertRestorable(text.reveal());
    },
    draw: () => drawPassphrase(context.random),
    async restore(restorable, passphrase) {
      const source = toSource(restorable);
      const open = session();
      const found = open
        ? await addTo(open, context, source, passphrase)
        : await createFrom(context, source, passphrase, onCreated);
      const restored = toRestored(context, found);
      if (restored.proof) recordProof(restored.proof);
      return restored;
    },
  };
}

async function addTo(
  session: Session,
  { clock, registry }: AppContext,
  source: BackupSource,
  passphrase: Secret<string>,
): Promise<Found> {
  const options = { passphrase, pools: vaultPools(registry), now: clock.now() };
  const { ids, found, proof } = await session.store.restore(source, options);
  session.isRestored = true;
  return { added: ids.length, found, proof };
}

async function createFrom(
  context: AppContext,
  source: BackupSource,
  passphrase: Secret<string>,
  onCreated: (session: Session) => void,
): Promise<Found> {
  if (source.kind === "file") return await adoptFile(context, source.bytes, passphrase, onCreated);
  const pools = vaultPools(context.registry);
  const createdAt = context.clock.now();
  const { session, content: { ids, found, proof } } = await createStore(
    context,
    passphrase,
    (vault) =>
      vault.run({
        kind: "restore",
        bytes: undefined,
        source,
        passphrase: passphrase.reveal(),
        pools,
        createdAt,
      }),
  );
  session.isRestored = true;
  onCreated(session);
  return { added: ids.length, found, proof };
}

/** Stores the file as it is, so that it remains a backup of the store. */
async function adoptFile(
  context: AppContext,
  bytes: Uint8Array,
  passphrase: Secret<string>,
  onCreated: (session: Session) => void,
): Promise<Found> {
  const vault = await context.vaults.open(bytes, passphrase);
  let found: readonly PublicNote[] = [];
  let proof: VaultProof = { besides: [] };
  const session = await openSession(context, vault, async () => {
    found = checkListing(await vault.run({ kind: "list", bytes })).records.map(({ note }) => note);
    proof = await vault.run({ kind: "prove", bytes, pools: vaultPools(context.registry) });
    await writeFirst(context, new Uint8Array(bytes));
    await context.files.persist();
  });
  session.isRestored = true;
  onCreated(session);
  return { added: found.length, found, proof };
}

function toRestored({ registry }: AppContext, { added, found, proof }: Found): Restored {
  const backup = toBackupProof(proof);
  return {
    added,
    known: found.length - added,
    otherNetwork: found.filter(({ network }) => network !== registry.network).length,
    ...backup && { proof: backup },
  };
}

function toSource(restorable: Restorable): BackupSource {
  return restorable.kind === "text" ? { kind: "text", text: restorable.text.reveal() } : restorable;
}
