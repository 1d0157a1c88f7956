/**
 * Compiles the circuits with circom2 (a WASM build of circom, so nothing need be installed) to the witness programs
 * `artifacts/<name>.wasm`; constraint systems and symbol tables go to `dist/circuits/`.
 *
 * Usage: deno task circuits [--check]     --check compares with the committed files and writes nothing to artifacts/
 */
import { fileURLToPath } from "node:url";
import { type CircuitName, circuits } from "../src/core/groth16.ts";
import config from "../deno.json" with { type: "json" };
import { DIST, readPins, ROOT, writePins } from "./artifacts.ts";
import { type GeneratedFile, writeGenerated } from "./generated_files.ts";
import { readArguments } from "./flags.ts";

/** One circuit, compiled. */
export interface CompiledCircuit {
  /** The constraint system, circom's .r1cs format. */
  readonly r1cs: Uint8Array<ArrayBuffer>;
  /** A line a signal: label, witness index (-1: optimised away), component, name. */
  readonly symbols: string;
  /** The witness program. */
  readonly wasm: Uint8Array<ArrayBuffer>;
}

/** Where the circuits lie. */
export const CIRCUITS = new URL("circuits/", ROOT);

/**
 * Compiles `<name>.circom`. Throws with circom's own report when it refuses.
 *
 * @param options.source the folder of the circuit, `circuits/` unless given
 * @param options.out the folder that receives circom's files, `dist/circuits/` unless given
 * @param options.simplify how far constraints are simplified: fully, unless "--O0" keeps every signal as a wire
 * @param options.inspect whether circom looks for signals that no constraint mentions, or one alone; it throws then
 */
export async function compileCircuit(
  name: CircuitName,
  { source = CIRCUITS, out = DIST, simplify = "--O2", inspect = false }: {
    source?: URL;
    out?: URL;
    simplify?: "--O0" | "--O2";
    inspect?: boolean;
  } = {},
): Promise<CompiledCircuit> {
  await Deno.mkdir(out, { recursive: true });
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--allow-all",
        `--config=${fileURLToPath(new URL("deno.json", ROOT))}`,
        config.imports.circom2,
      ],
      ...[`${name}.circom`, "--r1cs", "--sym", "--wasm", "--prime", "bls12381", simplify],
      ...(inspect ? ["--inspect"] : []),
      ...["-o", fileURLToPath(out)],
    ],
    cwd: source,
    env: { NO_COLOR: "1" },
  }).output();
  const report = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  // circom2 ends with code 0 even after an error, so its last word is asked for too.
  if (code !== 0 || !report.includes("Everything went okay")) {
    throw new Error(`circom refused ${name}:\n${report}`);
  }
  if (inspect && report.includes("warning")) throw new Error(`circom warns of ${name}:\n${report}`);
  return {
    r1cs: await Deno.readFile(new URL(`${name}.r1cs`, out)),
    symbols: await Deno.readTextFile(new URL(`${name}.sym`, out)),
    wasm: await Deno.readFile(new URL(`${name}_js/${name}.wasm`, out)),
  };
}

if (import.meta.main) {
  const check = readArguments(["--check"]).has("--check");
  const files: GeneratedFile[] = [];
  for (const name of circuits) {
    files.push({
      path: `artifacts/${name}.wasm`,
      content: (await compileCircuit(name, { inspect: true })).wasm,
    });
  }
  await writeGenerated("circuits", files, check);
  if (!check) {
    const { label, transcript } = await readPins();
    await writePins(label, transcript);
  }
}
