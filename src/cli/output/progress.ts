/** Colours appear on terminals only, and never if NO_COLOR is set (no-color.org). */
import { createColors } from "picocolors";
import { escapeControls, markOwnSequences } from "./sanitize.ts";
import type { CliContext, TextOutput } from "../context.ts";

const colourNames = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
type Colours = Readonly<Record<typeof colourNames[number], (text: string) => string>>;

export function coloursEnabled(env: CliContext["env"]): boolean {
  return !env.NO_COLOR && env.TERM !== "dumb";
}

export function colours(output: TextOutput, env: CliContext["env"]): Colours {
  const colour = createColors(output.isTerminal && coloursEnabled(env));
  const painted = (name: typeof colourNames[number]) => (text: string) =>
    markOwnSequences(colour[name](escapeControls(text)));
  return Object.fromEntries(colourNames.map((name) => [name, painted(name)])) as Colours;
}

export interface ProgressLine {
  update(text: string, fraction: number): void;
  clear(): void;
}

const PROGRESS_BAR_COLUMNS = 24;

export function progressLine(output: TextOutput): ProgressLine {
  const clear = () => {
    if (output.isTerminal) output.write(markOwnSequences("\r\x1b[K"));
  };
  return {
    clear,
    update(text, fraction) {
      if (!output.isTerminal) return;
      const full = Math.round(Math.min(Math.max(fraction, 0), 1) * PROGRESS_BAR_COLUMNS);
      clear();
      output.write(
        `  ${"█".repeat(full)}${"░".repeat(PROGRESS_BAR_COLUMNS - full)} ${text}`.slice(
          0,
          output.columns - 1,
        ),
      );
    },
  };
}

export function stageProgressLine(output: TextOutput, { quiet }: { readonly quiet?: boolean }): ProgressLine {
  const line = progressLine(output);
  let lastText = "";
  return {
    clear: line.clear,
    update(text, fraction) {
      if (quiet) return;
      if (output.isTerminal) {
        line.update(fraction > 0 ? `${text} ${Math.floor(100 * fraction)}%` : text, fraction);
      } else if (text !== lastText) output.write(`${text}\n`);
      lastText = text;
    },
  };
}

export function formatIsoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
