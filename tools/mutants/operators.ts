/** Makes mutants of a Tolk source: copies of its text with one small fault. A copy that does not compile is no mutant. */
import { closing, lineAt, masked, operandEnd, operandStart, statementEnd } from "./tolk_text.ts";

/** One fault: `text` replaces `length` characters at `at`. */
export interface Mutant {
  /** Path from the repository's root. */
  readonly file: string;
  /** The kind of fault. */
  readonly operator: string;
  readonly at: number;
  readonly length: number;
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** The line before and after. It stays the same when other lines move. */
  readonly shows: string;
}

/** Returns the source with the fault; undefined if its text at that place differs from `original`. */
export function applyMutant(
  source: string,
  { at, length, text }: Mutant,
  original: string,
): string | undefined {
  if (source.slice(at, at + length) !== original.slice(at, at + length)) return undefined;
  return source.slice(0, at) + text + source.slice(at + length);
}

/** Returns all mutants of a Tolk source, in text order. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const code = masked(source);
  const found = new Map<string, Mutant>();
  const put = (operator: string, at: number, length: number, text: string) => {
    const mutated = source.slice(0, at) + text + source.slice(at + length);
    if (mutated === source || found.has(mutated)) return;
    const line = source.slice(0, at).split("\n").length;
    const shows = `${lineAt(source, at)} => ${lineAt(mutated, at)}`;
    found.set(mutated, { file, operator, at, length, text, line, shows });
  };
  for (const operator of operators) operator(code, put, source);
  return [...found.values()].sort((a, b) => a.at - b.at);
}

/** Adds the mutant in which `text` replaces `length` characters at `at`. */
type AddMutant = (operator: string, at: number, length: number, text: string) => void;
/** Adds the mutants of one kind. */
type MutationOperator = (code: string, put: AddMutant, source: string) => void;

/** Replaces each match of the pattern's group 1, or of the pattern, by each of these. */
function replacing(
  name: string,
  pattern: RegExp,
  texts: (found: string) => readonly string[],
): MutationOperator {
  return (code, put) => {
    for (const match of code.matchAll(pattern)) {
      const found = match[1] ?? match[0];
      const at = match.index + match[0].indexOf(found);
      for (const text of texts(found)) put(name, at, found.length, text);
    }
  };
}

/** Replaces each match by the texts that the table has for it. */
const swaps = (name: string, pattern: RegExp, table: Readonly<Record<string, readonly string[]>>) =>
  replacing(name, pattern, (found) => table[found] ?? []);

