/** How the command line looks: colour on a terminal only, and never when NO_COLOR is set (no-color.org). */
import { createColors } from "picocolors";
import { own, shown } from "./terminal_text.ts";
import type { Output, Wiring } from "./wiring.ts";

const names = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
type Colours = Readonly<Record<typeof names[number], (text: string) => string>>;

/** Whether colours are welcome where the output can show them. */
export function coloursWanted(env: Wiring["env"]): boolean {
  return !env.NO_COLOR && env.TERM !== "dumb";
}

/** Colour functions for `output`; they return the text unchanged where colour is not wanted. */
export function colours(output: Output, env: Wiring["env"]): Colours {
  const colour = createColors(output.isTerminal && coloursWanted(env));
  const painted = (name: typeof names[number]) => (text: string) => own(colour[name](shown(text)));
  return Object.fromEntries(names.map((name) => [name, painted(name)])) as Colours;
}

/** A line that is drawn over itself while something takes long; on anything but a terminal nothing is drawn. */
export interface ProgressLine {
  update(text: string, fraction: number): void;
  /** Removes the line. */
  clear(): void;
}

const BAR = 24;

/** Starts a {@linkcode ProgressLine} on `output`. */
export function progressLine(output: Output): ProgressLine {
  const clear = () => {
    if (output.isTerminal) output.write(own("\r\x1b[K"));
  };
  return {
    clear,
    update(text, fraction) {
      if (!output.isTerminal) return;
      const full = Math.round(Math.min(Math.max(fraction, 0), 1) * BAR);
      clear();
      output.write(`  ${"█".repeat(full)}${"░".repeat(BAR - full)} ${text}`.slice(0, output.columns - 1));
    },
  };
}

/** Starts a {@linkcode ProgressLine} that tells on anything but a terminal one line for each thing that is begun. */
export function stageLine(output: Output, { quiet }: { readonly quiet?: boolean }): ProgressLine {
  const line = progressLine(output);
  let said = "";
  return {
    clear: line.clear,
    update(text, fraction) {
      if (quiet) return;
      if (output.isTerminal) {
        line.update(fraction > 0 ? `${text} ${Math.floor(100 * fraction)}%` : text, fraction);
      } else if (text !== said) output.write(`${text}\n`);
      said = text;
    },
  };
}

/** Unix seconds as people read them. */
export function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
