/**
 * Compiled contracts for tests. A contract is compiled once per process, and once per text of its sources in
 * `dist/compiled-contracts/`, so that the test files of a run share the work. A fault can be put into the sources
 * (tools/mutants.ts).
 */
import { createHash } from "node:crypto";
import { Cell } from "@ton/core";
import { compileTolk } from "../../tools/contracts/compile.ts";

/** A change of one source file: its text, from the repository or from an override, becomes another. */
export interface SourceFault {
  readonly file: string;
  readonly change: (source: string) => string;
}

const root = new URL("../../", import.meta.url);
const cache = new URL("dist/compiled-contracts/", root);

let fault: SourceFault | undefined;
const compiled = new Map<string, Promise<Cell>>();

/** Puts this fault, or none, into every contract that is compiled from now on. */
export function setFault(next: SourceFault | undefined): void {
  fault = next;
  compiled.clear();
}

/**
 * Returns the code of the contract that begins in `entry`.
 *
 * @param overrides sources to take instead of the files, by path
 * @throws Error with the compiler's message
 */
export function contractCode(
  entry: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Cell> {
  const key = JSON.stringify([entry, overrides]);
  let code = compiled.get(key);
  if (code === undefined) compiled.set(key, code = compile(entry, overrides));
  return code;
}

async function compile(entry: string, overrides: Readonly<Record<string, string>>): Promise<Cell> {
  if (fault) {
    const { file, change } = fault;
    const source = overrides[file] ?? Deno.readTextFileSync(new URL(file, root));
    return Cell.fromBase64(await compileTolk(entry, { ...overrides, [file]: change(source) }));
  }
  const file = new URL(await cacheKey(entry, overrides), cache);
  const cached = await Deno.readTextFile(file).catch(() => undefined);
  if (cached !== undefined) return Cell.fromBase64(cached);
  const code = await compileTolk(entry, overrides);
  await writeAtomically(file, code).catch(() => {}); // the next process compiles again
  return Cell.fromBase64(code);
}

/** SHA-256 of all that the code depends on: the compiler's version is in deno.json. */
async function cacheKey(entry: string, overrides: Readonly<Record<string, string>>): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([entry, overrides]));
  for (const path of ["deno.json", ...await sources("contracts/"), ...await sources("tests/support/")]) {
    hash.update(JSON.stringify([path, await Deno.readTextFile(new URL(path, root))]));
  }
  return hash.digest("hex");
}

async function sources(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await sources(`${folder}${name}/`));
    else if (name.endsWith(".tolk")) found.push(`${folder}${name}`);
  }
  return found.sort();
}

async function writeAtomically(file: URL, text: string): Promise<void> {
  await Deno.mkdir(cache, { recursive: true });
  const temporary = new URL(`${crypto.randomUUID()}.tmp`, cache);
  await Deno.writeTextFile(temporary, text);
  await Deno.rename(temporary, file);
}
