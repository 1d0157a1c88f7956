/** Computes which notes a backup brings back: those of its seed, and those in its file. */
import { bytesToHex } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { RECOVERY_GAP } from "../../client/notes/derived_notes.ts";
import type { NoteRecord, NoteStoreContent } from "../../client/notes/note_store.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { deriveNote, type NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import type { VaultPool, VaultProof } from "./vault_task.ts";

/** Length of a fingerprint in hex digits. */
const FINGERPRINT_LENGTH = 32;

/** Returns the fingerprint that identifies a seed in the settings. It does not reveal the seed. */
export function seedFingerprint(seed: NoteSeed): string {
  return fingerprint("tonado seed fingerprint", seed);
}

/** Returns the proof of a store or backup with this content. */
export function proofOf({ seed, records }: NoteStoreContent, pools: readonly VaultPool[]): VaultProof {
  if (seed === undefined) return { besides: [] };
  const besides = findNotesBesidesSeed(pools, seed, records);
  return {
    seed: seedFingerprint(seed),
    besides: besides.map((record) => ({ id: record.id, tag: tagOf(record, seed) })),
  };
}

/** Returns note number `index` of a pool. */
export function noteOfPool(
  seed: NoteSeed,
  { network, asset, amount, version, address }: VaultPool,
  index: number,
) {
  const pool = { asset, amount, ...version && { version }, address: { toRawString: () => address } };
  return deriveNote(seed, network, pool, index);
}

/** Returns the notes that the seed alone does not bring back, such as those restored one by one. */
function findNotesBesidesSeed(
  pools: readonly VaultPool[],
  seed: NoteSeed,
  records: readonly NoteRecord[],
): NoteRecord[] {
  const left = new Map(records.map((record) => [record.note.reveal().commitment, record]));
  for (const pool of pools) {
    const { network, asset, amount, version = 1 } = pool;
    const isOfPool = ({ note }: NoteRecord) => {
      const of = note.reveal();
      return of.network === network && of.asset === asset && of.amount === amount && of.version === version;
    };
    let count = [...left.values()].filter(isOfPool).length;
    for (let index = 0, gap = 0; count > 0 && gap < RECOVERY_GAP; index++) {
      const isDerived = left.delete(noteOfPool(seed, pool, index).commitment);
      gap = isDerived ? 0 : gap + 1;
      if (isDerived) count--;
    }
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
