/**
 * Limits the number of files in a folder, the length of files, and the length of functions, so that a function fits on a
 * screen and a file is read in one sitting. The lists of exceptions may only shrink.
 *
 * Functions are found by the indentation that `deno fmt` gives them: a function ends with the first line that begins with
 * a closing brace at the indentation of its first line.
 */
import assert from "node:assert/strict";
import { listRepositoryFiles } from "../support/docs/repository_files.ts";

const MAX_FUNCTION_LINES = 70;
const MAX_FILE_LINES = 300;
const MAX_FOLDER_FILES = 15;

/** Files that are longer than the limit, with their lines. */
const longFiles: Readonly<Record<string, number>> = {
  // WebAssembly contains the file and line of each possible panic, so a split changes the committed modules.
  "ceremony-wasm/src/circuit.rs": 324,
};

/** Folders with more files of their own than the limit, with their number. */
const largeFolders: Readonly<Record<string, number>> = {};

/** Functions that are longer than the limit, with their lines. */
const longFunctions: Readonly<Record<string, number>> = {};

const root = new URL("../../", import.meta.url);
const ENDINGS = [".ts", ".tsx", ".tolk", ".rs", ".circom"];
const paths = (await Promise.all(ENDINGS.map((ending) => listRepositoryFiles(ending)))).flat()
  .filter((path) => !/\/(generated|pkg)\//.test(path));
const files = await Promise.all(paths.map(async (path) => ({
  path,
  lines: (await Deno.readTextFile(new URL(path, root))).trimEnd().split("\n"),
})));

/** The name and length of a function. One without a name goes by its first line. */
interface FunctionSize {
  readonly name: string;
  readonly lines: number;
}

const indentOf = (line: string) => line.length - line.trimStart().length;
/** Statements whose head ends like the head of a function. */
const STATEMENT = /^(if|for|while|switch|catch|with|else|return|do)\b/;
/** The head of a function on one line: a declaration in any of the languages, a method, or an arrow function. */
const HEAD =
  /\bfunction\b.*\{$|^(?:[\w"@()]+ )*(?:fn|fun) .*\{$|^(?:(?:static|async|override|get|set|private) |\*)*[#\w]+(?:<.*>)?\(.*\).* \{$|=> \(?\{$/;
/** The last line of a head that spans several lines: `): Promise<void> {`. */
const HEAD_END = /^\}?(?:: [^)]*)?\).*\{$/;

/** The name that a head declares. */
const NAME =
  /^(?:(?:export|async|static|override|get|set|private|const|pub|fun|fn|function\*?) |\*)*((?:(?<=fun )\w+\.)?[#\w]+)(?= =|[<(])/;

/** Returns the functions of a formatted file. */
function findFunctions(lines: readonly string[]): FunctionSize[] {
  const functions: FunctionSize[] = [];
  for (const [i, line] of lines.entries()) {
    const text = line.trimStart();
    const indent = indentOf(line);
    let start = i;
    if (HEAD_END.test(text)) {
      start = lines.findLastIndex((other, j) => j < i && other.trim() !== "" && indentOf(other) === indent);
    } else if (!HEAD.test(text)) continue;
    const head = lines[start].trim();
    if (STATEMENT.test(head) && !/=> \(?\{$/.test(text)) continue;
    const end = lines.findIndex((other, j) => j > i && indentOf(other) === indent && /^\s*\}/.test(other));
    functions.push({ name: NAME.exec(head)?.[1] ?? head, lines: end - start + 1 });
  }
  return functions;
}

Deno.test("the end of a function is found, whatever the form of its head", () => {
  const source = `
export async function declared(a: number): Promise<void> {
  if (
    a > 0
  ) {
    return;
  }
  list.forEach((x) => {
    use(x);
  });
}

function wrapped(
  { a, b }: Options,
): Record<string, () => void> {
  for (const x of b) {
    use(x);
  }
}

class Counter {
  static async *count<T>(from: T): AsyncGenerator<T> {
    yield from;
  }
}

const record = ({
  a,
}: Options) => ({
  a,
});

pub fn rust(a: u32) -> u32 {
    a
}

fun Pool.tolk(self): bool {
    return true;
}

get fun getter() {
    return 1;
}
`;
  assert.deepEqual(findFunctions(source.trim().split("\n")), [
    { name: "declared", lines: 10 },
    { name: "list.forEach((x) => {", lines: 3 },
    { name: "wrapped", lines: 7 },
    { name: "count", lines: 3 },
    { name: "record", lines: 5 },
    { name: "rust", lines: 3 },
    { name: "Pool.tolk", lines: 3 },
    { name: "getter", lines: 3 },
  ]);
});

Deno.test(`no file is longer than ${MAX_FILE_LINES} lines, but for a list that may only shrink`, () => {
  const long = files.filter(({ lines }) => lines.length > MAX_FILE_LINES)
    .map(({ path, lines }) => [path, lines.length] as const);
  assertShrinks(Object.fromEntries(long), longFiles);
});

Deno.test(`no function of TypeScript, Rust or Tolk is longer than ${MAX_FUNCTION_LINES} lines, but for a list that may only shrink`, () => {
  const sources = files.filter(({ path }) => !path.endsWith(".circom"));
  const long = sources.flatMap(({ path, lines }) =>
    findFunctions(lines).filter((size) => size.lines > MAX_FUNCTION_LINES)
      .map((size) => [`${path}: ${size.name}`, size.lines] as const)
  );
  assertShrinks(Object.fromEntries(long), longFunctions);
});

Deno.test(`no folder holds more than ${MAX_FOLDER_FILES} source files of its own, but for a list that may only shrink`, () => {
  const counts = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf("/")));
  const large = [...counts].map(([folder, { length }]) => [folder, length] as const)
    .filter(([, count]) => count > MAX_FOLDER_FILES);
  assertShrinks(Object.fromEntries(large), largeFolders);
});

/** Asserts that everything beyond a limit is listed with at least its size, and that nothing else is listed. */
function assertShrinks(
  long: Readonly<Record<string, number>>,
  listed: Readonly<Record<string, number>>,
): void {
  for (const [name, size] of Object.entries(long)) {
    assert.ok(size <= (listed[name] ?? 0), `${name} has a size of ${size}: split it`);
  }
  for (const name of Object.keys(listed)) {
    assert.ok(name in long, `${name} is within the limit now: remove it from the list`);
  }
}
