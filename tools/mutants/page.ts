/** Scores of a run, and the page of the documentation that shows them. */
import { dateAndCommit } from "../commit.ts";
import { writeGenerated } from "../generated_files.ts";
import { page } from "../generated_page.ts";
import type { Entry } from "./record.ts";
import { excuseOf } from "./survivors.ts";

/** Of the mutants that count: those that compile to code of their own. */
export interface Score {
  readonly counted: number;
  readonly killed: number;
  /** Survivors that no test can tell from the contract. */
  readonly equivalent: number;
  /** Killed of those that are not equivalent, in percent with one decimal. */
  readonly percent: string;
}

export function scoreOf(entries: readonly Pick<Entry, "verdict" | "file" | "shows">[]): Score {
  const killed = entries.filter(({ verdict }) => verdict === "killed").length;
  const survivors = entries.filter(({ verdict }) => verdict === "survived");
  const equivalent = survivors.filter((entry) => excuseOf(entry) !== undefined).length;
  const faults = killed + survivors.length - equivalent;
  const percent = faults === 0 ? "-" : (100 * killed / faults).toFixed(1);
  return { counted: killed + survivors.length, killed, equivalent, percent };
}

function whyOf(entry: Entry): string {
  const quick = `not told by claims of ${entry.slowest} ms at most; slower ones were not tried`;
  return excuseOf(entry) ?? (entry.slowest === null ? "a gap: no test tells it" : quick);
}

/** Tables of the scores by file, of all survivors, and of the claims that killed most. */
export function tables(entries: readonly Entry[], made: number, when: string): Record<string, string[]> {
  const files = [...new Set(entries.map(({ file }) => file))].sort();
  const row = (name: string, of: readonly Entry[]) => {
    const { counted, killed, equivalent, percent } = scoreOf(of);
    return `| ${name} | ${counted} | ${killed} | ${equivalent} | ${
      counted - killed - equivalent
    } | ${percent} % |`;
  };
  const survivors = entries.filter(({ verdict }) => verdict === "survived")
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
  const kills = new Map<string, number>();
  for (const { by } of entries) if (by) kills.set(by, (kills.get(by) ?? 0) + 1);
  const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;
  return {
    scores: [
      `${entries.length} of ${made} mutants were tried (${when}).`,
      "",
      "| File | Mutants | Killed | Equivalent | Missed | Score |",
      "| --- | --- | --- | --- | --- | --- |",
      ...files.map((file) => row(`\`${file}\``, entries.filter((entry) => entry.file === file))),
      row("all", entries),
    ],
    survivors: [
      "| Where | Fault | Why it lives |",
      "| --- | --- | --- |",
      ...survivors.map((entry) =>
        `| \`${entry.file}\`, ${entry.operator} | ${code(entry.shows)} | ${whyOf(entry)} |`
      ),
    ],
    killers: [
      "| Mutants | Claim |",
      "| --- | --- |",
      ...[...kills].sort(([, a], [, b]) => b - a).slice(0, 12).map(([claim, n]) => `| ${n} | ${claim} |`),
    ],
  };
}

/** Writes the tables into docs/mutation.md. */
export async function writePage(entries: readonly Entry[], made: number): Promise<void> {
  await writeGenerated("mutants", [
    await page("docs/mutation.md", tables(entries, made, await dateAndCommit())),
  ], false);
}
