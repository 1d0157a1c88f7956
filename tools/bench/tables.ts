/** Formats figures for a terminal and for the page. */
import type { StudyResult } from "./results.ts";
import { markdownTable } from "../shared/markdown_table.ts";
import { checkTarget, type Figure, type Study, type Target } from "./study.ts";

/** Formats a number with three significant digits. */
function formatNumber(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}

/** Formats a figure with its unit, and times below a millisecond in microseconds. */
export function formatMeasurement({ value, unit }: Pick<Figure, "value" | "unit">): string {
  if (!unit.startsWith("ms")) return `${formatNumber(value)} ${unit}`;
  if (value > 0 && value < 1) return `${formatNumber(value * 1000)} us${unit.slice(2)}`;
  return value < 10_000
    ? `${formatNumber(value)} ms${unit.slice(2)}`
    : `${formatNumber(value / 1000)} s${unit.slice(2)}`;
}

/** Formats a target: `at least 11x`. */
export function formatTarget({ of, atLeast, atMost }: Target, unit: string): string {
  const [words, value] = atLeast === undefined ? ["at most", atMost!] : ["at least", atLeast];
  return `${words} ${of === "ratio" ? `${value}x` : formatMeasurement({ value, unit })}`;
}

/** Formats whether a figure meets its target, or by how much it misses it. */
export function formatOutcome(figure: Figure): string {
  const found = checkTarget(figure);
  if (found === undefined) return "";
  if (found.met) return "met";
  const { atLeast, atMost } = figure.target!;
  const by = atLeast === undefined ? found.measured / atMost! - 1 : 1 - found.measured / atLeast;
  return `missed by ${Math.ceil(by * 100)}%`;
}

/** Formats a figure as a line for a terminal. */
export function formatFigure(figure: Figure): string {
  const { name, unit, ratio, target } = figure;
  const parts = [name.padEnd(44), formatMeasurement(figure).padStart(18)];
  if (ratio !== undefined) parts.push(`${formatNumber(ratio)}x`.padStart(8));
  if (target) parts.push(` ${formatTarget(target, unit)}: ${formatOutcome(figure)}`);
  return parts.join(" ");
}

const escaped = (text: string) => text.replaceAll("|", "\\|");

/** Returns the table of all targets and figures. */
export function targetTable(studies: readonly Study[], results: readonly StudyResult[]): string[] {
  const rows = studies.flatMap(({ id, title, builds }) =>
    results.filter(({ study }) => study === id).flatMap(({ build, figures }) =>
      figures.filter(({ target }) => target !== undefined).map((figure) => {
        const { name, unit, ratio, target } = figure;
        const measured = target!.of === "ratio" ? `${formatNumber(ratio!)}x` : formatMeasurement(figure);
        const cells = [
          title,
          builds ? `${name} (${build})` : name,
          measured,
          formatTarget(target!, unit),
          formatOutcome(figure),
        ];
        return cells.map(escaped);
      })
    )
  );
  return markdownTable(["Work", "Compared with, or figure", "Measured", "Target", ""], rows);
}

/** Returns the tables of all figures, study by study. */
export function detailTables(studies: readonly Study[], results: readonly StudyResult[]): string[] {
  return studies.flatMap(({ id, title, about, builds }) => {
    const own = results.filter(({ study }) => study === id);
    if (own.length === 0) return [];
    const rows = own.flatMap(({ build, figures }) =>
      figures.map((figure) => {
        const { name, ratio } = figure;
        const cells = [
          builds ? `${name} (${build})` : name,
          formatMeasurement(figure),
          ratio === undefined ? "" : `${formatNumber(ratio)}x`,
        ];
        return cells.map(escaped);
      })
    );
    const [{ when, deno, threads, processor, load }] = own;
    return [
      `### ${title}`,
      "",
      about,
      "",
      ...markdownTable(["", "Measured", "Ratio"], rows),
      "",
      `${when}. Deno ${deno}, ${threads} hardware threads (${processor}), load at the beginning ${load}.`,
      "",
    ];
  });
}
