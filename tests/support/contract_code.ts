/** Compiled contracts for tests: each is compiled once a process, and a fault can be put into its sources (tools/mutants.ts). */
import { Cell } from "@ton/core";
import { compileTolk } from "../../tools/contracts/compile.ts";

/** A change of one source file: what its text becomes, whether it is the repository's or stands in for it. */
export interface SourceFault {
  readonly file: string;
  readonly change: (source: string) => string;
}

let fault: SourceFault | undefined;
const compiled = new Map<string, Promise<Cell>>();

/** From here on all that is compiled has this fault, or none. */
export function setFault(next: SourceFault | undefined): void {
  fault = next;
  compiled.clear();
}

/**
 * Code of the contract that begins in `entry`.
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
  let sources = overrides;
  if (fault) {
    const { file, change } = fault;
    const source = overrides[file] ?? Deno.readTextFileSync(new URL(`../../${file}`, import.meta.url));
    sources = { ...overrides, [file]: change(source) };
  }
  return Cell.fromBase64(await compileTolk(entry, sources));
}