/** Makes conditions always true or false. */
const conditions: MutationOperator = (code, put) => {
  for (const { index, 0: head } of code.matchAll(/\b(?:if|while) \(/g)) {
    const open = index + head.length - 1;
    const length = closing(code, open) - open - 1;
    if (head.startsWith("if")) put("condition always true", open + 1, length, "true");
    put("condition always false", open + 1, length, "false");
  }
};

/** Puts one choice of `a ? b : c` in the place of the other. */
const choices: MutationOperator = (code, put, source) => {
  for (const { index } of code.matchAll(/\s\? /g)) {
    const from = index + 3;
    const colon = operandEnd(code, from);
    if (code.slice(colon, colon + 2) !== ": ") continue;
    const end = operandEnd(code, colon + 2);
    const [first, second] = [source.slice(from, colon).trimEnd(), source.slice(colon + 2, end).trimEnd()];
    put("choice always the second", from, first.length, second);
    put("choice always the first", colon + 2, second.length, first);
  }
};

const operators: readonly MutationOperator[] = [
  function checks(code, put, source) {
    for (const { index } of code.matchAll(/\bassert \(/g)) {
      const open = index + "assert ".length;
      const close = closing(code, open);
      const end = code.indexOf(";", close) + 1;
      put("check dropped", index, end - index, "");
      const condition = source.slice(open + 1, close);
      put("check negated", open + 1, condition.length, `!(${condition})`);
    }
    for (const { index } of code.matchAll(/^ *throw \w+;/gm)) {
      const at = code.indexOf("throw", index);
      put("throw dropped", at, code.indexOf(";", at) + 1 - at, "");
    }
  },
  conditions,
  choices,
  swaps("comparison", / (<|<=|>|>=|==|!=) /g, {
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "==": ["!="],
    "!=": ["=="],
  }),
  swaps("arithmetic", / (\+|-|\*|\/|%|<<|>>|&&?|\|\|?) /g, {
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "/": ["*"],
    "%": ["/"],
    "<<": [">>"],
    ">>": ["<<"],
    "&": ["|"],
    "&&": ["||"],
    "|": ["&"],
    "||": ["&&"],
  }),
  function operands(code, put) {
    for (const { index } of code.matchAll(/ [&|]{1,2} /g)) {
      const right = index + code.slice(index + 1).indexOf(" ") + 2;
      const next = code.slice(right).search(/ [&|]{1,2} /);
      const end = Math.min(operandEnd(code, right), next < 0 ? Infinity : right + next);
      put("operand dropped", index, end - index, "");
      const left = operandStart(code, index);
      put("operand dropped", left, right - left, "");
    }
  },
  swaps("assignment", / (\+=|-=|\|=|>>=) /g, {
    "+=": ["-=", "="],
    "-=": ["+=", "="],
    "|=": ["&=", "="],
    ">>=": ["<<="],
  }),
  replacing("negation dropped", /(?<![\w)])(!)[a-z(]/g, () => [""]),
  replacing("literal", /\b(true|false)\b/g, (found) => [String(found !== "true")]),
  function bounds(code, put, source) {
    for (const { index, 0: name } of code.matchAll(/\b(?:min|max)(?=\()/g)) {
      put("min and max", index, 3, name === "min" ? "max" : "min");
      const open = index + 3;
      const close = closing(code, open);
      const comma = operandEnd(code, open + 1);
      put("bound dropped", index, close + 1 - index, `(${source.slice(open + 1, comma)})`);
      put("bound dropped", index, close + 1 - index, `(${source.slice(comma + 1, close).trim()})`);
    }
  },
  function numbers(code, put, source) {
    for (const { index, 0: number } of code.matchAll(/(?<![\w.])(?:0x[\da-f]+|0b[01]+|\d+)\b(?!\.)/g)) {
      if (/^struct \(|^tolk /.test(lineAt(source, index)) && number !== "0") {
        if (!lineAt(source, index).startsWith("struct")) continue;
      }
      const value = BigInt(number);
      put("number", index, number.length, String(value + 1n));
      // Generated constants have their own tests.
      if (value > 0n && !/^const (ERR|OP)_/.test(lineAt(source, index))) {
        put("number", index, number.length, String(value - 1n));
      }
    }
    for (const { index, 0: text } of source.matchAll(/(?<=asm ")\d+/g)) {
      for (const value of [Number(text) + 1, Number(text) - 1]) {
        put("number", index, text.length, String(value));
      }
    }
    for (const { index, 0: text } of source.matchAll(/(?<=ton\(")[\d.]+(?="\))/g)) {
      const nano = BigInt(text.split(".")[0]) * 10n ** 9n + BigInt((text.split(".")[1] ?? "").padEnd(9, "0"));
      for (const value of [nano - 1n, nano + 1n]) {
        const digits = String(value).padStart(10, "0");
        put("number", index, text.length, `${digits.slice(0, -9)}.${digits.slice(-9)}`);
      }
    }
  },
  replacing("exit code", /(?:throw|,|\?|:) (ERR_\w+)/g, (found) => [
    found === "ERR_MALFORMED" ? "ERR_PROOF_INVALID" : "ERR_MALFORMED",
  ]),
  function sendModes(code, put, source) {
    for (const { index, 0: sum } of code.matchAll(/\bSEND_MODE_\w+(?: \+ \w+)*/g)) {
      const parts = source.slice(index, index + sum.length).split(" + ");
      if (parts.length > 1) {
        for (const part of parts) {
          put("send mode", index, sum.length, parts.filter((each) => each !== part).join(" + "));
        }
      } else if (sum !== "SEND_MODE_REGULAR") put("send mode", index, sum.length, "SEND_MODE_REGULAR");
      if (!sum.includes("IGNORE_ERRORS")) {
        put("send mode", index, sum.length, `${sum} + SEND_MODE_IGNORE_ERRORS`);
      }
      if (!sum.includes("PAY_FEES") && !sum.includes("CARRY")) {
        put("send mode", index, sum.length, `${sum} + SEND_MODE_PAY_FEES_SEPARATELY`);
      }
      if (!sum.includes("CARRY_ALL")) {
        put("send mode", index, sum.length, `${sum} + SEND_MODE_CARRY_ALL_REMAINING_MESSAGE_VALUE`);
      }
    }
  },
  swaps("bounce", /\bBounceMode\.(NoBounce|Only256BitsOfBody|RichBounceOnlyRootCell)\b/g, {
    NoBounce: ["Only256BitsOfBody"],
    Only256BitsOfBody: ["NoBounce"],
    RichBounceOnlyRootCell: ["NoBounce", "Only256BitsOfBody"],
  }),
  swaps("workchain", /\b(BASECHAIN|MASTERCHAIN)\b/g, {
    BASECHAIN: ["MASTERCHAIN"],
    MASTERCHAIN: ["BASECHAIN"],
  }),
  swaps(
    "another field",
    /\.(recipient|relayer|fee|refund|deposits|withdrawals|commitment|newRoot|root|nullifierHash|young|old|before|after|a|c|share|total|master|wallet|sender)\b(?!\()/g,
    {
      recipient: ["relayer"],
      relayer: ["recipient"],
      fee: ["refund"],
      refund: ["fee"],
      deposits: ["withdrawals"],
      withdrawals: ["deposits"],
      commitment: ["newRoot"],
      newRoot: ["commitment"],
      root: ["nullifierHash"],
      nullifierHash: ["root"],
      young: ["old"],
      old: ["young"],
      before: ["after"],
      after: ["before"],
      a: ["c"],
      c: ["a"],
      share: ["total"],
      total: ["share"],
      master: ["wallet"],
      wallet: ["master"],
    },
  ),
  function statements(code, put) {
    // A call or assignment that is a statement: a line that neither declares nor returns.
    const heads =
      /^ +(?!(?:val|var|return|throw|assert|if|else|do|while|repeat|try|match|asm|\.)\b)[a-zA-Z][\w.!]*(?:\(| [-+|>&]*= )/gm;
    for (const { index, 0: head } of code.matchAll(heads)) {
      const at = index + head.search(/\S/);
      const end = statementEnd(code, at);
      if (end !== undefined) put("statement dropped", at, end - at, "");
    }
  },
];
