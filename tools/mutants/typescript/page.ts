/** Writes the scores of `src/` into docs/mutation.md. */
import { dateAndCommit } from "../../shared/git_revision.ts";
import { writeGenerated } from "../../shared/generated_files.ts";
import { fillTables } from "../../shared/generated_tables.ts";
import type { Mutant } from "../operators.ts";
import { scoreOf, type TriedMutant } from "../page.ts";
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
  const survivors = entries.filter(({ verdict }) => verdict === "survived")
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
  const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;
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
    "typescript-survivors": [
      "| Where | Fault | Why it survives |",
      "| --- | --- | --- |",
      ...survivors.map((entry) =>
        `| \`${entry.file}\`, ${entry.operator} | ${code(entry.shows)} | ${
          equivalenceReason(entry) ?? "a gap: no test detects it"
        } |`
      ),
    ],
  };
}

export async function writeTypeScriptPage(
  entries: readonly TriedMutant[],
  made: readonly Pick<Mutant, "file">[],
): Promise<void> {
  await writeGenerated("mutants", [
    await fillTables("docs/mutation.md", typeScriptTables(entries, made, await dateAndCommit())),
  ], false);
}
