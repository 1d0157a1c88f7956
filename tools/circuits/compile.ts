/**
 * Compiles the circuits to the witness programs `artifacts/<name>.wasm`. Constraint systems and symbol tables go to
 * `dist/circuits/`.
 *
 * Usage: deno task circuits [--check]     (`--check` compares with the committed files and writes nothing to artifacts/)
 */
import { allCircuitNames } from "../../src/core/crypto/groth16.ts";
import { CIRCUITS_OUTPUT, readPins, writePins } from "../../testkit/toolchain/artifact_pins.ts";
import { compileInspectedCircuit } from "../../testkit/toolchain/circom.ts";
import { readArguments } from "../shared/arguments.ts";
import { type GeneratedFile, writeGenerated } from "../shared/generated_files.ts";

const check = readArguments(["--check"]).has("--check");
await Deno.mkdir(CIRCUITS_OUTPUT, { recursive: true });
const files: GeneratedFile[] = [];
for (const name of allCircuitNames) {
  const { r1cs, symbols, wasm } = await compileInspectedCircuit(name);
  await Deno.writeFile(new URL(`${name}.r1cs`, CIRCUITS_OUTPUT), r1cs);
  await Deno.writeTextFile(new URL(`${name}.sym`, CIRCUITS_OUTPUT), symbols);
  files.push({ path: `artifacts/${name}.wasm`, content: wasm });
}
await writeGenerated("circuits", files, check);
if (!check) await writePins(await readPins());
