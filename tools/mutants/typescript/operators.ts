/** Makes mutants of a TypeScript source: copies of its text with one small fault. */
import { operandEnd, statementEnd } from "../tolk_text.ts";
import {
  type AddMutant,
  choices,
  collectMutants,
  conditions,
  type Mutant,
  type MutationOperator,
  swaps,
} from "../operators.ts";
import { maskTypeScript } from "./text.ts";

/** Returns all mutants of a source, in text order. */
export function typeScriptMutants(file: string, source: string): Mutant[] {
  return collectMutants(file, source, maskTypeScript(source), operators);
}

const operators: readonly MutationOperator[] = [
  conditions,
  choices,
  swaps("comparison", / (<|<=|>|>=|===|!==)(?=\s)/g, {
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "===": ["!=="],
    "!==": ["==="],
  }),
  swaps("arithmetic", /\s(\+|-|\*|\/|%|<<|>>|&&|\|\||\?\?)\s/g, {
    "+": ["-"],
    "-": ["+"],
    "*": ["/"],
    "/": ["*"],
    "%": ["*"],
    "<<": [">>"],
    ">>": ["<<"],
    "&&": ["||"],
    "||": ["&&"],
    "??": ["&&"],
  }),
  operands,
  swaps("assignment", /\s(\+=|-=|\|=|\|\|=|&&=|\?\?=)\s/g, {
    "+=": ["-=", "="],
    "-=": ["+=", "="],
    "|=": ["="],
    "||=": ["="],
    "&&=": ["="],
    "??=": ["="],
  }),
  swaps("step", /[\w)\]](\+\+|--)/g, { "++": ["--"], "--": ["++"] }),
  swaps("negation dropped", /(?<![\w)\]])(!)[\w(#]/g, { "!": [""] }),
  swaps("literal", /(?<!: )\b(true|false)\b(?! *[|;]?$)/gm, { true: ["false"], false: ["true"] }),
  swaps("min and max", /\bMath\.(min|max)\(/g, { min: ["max"], max: ["min"] }),
  numbers,
  statements,
];

/** Drops one operand of `&&`, `||` or `??`. */
function operands(code: string, put: AddMutant): void {
  for (const { index, 0: operator } of code.matchAll(/\s(?:&&|\|\||\?\?)\s/g)) {
    const right = index + operator.length;
    const next = code.slice(right).search(/\s(?:&&|\|\||\?\?|\?|=>)\s/);
    const end = Math.min(operandEnd(code, right), next < 0 ? Infinity : right + next);
    put("operand dropped", index, end - index, "");
    const left = leftOperand(code, index);
    if (left !== undefined) put("operand dropped", left, right - left, "");
  }
}

/** Returns where the operand before `to` begins; undefined if it is not on the same level. */
function leftOperand(code: string, to: number): number | undefined {
  let depth = 0;
  for (let i = to - 1; i > 0; i--) {
    if (")]}".includes(code[i])) depth++;
    if ("([{;".includes(code[i]) && depth-- === 0) return code[i] === "(" ? i + 1 : undefined;
    if (
      depth === 0 && /\s/.test(code[i]) &&
      /(?:&&|\|\||\?\?|=>|\s=|return|\?|:|,)$/.test(code.slice(Math.max(0, i - 8), i))
    ) {
      return i + 1;
    }
  }
  return undefined;
}

/** Moves each number by one. */
function numbers(code: string, put: AddMutant): void {
  for (const { index, 0: number } of code.matchAll(/(?<![\w.#$])(?:0x[\da-fA-F_]+|\d[\d_]*)n?(?![\w.])/g)) {
    const suffix = number.endsWith("n") ? "n" : "";
    const value = BigInt(number.replaceAll("_", "").replace("n", ""));
    put("number", index, number.length, `${value + 1n}${suffix}`);
    if (value > 0n) put("number", index, number.length, `${value - 1n}${suffix}`);
  }
}

/** Drops a call, an assignment, or a throw that is a statement of its own. */
function statements(code: string, put: AddMutant): void {
  const heads =
    /^ +(?!(?:const|let|return|if|else|for|while|do|switch|case|try|import|export|type|async|get|set|static|readonly|private|protected|override|super|yield|function|class)\b)(?:await |void |throw new )?[a-zA-Z#][\w$.#[\]!?]*(?:\(| [-+|&?]*= )/gm;
  for (const { index, 0: head } of code.matchAll(heads)) {
    const at = index + head.search(/\S/);
    const end = statementEnd(code, at);
    if (end === undefined) continue;
    if (/^#?\w+ = /.test(code.slice(at, end)) && code[at] === "#") continue; // a field
    put("statement dropped", at, end - at, ";");
  }
}
