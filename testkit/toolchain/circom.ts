/** Compiles circuits with circom2, a WebAssembly build of circom that needs no installation. */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AnyCircuitName } from "../../src/core/crypto/groth16.ts";
import config from "../../deno.json" with { type: "json" };
import { childCommand } from "../programs/child_command.ts";
import { REPOSITORY_ROOT } from "./artifact_pins.ts";
import { cached, readSources, store } from "./build_cache.ts";

/** A compiled circuit. */
export interface CompiledCircuit {
  /** The constraint system in circom's .r1cs format. */
  readonly r1cs: Uint8Array<ArrayBuffer>;
  /** One line per signal: label, witness index (-1: optimised away), component, name. */
  readonly symbols: string;
  /** The witness program. */
  readonly wasm: Uint8Array<ArrayBuffer>;
}

/** Texts by path in `circuits/`. */
type Sources = Readonly<Record<string, string>>;

export const CIRCUITS_FOLDER = new URL("circuits/", REPOSITORY_ROOT);

const FLAGS = ["--r1cs", "--sym", "--wasm", "--prime", "bls12381"];

/**
 * Returns the compiled `<name>.circom`, which is compiled once per version of its sources. Throws with circom's report
 * if it fails.
 *
 * @param options.change changes the text of each source
 * @param options.simplify "--O2", the default, simplifies constraints fully; "--O0" keeps every signal as a wire
 */
export async function compileCircuit(
  name: AnyCircuitName,
  { change = (source) => source, simplify = "--O2" }: {
    change?: (source: string) => string;
    simplify?: "--O0" | "--O2";
  } = {},
): Promise<CompiledCircuit> {
  const sources = Object.fromEntries(
    Object.entries(await readSources(CIRCUITS_FOLDER, ".circom")).map(([path, text]) => [path, change(text)]),
  );
  const args = [`${name}.circom`, ...FLAGS, simplify];
  return await cached("circuit", cacheInputs(args, sources), () => runCircom(name, args, sources));
}

/** Compiles `<name>.circom` anew, and fails on signals that are in no constraint, or in only one. */
export async function compileInspectedCircuit(name: AnyCircuitName): Promise<CompiledCircuit> {
  const sources = await readSources(CIRCUITS_FOLDER, ".circom");
  const args = [`${name}.circom`, ...FLAGS, "--O2"];
  const compiled = await runCircom(name, [...args, "--inspect"], sources);
  await store("circuit", cacheInputs(args, sources), compiled);
  return compiled;
}

const cacheInputs = (args: readonly string[], sources: Sources) => [config.imports.circom2, args, sources];

async function runCircom(
  name: AnyCircuitName,
  args: readonly string[],
  sources: Sources,
): Promise<CompiledCircuit> {
  const folder = await Deno.makeTempDir({ prefix: "tonado-circuit-" });
  const at = (path: string) => new URL(path, pathToFileURL(`${folder}/`));
  try {
    for (const [path, text] of Object.entries(sources)) {
      await Deno.mkdir(new URL(".", at(path)), { recursive: true });
      await Deno.writeTextFile(at(path), text);
    }
    const { code, stdout, stderr } = await childCommand(Deno.execPath(), {
      args: [
        ...["run", "--allow-all", `--config=${fileURLToPath(new URL("deno.json", REPOSITORY_ROOT))}`],
        ...[config.imports.circom2, ...args],
      ],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const report = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    // circom2 exits with 0 even after an error, so the report must say that it succeeded.
    if (code !== 0 || !report.includes("Everything went okay")) {
      throw new Error(`circom refused ${name}:\n${report}`);
    }
    if (args.includes("--inspect") && report.includes("warning")) {
      throw new Error(`circom warns of ${name}:\n${report}`);
    }
    return {
      r1cs: await Deno.readFile(at(`${name}.r1cs`)),
      symbols: await Deno.readTextFile(at(`${name}.sym`)),
      wasm: await Deno.readFile(at(`${name}_js/${name}.wasm`)),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
