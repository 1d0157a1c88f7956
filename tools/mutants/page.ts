/** Computes the scores of a run and writes docs/mutation.md. */
import { writeGenerated } from "../shared/generated_files.ts";
import { fillTables } from "../shared/generated_tables.ts";
import { dateAndCommit } from "../shared/git_revision.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import type { Mutant } from "./operators.ts";
import type { MutantRecord } from "./results.ts";
import { type PoolKind, poolKinds } from "./trial/pools.ts";

/** A mutant with its result. */
export type TriedMutant = Mutant & MutantRecord;

/** The score of the mutants that compile to different code. */
export interface Score {
  readonly counted: number;
  readonly killed: number;
  /** Survivors that no test can distinguish from the contract. */
  readonly equivalent: number;
  /** Killed mutants in percent of those that are not equivalent, with one decimal. */
  readonly percent: string;
}

type Entry = Pick<TriedMutant, "verdict" | "file" | "operator" | "shows">;

export function scoreOf(entries: readonly Omit<Entry, "operator">[]): Score {
  const killed = entries.filter(({ verdict }) => verdict === "killed").length;
  const survivors = entries.filter(({ verdict }) => verdict === "survived");
  const equivalent = survivors.filter((entry) => equivalenceReason(entry) !== undefined).length;
  const faults = killed + survivors.length - equivalent;
  const percent = faults === 0 ? "-" : (100 * killed / faults).toFixed(1);
  return { counted: killed + survivors.length, killed, equivalent, percent };
}

/**
 * Returns the blocks of the page: scores by contract and by kind of fault, and all survivors.
 *
 * @param when date and commit
 * @param poolsOf returns the contracts of a source; its mutants count for the first
 */
export function mutationTables(
  entries: readonly Entry[],
  when: string,
  poolsOf: (file: string) => readonly PoolKind[],
): Record<string, string[]> {
  const { counted } = scoreOf(entries);
  const byPool = Map.groupBy(entries, ({ file }) => poolsOf(file)[0]);
  const byOperator = Map.groupBy(entries, ({ operator }) => operator);
  const pools = poolKinds.map((pool) => [`\`${pool}\``, byPool.get(pool) ?? []] as const);
  return {
    run: [
      `${when}, by \`deno task mutants\` and \`deno task mutants --write\`. ${entries.length} mutants were ` +
      `tried; ${counted} of them compile to code of their own.`,
    ],
    contracts: scoreTable("Contract", [...pools, ["all", entries]]),
    faults: scoreTable("Kind of fault", [...byOperator].sort(([a], [b]) => a < b ? -1 : 1)),
    survivors: survivorList(entries),
  };
}

function scoreTable(head: string, rows: readonly (readonly [name: string, entries: readonly Entry[]])[]) {
  return markdownTable(
    [head, "Mutants", "Killed", "Equivalent", "Missed", "Score"],
    rows.map(([name, entries]) => {
      const { counted, killed, equivalent, percent } = scoreOf(entries);
      return [name, counted, killed, equivalent, counted - killed - equivalent, `${percent} %`];
    }),
  );
}

/** Returns all survivors, by the reason why they survive. */
function survivorList(entries: readonly Entry[]): string[] {
  const survivors = entries.filter(({ verdict }) => verdict === "survived");
  const byReason = Map.groupBy(survivors, (entry) => equivalenceReason(entry) ?? "a gap: no test detects it");
  return [...byReason].flatMap(([reason, group]) => [
    `- ${reason.replaceAll("*", "\\*")}`,
    ...[...Map.groupBy(group, ({ file }) => file)].map(([file, of]) =>
      `  - \`${file}\`: ${of.map(({ shows }) => `\`${shows}\``).join("; ")}`
    ),
  ]);
}

/** Writes the page. @param entries the results of all mutants */
export async function writePage(
  entries: readonly Entry[],
  poolsOf: (file: string) => readonly PoolKind[],
): Promise<void> {
  const tables = mutationTables(entries, await dateAndCommit(), poolsOf);
  await writeGenerated("mutants", [await fillTables("docs/mutation.md", tables)], false);
}
