/**
 * Generates Poseidon's parameters for one and two inputs for the circuits and the Rust crate.
 *
 * Usage: deno task poseidon:params [--check]
 */
import { writeGenerated } from "../shared/generated_files.ts";
import { circomConstants } from "./poseidon/circom_constants.ts";
import { poseidonParameters } from "./poseidon/parameters.ts";
import { narrow, rustConstants, wide } from "./poseidon/rust_constants.ts";
import { readArguments } from "../shared/arguments.ts";

const [t2, t3] = [poseidonParameters(2), poseidonParameters(3)];

await writeGenerated("poseidon:params", [
  { path: "circuits/generated/poseidon_constants.circom", content: circomConstants([t2, t3]) },
  { path: "poseidon-wasm/src/generated/narrow.rs", content: rustConstants(narrow, t2, t3) },
  { path: "poseidon-wasm/src/generated/wide.rs", content: rustConstants(wide, t2, t3) },
], readArguments(["--check"]).has("--check"));
