import { findNullifierTwins, type NoteRecord } from "../../client/notes/note_store.ts";
import { printWarning } from "./print.ts";
import type { CliContext } from "../context.ts";

export function warnOfSharedNullifiers(
  context: CliContext,
  all: readonly NoteRecord[],
  listed: readonly NoteRecord[] = all,
): void {
  const twins = findNullifierTwins(all);
  const pairs = listed.flatMap(({ id }) => (twins.get(id) ?? []).map((twin) => [id, twin.id].sort()));
  for (const pair of new Set(pairs.map((ids) => ids.join(" and ")))) {
    printWarning(context, `notes ${pair} have the same nullifier: only one of them can ever be paid`);
  }
}

export function sharedNullifierFacts(
  all: readonly NoteRecord[],
): ReadonlyMap<string, { readonly sameNullifier: readonly string[] }> {
  const twins = [...findNullifierTwins(all)];
  return new Map(twins.map(([id, others]) => [id, { sameNullifier: others.map(({ id }) => id) }]));
}
