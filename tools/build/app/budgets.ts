/** The size budgets of the app. The build fails when one is exceeded. */
import { gzipSync } from "node:zlib";

export interface Budget {
  readonly what: string;
  /** In KB (1,000 bytes) after gzip. */
  readonly limit: number;
  readonly files: readonly string[];
}

interface BudgetRow {
  readonly what: string;
  readonly kilobytes: number;
  readonly limit: number;
}

export function measureBudgets(
  budgets: readonly Budget[],
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): BudgetRow[] {
  return budgets.map(({ what, limit, files: names }) => {
    const bytes = names.reduce((sum, name) => sum + gzipSync(files.get(name)!, { level: 9 }).length, 0);
    return { what, limit, kilobytes: bytes / 1000 };
  });
}

export function formatBudgets(rows: readonly BudgetRow[]): string {
  const width = Math.max(...rows.map(({ what }) => what.length));
  return rows.map(({ what, kilobytes, limit }) =>
    `${what.padEnd(width)}  ${kilobytes.toFixed(1).padStart(7)} KB  of ${String(limit).padStart(4)} KB` +
    (kilobytes > limit ? "  EXCEEDED" : "")
  ).join("\n");
}
