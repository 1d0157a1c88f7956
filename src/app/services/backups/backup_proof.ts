/** Computes which notes a proven backup brings back: those of its seed, and those in its file. */
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { RECOVERY_GAP } from "../../../client/notes/derived_notes.ts";
import type { NoteRecord, NoteStoreContent } from "../../../client/notes/note_store.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { yieldToEventLoop } from "../../../core/event_loop_yield.ts";
import type { Deployments } from "../../../core/protocol/deployments.ts";
import { deriveNote, type NoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { BackupProof, Settings } from "../../flows/settings.ts";

/** Length of a fingerprint in hex digits. */
const FINGERPRINT_LENGTH = 32;

/** What the last proven backups cover of the open store. */
export interface BackupCoverage {
  /** Whether a backup has the store's seed, and therefore every note that will be derived. */
  readonly hasSeed: boolean;
  /** The ids of notes that no proven backup brings back. */
  readonly missing: ReadonlySet<string>;
}

/** Returns the fingerprint that identifies a seed in the settings. It does not reveal the seed. */
export function seedFingerprint(seed: NoteSeed): string {
  return fingerprint("tonado seed fingerprint", seed);
}

/** Returns the proof of a backup with this content. */
export async function proveBackup(
  registry: Deployments,
  seed: NoteSeed,
  records: readonly NoteRecord[],
): Promise<BackupProof> {
  const stored = await findNotesBesidesSeed(registry, seed, records);
  return { provenSeed: seedFingerprint(seed), provenNotes: stored.map((record) => tagOf(record, seed)) };
}

export async function findCoverage(
  registry: Deployments,
  { seed, records }: NoteStoreContent,
  { provenSeed, provenNotes = [] }: Pick<Settings, "provenSeed" | "provenNotes">,
): Promise<BackupCoverage> {
  const hasSeed = seed !== undefined && provenSeed === seedFingerprint(seed);
  if (!hasSeed) return { hasSeed, missing: new Set(records.map(({ id }) => id)) };
  const proven = new Set(provenNotes);
  const stored = await findNotesBesidesSeed(registry, seed, records);
  return {
    hasSeed,
    missing: new Set(stored.filter((record) => !proven.has(tagOf(record, seed))).map(({ id }) => id)),
  };
}

/** Returns the notes that the seed alone does not bring back, such as those restored one by one. */
async function findNotesBesidesSeed(
  { network, pools }: Deployments,
  seed: NoteSeed,
  records: readonly NoteRecord[],
): Promise<NoteRecord[]> {
  const left = new Map(records.map((record) => [record.note.reveal().commitment, record]));
  for (const pool of pools.values()) {
    const { asset, amount, version = 1 } = pool;
    const isOfPool = ({ note }: NoteRecord) => {
      const of = note.reveal();
      return of.network === network && of.asset === asset && of.amount === amount && of.version === version;
    };
    let count = [...left.values()].filter(isOfPool).length;
    for (let index = 0, gap = 0; count > 0 && gap < RECOVERY_GAP; index++) {
      const isDerived = left.delete(deriveNote(seed, network, pool, index).commitment);
      gap = isDerived ? 0 : gap + 1;
      if (isDerived) count--;
    }
    await yieldToEventLoop();
  }
  return [...left.values()];
}

/** The seed keys the tag, so that the settings do not reveal which note it is. */
function tagOf({ note }: NoteRecord, seed: NoteSeed): string {
  return fingerprint(`tonado note in backup ${fieldToHex(note.reveal().commitment)}`, seed);
}

function fingerprint(domain: string, seed: NoteSeed): string {
  const bytes = new Uint8Array([...new TextEncoder().encode(domain), ...seed.reveal()]);
  return bytesToHex(sha256(bytes)).slice(0, FINGERPRINT_LENGTH);
}
