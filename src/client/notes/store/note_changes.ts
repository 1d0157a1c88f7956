/** Changes of a note store's content, without its storage. */
import { Problem } from "../../../core/errors/problem.ts";
import { createNoteSeed, formatNoteSeed, type NoteSeed } from "../../../core/protocol/seed/note_seed.ts";
import type { Secret } from "../../../core/text/secret.ts";
import { findNote, type NoteJournal, type NoteRecord, type NoteStoreContent } from "../note_store.ts";

export interface Change<T> {
  readonly content: NoteStoreContent;
  readonly result: T;
}

export function addRecords(content: NoteStoreContent, added: readonly NoteRecord[]): Change<number> {
  const known = new Set(content.records.map(({ text }) => text.reveal()));
  const fresh = added.filter(({ text }) => !known.has(text.reveal()) && known.add(text.reveal()));
  return { content: { ...content, records: [...content.records, ...fresh] }, result: fresh.length };
}

export function addDerivedRecord(
  content: NoteStoreContent,
  derive: (seed: NoteSeed, records: readonly NoteRecord[]) => NoteRecord,
): Change<Secret<string>> {
  const { content: seeded, result: seed } = addSeed(content);
  const record = derive(seed, seeded.records);
  return { content: addRecords(seeded, [record]).content, result: record.text };
}

export function addSeed(content: NoteStoreContent): Change<NoteSeed> {
  const seed = content.seed ?? createNoteSeed();
  return { content: { ...content, seed }, result: seed };
}

export function withSeed(content: NoteStoreContent, seed: NoteSeed): NoteStoreContent {
  const isOther = content.seed && formatNoteSeed(content.seed).reveal() !== formatNoteSeed(seed).reveal();
  if (isOther) throw new Problem("seed_conflict");
  return { ...content, seed };
}

export function updateRecord(
  content: NoteStoreContent,
  id: string,
  changed: Partial<NoteJournal>,
): Change<NoteRecord> {
  const found = findNote(content.records, id);
  const result = { ...found, ...changed };
  return {
    content: { ...content, records: content.records.map((each) => each === found ? result : each) },
    result,
  };
}
