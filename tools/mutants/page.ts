/** Computes the scores of a run and writes docs/mutation.md. */
import { writeGenerated } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import type { Mutant } from "./operators.ts";
import type { MutantRecord } from "./results.ts";
import { equivalenceReason } from "./tolk/equivalent_mutants.ts";

/** A mutant with its result. */
export type TriedMutant = Mutant & MutantRecord;

/** Returns why no test can detect a mutant, or undefined. */
export type Reason = (entry: { file: string; shows: string }) => string | undefined;

/** The score of the mutants that compile to different code. */
export interface Score {
  readonly counted: number;
  readonly killed: number;
  /** Survivors that no test can distinguish from the contract. */
  readonly equivalent: number;
  /** Killed mutants in percent of those that are not equivalent, with one decimal. */
  readonly percent: string;
}

export function scoreOf(
  entries: readonly Pick<TriedMutant, "verdict" | "file" | "shows">[],
  reasonOf: Reason = equivalenceReason,
): Score {
  const killed = entries.filter(({ verdict }) => verdict === "killed").length;
  const survivors = entries.filter(({ verdict }) => verdict === "survived");
  const equivalent = survivors.filter((entry) => reasonOf(entry) !== undefined).length;
  const faults = killed + survivors.length - equivalent;
  const percent = faults === 0 ? "-" : (100 * killed / faults).toFixed(1);
  return { counted: killed + survivors.length, killed, equivalent, percent };
}

function whyOf(entry: TriedMutant): string {
  const open = `no test that ran in the first ${
    (entry.budget ?? 0) / 1000
  } s detects it; the rest was left out`;
  return equivalenceReason(entry) ?? (entry.budget === null ? "a gap: no test detects it" : open);
}

/**
 * Returns the tables: scores by file, all survivors, and the tests that killed most.
 *
 * @param made all mutants
 */
export function mutationTables(
  entries: readonly TriedMutant[],
  made: readonly Pick<Mutant, "file">[],
): Record<string, string[]> {
  const madeIn = Map.groupBy(made, ({ file }) => file);
  const row = (name: string, of: readonly TriedMutant[], total: number) => {
    const { counted, killed, equivalent, percent } = scoreOf(of);
    const missed = counted - killed - equivalent;
    const untried = total - of.length;
    return `| ${name} | ${counted} | ${killed} | ${equivalent} | ${missed} | ${untried} | ${percent} % |`;
  };
  const kills = new Map<string, number>();
  for (const { by } of entries) if (by) kills.set(by, (kills.get(by) ?? 0) + 1);
  return {
    scores: [
      `${entries.length} of ${made.length} mutants were tried.`,
      "",
      "| File | Mutants | Killed | Equivalent | Missed | Untried | Score |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...[...madeIn].sort(([a], [b]) => a < b ? -1 : 1).map(([file, { length }]) =>
        row(`\`${file}\``, entries.filter((entry) => entry.file === file), length)
      ),
      row("all", entries, made.length),
    ],
    survivors: survivorTable(entries, whyOf),
    killers: [
      "| Mutants | Test |",
      "| --- | --- |",
      ...[...kills].sort(([, a], [, b]) => b - a).slice(0, 12).map(([test, n]) => `| ${n} | ${test} |`),
    ],
  };
}

/** Returns the table of all survivors. */
export function survivorTable(
  entries: readonly TriedMutant[],
  whyOf: (entry: TriedMutant) => string,
): string[] {
  const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;
  const survivors = entries.filter(({ verdict }) => verdict === "survived")
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
  return [
    "| Where | Fault | Why it survives |",
    "| --- | --- | --- |",
    ...survivors.map((entry) =>
      `| \`${entry.file}\`, ${entry.operator} | ${code(entry.shows)} | ${whyOf(entry)} |`
    ),
  ];
}

/** Writes tables into docs/mutation.md. */
export async function writeTables(tables: Record<string, string[]>): Promise<void> {
  await writeGenerated("mutants", [await fillTables("docs/mutation.md", tables)], false);
}
