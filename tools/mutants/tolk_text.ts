/** Finds its way in the text of a Tolk source without parsing it: lines, brackets, operands and statements. */

/** Returns the source with comments, strings and `asm` bodies blanked, in the same length. */
export function masked(source: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  return source.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|^import[^\n]*|^tolk [^\n]*/gm, blank);
}

/** Returns the line around `at`, without a comment at its end. */
export function lineAt(source: string, at: number): string {
  const from = source.lastIndexOf("\n", at - 1) + 1;
  const to = source.indexOf("\n", at);
  return source.slice(from, to < 0 ? undefined : to).trim().replace(/ *\/\/ .*$/, "");
}

/** Returns where the bracket that opens at `open` closes. */
export function closing(code: string, open: number): number {
  let depth = 0;
  for (let i = open; i < code.length; i++) {
    if ("([{".includes(code[i])) depth++;
    if (")]}".includes(code[i]) && --depth === 0) return i;
  }
  throw new Error(`a bracket does not close at ${open}`);
}

/** Returns where an operand ends: at a comma, colon or semicolon of its level, or where the level ends. */
export function operandEnd(code: string, from: number): number {
  let depth = 0;
  for (let i = from; i < code.length; i++) {
    if ("([{".includes(code[i])) depth++;
    if (")]}".includes(code[i]) && depth-- === 0) return i;
    if (depth === 0 && ",:;".includes(code[i])) return i;
  }
  return code.length;
}

/**
 * Returns where the operand before `to` begins: after a bracket of its level, an assignment, a comma or another
 * operand.
 */
export function operandStart(code: string, to: number): number {
  let depth = 0;
  for (let i = to - 1; i > 0; i--) {
    if (")]}".includes(code[i])) depth++;
    if ("([{".includes(code[i]) && depth-- === 0) return i + 1;
    if (
      depth === 0 && /(?: (?:[&|=]{1,2}|return|\?|:)|,)$/.test(code.slice(Math.max(0, i - 7), i)) &&
      code[i] === " "
    ) {
      return i + 1;
    }
  }
  return 0;
}

/** Returns the end of the statement at `at`; undefined if it ends with something else than a semicolon. */
export function statementEnd(code: string, at: number): number | undefined {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if ("([{".includes(code[i])) depth++;
    if (")]}".includes(code[i]) && depth-- === 0) return undefined;
    if (depth === 0 && code[i] === ";") return i + 1;
  }
  return undefined;
}

/** Returns the top-level declaration around `at`: from its first line to the line that closes its bracket. */
export function declarationAt(source: string, at: number): string {
  const lines = source.split("\n");
  const own = source.slice(0, at).split("\n").length - 1;
  let first = own;
  while (first > 0 && !/^[^\s})\]/@*]/.test(lines[first])) first--;
  let last = own;
  if (/[{([]$/.test(lines[first])) { while (last < lines.length - 1 && !/^[})\]]/.test(lines[last])) last++; }
  return lines.slice(first, last + 1).join("\n");
}
