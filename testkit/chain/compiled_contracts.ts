/**
 * Compiled contracts for tests. A contract is compiled once per process, and once per version of its sources in
 * `dist/compiled-contracts/`, so that test files share the work. Mutation testing puts faults into the sources.
 */
import { createHash } from "node:crypto";
import { Cell } from "@ton/core";
import { compileTolk } from "../toolchain/tolk.ts";

/** Changes the text of one source file, from the repository or from an override. */
interface SourceFault {
  readonly file: string;
  readonly change: (source: string) => string;
}

const root = new URL("../../", import.meta.url);
const cache = new URL("dist/compiled-contracts/", root);

let sourceFault: SourceFault | undefined;
const compiled = new Map<string, Promise<Cell>>();

/** Sets the fault of all contracts that are compiled from now on, or removes it. */
export function setSourceFault(next: SourceFault | undefined): void {
  sourceFault = next;
  compiled.clear();
}

/**
 * Returns the code of the contract with this entry file.
 *
 * @param overrides sources that replace files, by path
 * @throws Error with the compiler's message
 */
export function compileCached(
  entry: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Cell> {
  const key = JSON.stringify([entry, overrides]);
  let code = compiled.get(key);
  if (code === undefined) compiled.set(key, code = compile(entry, overrides));
  return code;
}

async function compile(entry: string, overrides: Readonly<Record<string, string>>): Promise<Cell> {
  if (sourceFault) {
    const { file, change } = sourceFault;
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

/** Returns the SHA-256 of everything that the code depends on. deno.json contains the compiler's version. */
async function cacheKey(entry: string, overrides: Readonly<Record<string, string>>): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([entry, overrides]));
  for (const path of ["deno.json", ...await sources("contracts/"), ...await sources("testkit/chain/")]) {
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
