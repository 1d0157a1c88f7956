/**
 * What may reach a terminal. Text of relayers, chains and files can hold control sequences that erase lines, forge them or
 * turn them round; all of it leaves through here, where only this program's own sequences get out as such.
 */
import type { Output, Wiring } from "./wiring.ts";

/** Controls (C0 and C1), formats (bidirectional marks, zero widths), lone surrogates, separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Nobody outside can know it, so that no text from there is taken for a sequence of ours. */
const NONCE = crypto.randomUUID();
const marks = [["\x1b", `\uFDD0${NONCE}E`], ["\r", `\uFDD0${NONCE}R`]] as const;

/** Marks a control sequence of this program's own. */
export function own(sequence: string): string {
  return marks.reduce((text, [control, mark]) => text.replaceAll(control, mark), sequence);
}

/** Escapes, as JSON does and so that JSON stays what it is, whatever is invisible, but the ends of lines. */
export function shown(text: string): string {
  return text.replace(INVISIBLE, (character) => character === "\n" ? character : escaped(character));
}

/** {@linkcode shown}, and the ends of lines too: for text of others within a line of ours. */
export function oneLine(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** The wiring, of which everything that is written or asked is {@linkcode shown}. */
export function guarded(wiring: Wiring): Wiring {
  return {
    ...wiring,
    stdout: guardedOutput(wiring.stdout),
    stderr: guardedOutput(wiring.stderr),
    agrees: (question) => wiring.agrees(oneLine(question)),
    askSecret: (question) => wiring.askSecret(oneLine(question)),
  };
}

function guardedOutput(output: Output): Output {
  return {
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    write: (text) =>
      output.write(marks.reduce((out, [control, mark]) => out.replaceAll(mark, control), shown(text))),
  };
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
