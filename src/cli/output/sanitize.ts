/** Escapes control sequences: text from relayers, chains and files could erase or forge lines. */
import type { CliContext, TextOutput } from "../context.ts";

const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const MARK_NONCE = crypto.randomUUID(); // foreign text cannot imitate a marked sequence
const sequenceMarks = [["\x1b", `\uFDD0${MARK_NONCE}E`], ["\r", `\uFDD0${MARK_NONCE}R`]] as const;

/** Marks this program's own sequences, which are not escaped. */
export function markOwnSequences(sequence: string): string {
  return sequenceMarks.reduce((text, [control, mark]) => text.replaceAll(control, mark), sequence);
}

export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE_CHARACTERS,
    (character) => character === "\n" ? character : unicodeEscapes(character),
  );
}

export function escapeLine(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, unicodeEscapes);
}

export function withSanitizedOutput(context: CliContext): CliContext {
  return {
    ...context,
    stdout: sanitizedOutput(context.stdout),
    stderr: sanitizedOutput(context.stderr),
    promptConfirm: (question) => context.promptConfirm(escapeLine(question)),
    promptSecret: (question) => context.promptSecret(escapeLine(question)),
  };
}

function sanitizedOutput(output: TextOutput): TextOutput {
  return {
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    write: (text) =>
      output.write(
        sequenceMarks.reduce((out, [control, mark]) => out.replaceAll(mark, control), escapeControls(text)),
      ),
  };
}

function unicodeEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
