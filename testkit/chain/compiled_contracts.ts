/**
 * Compiled contracts for tests. A contract is compiled once per version of its sources, and read once per process.
 * Mutation testing puts faults into the sources.
 */
import { Cell } from "@ton/core";
import config from "../../deno.json" with { type: "json" };
import { cached, readSources } from "../toolchain/build_cache.ts";
import { compileTolk } from "../toolchain/tolk.ts";

/** Changes the text of one source file, from the repository or from an override. */
interface SourceFault {
  readonly file: string;
  readonly change: (source: string) => string;
}

const root = new URL("../../", import.meta.url);

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
  if (sourceFault === undefined) return await compileUnchanged(entry, overrides);
  const { file, change } = sourceFault;
  const source = overrides[file] ?? Deno.readTextFileSync(new URL(file, root));
  return Cell.fromBase64(await compileTolk(entry, { ...overrides, [file]: change(source) }));
}

/** Works like {@linkcode compileCached}, but ignores the fault. */
export async function compileUnchanged(
  entry: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<Cell> {
  const sources = [
    await readSources(new URL("contracts/", root), ".tolk"),
    await readSources(new URL("testkit/chain/", root), ".tolk"),
  ];
  const inputs = [config.imports["@ton/tolk-js"], entry, overrides, sources];
  return Cell.fromBase64(await cached("contract", inputs, () => compileTolk(entry, overrides)));
}
