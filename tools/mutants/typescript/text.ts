/** Finds the code in a TypeScript source that was formatted by `deno fmt`, without parsing it. */
import { closing } from "../tolk_text.ts";

/** Tokens that are not code: comments, strings, regular expressions, imports, and types like `1 | 2`. */
const NOT_CODE = new RegExp(
  [
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`\/\/[^\n]*`,
    String.raw`"(?:[^"\\\n]|\\.)*"`,
    String.raw`'(?:[^'\\\n]|\\.)*'`,
    String.raw`(?<=[(,=:&|!?[{]\s*|return )\/(?:[^\/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*`,
    String.raw`(?<=: )\d+(?: \| \d+)+`,
    String.raw`^import [\s\S]*?;$`,
    String.raw`^export (?:type )?(?:\{[^}]*\}|\*[^;]*) from [^;]*;$`,
  ].join("|"),
  "gm",
);

/** Declarations without code at run time. They end at a line that begins like they do. */
const TYPES =
  /^( *)(?:export )?(?:declare )?(?:interface [^\n]*\{\n(?:(?!\1\})[^\n]*\n)*\1\}|type [^\n=]*=(?:[^\n]*;|[^;]*?;)$)/gm;

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/**
 * Calls whose loss no test is expected to notice: log lines, and turns of the event loop, which decide when other work
 * runs.
 */
const UNOBSERVED_CALL = /(?<![\w.])(?:this\.)?#?(?:(?:log|logger|console)\.\w+|yieldToEventLoop)(?=\()/g;

/** Returns the source with everything that is not code blanked, in the same length. */
export function maskTypeScript(source: string): string {
  return blankUnobserved(blankTemplates(source.replace(NOT_CODE, blank)).replace(TYPES, blank));
}

/** Blanks unobserved calls, and each `if` that guards nothing else. */
function blankUnobserved(code: string): string {
  let out = code;
  const blankBetween = (from: number, to: number) =>
    void (out = out.slice(0, from) + blank(out.slice(from, to)) + out.slice(to));
  for (const { index, 0: call } of code.matchAll(UNOBSERVED_CALL)) {
    const close = closing(code, index + call.length);
    blankBetween(index, close + 1);
    const guard = guardAround(code, index, close + 1);
    if (guard !== undefined) blankBetween(...guard);
  }
  return out;
}

/** Returns the `if` and its condition that guard only the statement from `at` to `end`; undefined if there is none. */
function guardAround(code: string, at: number, end: number): [from: number, to: number] | undefined {
  const [opening, brace] = /\)\s*(\{\s*)?(?:await |void )?$/.exec(code.slice(0, at)) ?? [];
  const isOnly = brace === undefined ? /^;\s*(?!\}?\s*else\b)/ : /^;\s*\}(?!\s*else\b)/;
  if (opening === undefined || !isOnly.test(code.slice(end))) return undefined;
  const to = at - opening.length + 1;
  const from = code.lastIndexOf("if (", to);
  if (from < 0 || closing(code, from + "if ".length) !== to - 1) return undefined;
  return [from, to];
}

/** Blanks template literals with all that they contain, nested templates included. */
function blankTemplates(code: string): string {
  let out = "";
  for (let i = 0; i < code.length; i++) {
    if (code[i] !== "`") {
      out += code[i];
      continue;
    }
    const end = templateEnd(code, i);
    out += blank(code.slice(i, end));
    i = end - 1;
  }
  return out;
}

/** Returns the index after the template literal that begins at `start`. */
function templateEnd(code: string, start: number): number {
  let braces = 0;
  for (let i = start + 1; i < code.length; i++) {
    if (code[i] === "\\") i++;
    else if (braces === 0 && code[i] === "`") return i + 1;
    else if (braces === 0 && code.startsWith("${", i)) {
      braces = 1;
      i++;
    } else if (braces > 0) {
      if (code[i] === "`") i = templateEnd(code, i) - 1;
      else if (code[i] === "{") braces++;
      else if (code[i] === "}") braces--;
    }
  }
  return code.length;
}
