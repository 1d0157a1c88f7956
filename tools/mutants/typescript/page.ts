/** Writes the scores of `src/` into docs/mutation.md. */
import { dateAndCommit } from "../../shared/git_revision.ts";
import type { Mutant } from "../operators.ts";
import { scoreOf, survivorTable, type TriedMutant, writeTables } from "../page.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";

/** Returns the folder that a source's mutants are sampled and scored with. */
export function folderOf(file: string): string {
  return /^src\/(?:ops\/ceremony|[^/]+)(?=\/)/.exec(file)?.[0] ?? "src";
}

/** Returns the tables: scores by folder, and all survivors. */
export function typeScriptTables(
  entries: readonly TriedMutant[],
  made: readonly Pick<Mutant, "file">[],
  when: string,
): Record<string, string[]> {
  const madeIn = Map.groupBy(made, ({ file }) => folderOf(file));
  const triedIn = Map.groupBy(entries, ({ file }) => folderOf(file));
  const row = (name: string, of: readonly TriedMutant[], total: number) => {
    const { counted, killed, equivalent, percent } = scoreOf(of, equivalenceReason);
    const hung = of.filter((entry) => entry.hung).length;
    const missed = counted - killed - equivalent;
    return `| ${name} | ${total} | ${of.length} | ${killed} | ${hung} | ${equivalent} | ${missed} | ${percent} % |`;
  };
  return {
    "typescript-scores": [
      `${entries.length} of ${made.length} mutants were tried (${when}).`,
      "",
      "| Folder | Mutants | Tried | Killed | By a deadline | Equivalent | Missed | Score |",
      "| --- | --- | --- | --- | --- | --- | --- | --- |",
      ...[...triedIn.keys()].sort().map((folder) =>
        row(`\`${folder}\``, triedIn.get(folder)!, madeIn.get(folder)?.length ?? 0)
      ),
      row("all", entries, made.length),
    ],
    "typescript-survivors": survivorTable(
      entries,
      (entry) => equivalenceReason(entry) ?? "a gap: no test detects it",
    ),
  };
}

export async function writeTypeScriptPage(
  entries: readonly TriedMutant[],
  made: readonly Pick<Mutant, "file">[],
): Promise<void> {
  await writeTables(typeScriptTables(entries, made, await dateAndCommit()));
}
