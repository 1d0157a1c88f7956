/** Figures as text: for a terminal, and for the page. */
import type { Result } from "./results.ts";
import { type Figure, type Study, type Target, verdict } from "./study.ts";

/** A number with three digits that count. */
export function number(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}

/** A figure with its unit; thousandths of a millisecond as such. */
export function amount({ value, unit }: Pick<Figure, "value" | "unit">): string {
  if (!unit.startsWith("ms")) return `${number(value)} ${unit}`;
  if (value < 1) return `${number(value * 1000)} us${unit.slice(2)}`;
  return value < 10_000 ? `${number(value)} ms${unit.slice(2)}` : `${number(value / 1000)} s${unit.slice(2)}`;
}

/** A bound as it is read: `at least 11x`. */
export function bound({ of, atLeast, atMost }: Target, unit: string): string {
  const [words, value] = atLeast === undefined ? ["at most", atMost!] : ["at least", atLeast];
  return `${words} ${of === "ratio" ? `${value}x` : amount({ value, unit })}`;
}

/** Whether a bound is kept, and if not by how much it is missed. */
export function outcome(figure: Figure): string {
  const found = verdict(figure);
  if (found === undefined) return "";
  if (found.met) return "met";
  const { atLeast, atMost } = figure.target!;
  const by = atLeast === undefined ? found.measured / atMost! - 1 : 1 - found.measured / atLeast;
  return `missed by ${Math.ceil(by * 100)}%`;
}

/** One line for a terminal. */
export function figureText(figure: Figure): string {
  const { name, unit, ratio, target } = figure;
  const parts = [name.padEnd(44), amount(figure).padStart(18)];
  if (ratio !== undefined) parts.push(`${number(ratio)}x`.padStart(8));
  if (target) parts.push(` ${bound(target, unit)}: ${outcome(figure)}`);
  return parts.join(" ");
}

const escaped = (text: string) => text.replaceAll("|", "\\|");

/** The bounds and what came of them, of all studies. */
export function targetTable(studies: readonly Study[], results: readonly Result[]): string[] {
  const rows = studies.flatMap(({ id, title, builds }) =>
    results.filter(({ study }) => study === id).flatMap(({ build, figures }) =>
      figures.filter(({ target }) => target !== undefined).map((figure) => {
        const { name, unit, ratio, target } = figure;
        const measured = target!.of === "ratio" ? `${number(ratio!)}x` : amount(figure);
        const cells = [
          title,
          builds ? `${name} (${build})` : name,
          measured,
          bound(target!, unit),
          outcome(figure),
        ];
        return `| ${cells.map(escaped).join(" | ")} |`;
      })
    )
  );
  return ["| Work | Beside | Measured | Target | |", "| --- | --- | --- | --- | --- |", ...rows];
}

/** Everything that was measured, study by study. */
export function detailTables(studies: readonly Study[], results: readonly Result[]): string[] {
  return studies.flatMap(({ id, title, about, builds }) => {
    const own = results.filter(({ study }) => study === id);
    if (own.length === 0) return [];
    const rows = own.flatMap(({ build, figures }) =>
      figures.map((figure) => {
        const { name, ratio } = figure;
        const cells = [
          builds ? `${name} (${build})` : name,
          amount(figure),
          ratio === undefined ? "" : `${number(ratio)}x`,
        ];
        return `| ${cells.map(escaped).join(" | ")} |`;
      })
    );
    const [{ deno, threads, load }] = own;
    return [
      `### ${title}`,
      "",
      about,
      "",
      "| | Measured | Ratio |",
      "| --- | --- | --- |",
      ...rows,
      "",
      `Deno ${deno}, ${threads} hardware threads, load at the beginning ${load}.`,
      "",
    ];
  });
}
