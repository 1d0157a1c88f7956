import { createNoteRecord, type NoteStore, parseNoteStore } from "../../client/notes/note_store.ts";
import { openStoredNotes } from "../../client/notes/stored_notes.ts";
import { findPaperCodes, isEncryptedPaperCode } from "../../client/notes/paper/paper_code_text.ts";
import { Problem } from "../../core/errors/problem.ts";
import { createNoteSeed, formatNoteSeed, parseNoteSeed } from "../../core/protocol/seed/note_seed.ts";
import { Secret } from "../../core/text/secret.ts";
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { BackupServices } from "../flows/backup.ts";
import type { Restorable, Restored, RestoreServices } from "../flows/restore.ts";
import type { AppPlace, OpenVault, Passkeys } from "../ports.ts";
import type { StoreServices } from "../flows/store.ts";
import type { AppContext, Session } from "./context.ts";
import { createVault, drawPassphrase } from "./drawn_passphrase.ts";

export function storeServices(
  context: AppContext,
  { place, passkeys }: { readonly place: AppPlace; readonly passkeys: Passkeys },
): StoreServices<Session> {
  const { files, vaults } = context;
  return {
    async look() {
      const fault = await place.findFault();
      if (fault) return { type: "refused", fault };
      if (await files.read() === undefined) return { type: "not_found" };
      return { type: "found", hasPasskey: await passkeys.isEnrolled().catch(() => false) };
    },
    draw: () => drawPassphrase(context.random),
    create: (passphrase) => createStore(context, passphrase),
    async open(passphrase) {
      const given = passphrase === "passkey" ? await passkeys.unlock() : passphrase;
      const bytes = await files.read();
      if (bytes === undefined) throw new Problem("note_store_corrupted", "the browser has deleted the notes");
      return await openSession(context, await vaults.open(bytes, given));
    },
  };
}

/** The seed exists from the start, so that the first backup covers every later note. */
async function createStore(context: AppContext, passphrase: Secret<string>): Promise<Session> {
  const { files, vaults, random } = context;
  const vault = await createVault(vaults, passphrase);
  const seed = formatNoteSeed(createNoteSeed(random)).reveal();
  const empty = JSON.stringify({ format: "tonado-notes", version: 2, seed, notes: [] });
  await writeFirst(context, await vault.encrypt(empty));
  await files.persist();
  return await openSession(context, vault);
}

/** Never replaces a store that another tab has created meanwhile. */
async function writeFirst({ files }: AppContext, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  using _lock = await files.lock();
  if (await files.read() !== undefined) throw new Problem("note_store_in_use", "another tab created a store");
  await files.write(bytes);
}

async function openSession({ files }: AppContext, vault: OpenVault): Promise<Session> {
  return { vault, store: await openStoredNotes(files, vault, (text) => vault.toPaperCode(text)) };
}

/** Returns the fingerprint that identifies a seed in the settings. It does not reveal the seed. */
export async function seedFingerprint(store: NoteStore): Promise<string | undefined> {
  const seed = await store.seed();
  if (seed === undefined) return undefined;
  return bytesToHex(
    sha256(new Uint8Array([...new TextEncoder().encode("tonado seed fingerprint"), ...seed.reveal()])),
  )
    .slice(0, 32);
}

export function backupServices(
  context: AppContext,
  { store }: Session,
  recordProof: (fingerprint: string) => void,
  texts: { readonly title: string; readonly lines: readonly string[] },
): BackupServices {
  const { downloads, vaults, clock } = context;
  return {
    async make(kind) {
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
      const theirs = "code" in content
        ? parseNoteSeed((await vaults.openPaperCode(content.code, passphrase)).reveal())
        : parseNoteStore(await decryptOnce(context, content.bytes, passphrase)).seed;
      return theirs !== undefined && formatNoteSeed(theirs).reveal() === formatNoteSeed(ours).reveal();
    },
    async recordProof() {
      recordProof((await seedFingerprint(store))!);
    },
  };
}

async function decryptOnce(
  { vaults }: AppContext,
  bytes: Uint8Array,
  passphrase: Secret<string>,
): Promise<string> {
  const vault = await vaults.open(bytes, passphrase);
  try {
    return await vault.decrypt(bytes);
  } finally {
    vault.close();
  }
}

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
          : await createForContent(context, passphrase);
      }
      if (content.seed) await target.store.restoreSeed(content.seed);
      const known = open === undefined && source.kind === "file" ? content.records.length : undefined;
      const added = known ?? await target.store.add(content.records);
      if (open === undefined) onCreated(target);
      const others = content.records.filter(({ note }) => note.reveal().network !== context.registry.network);
      return {
        added,
        known: content.records.length - added,
        otherNetwork: others.length,
        hasSeed: content.seed !== undefined,
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
  await writeFirst(context, new Uint8Array(bytes));
  await context.files.persist();
  return await openSession(context, vault);
}

async function createForContent(context: AppContext, passphrase: Secret<string>): Promise<Session> {
  const vault = await createVault(context.vaults, passphrase);
  await writeFirst(
    context,
    await vault.encrypt(JSON.stringify({ format: "tonado-notes", version: 2, notes: [] })),
  );
  await context.files.persist();
  return await openSession(context, vault);
}

type Content = ReturnType<typeof parseNoteStore>;

async function readSource(
  context: AppContext,
  source: Restorable,
  passphrase: Secret<string>,
): Promise<Content> {
  if (source.kind === "file") {
    return parseNoteStore(await decryptOnce(context, source.bytes, passphrase));
  }
  if (source.kind === "code") {
    return parseText(await context.vaults.openPaperCode(source.code, passphrase), context.clock.now());
  }
  const [code] = findPaperCodes(source.text.reveal());
  if (code !== undefined && isEncryptedPaperCode(code)) {
    return parseText(await context.vaults.openPaperCode(code, passphrase), context.clock.now());
  }
  return parseText(source.text, context.clock.now());
}

function parseText(text: Secret<string>, now: number): Content {
  const trimmed = text.reveal().trim();
  if (/^\s*tonado[\s-]*seed/i.test(trimmed)) return { seed: parseNoteSeed(trimmed), records: [] };
  return { records: [createNoteRecord(trimmed, now)] };
}
