/** Compiles circuits with circom2, a WebAssembly build of circom that needs no installation. */
import { fileURLToPath } from "node:url";
import type { AnyCircuitName } from "../../src/core/crypto/groth16.ts";
import config from "../../deno.json" with { type: "json" };
import { CIRCUITS_OUTPUT, REPOSITORY_ROOT } from "./artifact_pins.ts";

/** A compiled circuit. */
export interface CompiledCircuit {
  /** The constraint system in circom's .r1cs format. */
  readonly r1cs: Uint8Array<ArrayBuffer>;
  /** One line per signal: label, witness index (-1: optimised away), component, name. */
  readonly symbols: string;
  /** The witness program. */
  readonly wasm: Uint8Array<ArrayBuffer>;
}

export const CIRCUITS_FOLDER = new URL("circuits/", REPOSITORY_ROOT);

/**
 * Compiles `<name>.circom`. Throws with circom's report if it fails.
 *
 * @param options.source the folder of the circuit, default `circuits/`
 * @param options.out the folder for circom's files, default `dist/circuits/`
 * @param options.simplify "--O2", the default, simplifies constraints fully; "--O0" keeps every signal as a wire
 * @param options.inspect whether to fail on signals that are in no constraint, or in only one
 */
export async function compileCircuit(
  name: AnyCircuitName,
  { source = CIRCUITS_FOLDER, out = CIRCUITS_OUTPUT, simplify = "--O2", inspect = false }: {
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
        `--config=${fileURLToPath(new URL("deno.json", REPOSITORY_ROOT))}`,
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
  // circom2 exits with 0 even after an error, so the report must say that it succeeded.
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
