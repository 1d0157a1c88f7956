/** Finds the code in a TypeScript source that was formatted by `deno fmt`, without parsing it. */

/** Tokens that are not code: comments, strings, regular expressions and imports. */
const NOT_CODE = new RegExp(
  [
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`\/\/[^\n]*`,
    String.raw`"(?:[^"\\\n]|\\.)*"`,
    String.raw`'(?:[^'\\\n]|\\.)*'`,
    String.raw`(?<=[(,=:&|!?[{]\s?|return )\/(?:[^\/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*`,
    String.raw`^import [\s\S]*?;$`,
    String.raw`^export (?:type )?(?:\{[^}]*\}|\*[^;]*) from [^;]*;$`,
  ].join("|"),
  "gm",
);

/** Declarations without code at run time. They end at a line that begins like they do. */
const TYPES =
  /^( *)(?:export )?(?:declare )?(?:interface [^\n]*\{\n(?:(?!\1\})[^\n]*\n)*\1\}|type [^\n=]*=(?:[^\n]*;|[^;]*?;)$)/gm;

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Returns the source with everything that is not code blanked, in the same length. */
export function maskTypeScript(source: string): string {
  return blankTemplates(source.replace(NOT_CODE, blank)).replace(TYPES, blank);
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
