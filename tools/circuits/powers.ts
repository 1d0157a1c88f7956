/**
 * Converts a file of the public phase 1 over BLS12-381, Zcash's or Filecoin's, compressed (`response`) or not
 * (`challenge`), to the `.ptau` file for `tonado ceremony init`. Takes its first powers and prepares them for phase 2
 * with snarkjs, which takes ten minutes. docs/ceremony.md tells where to get such a file.
 *
 * Usage: deno task powers <file> <output.ptau>
 */
import { fileURLToPath } from "node:url";
import { openByteSource } from "../../src/ops/ceremony/files/disk_folder.ts";
import { CIRCUITS_OUTPUT } from "../../testkit/toolchain/artifact_pins.ts";
import { readArguments } from "../shared/arguments.ts";
import { convertPowers } from "./zcash_powers.ts";
import { closeSnarkjs, openSnarkjs } from "../../testkit/toolchain/snarkjs.ts";

/** 2^14 rows hold all circuits. */
const POWER = 14;

const { words: [input, output] } = readArguments([], 2);
if (output === undefined) {
  console.error("Usage: deno task powers <file> <output.ptau>");
  Deno.exit(2);
}
const source = await openByteSource(input);
let shown = -1;
const powers = await convertPowers(source, POWER, (fraction) => {
  const tenth = Math.floor(10 * fraction);
  if (tenth > shown) console.error(`converting: ${10 * (shown = tenth)}%`);
});
source.close();
await Deno.mkdir(CIRCUITS_OUTPUT, { recursive: true });
const unprepared = fileURLToPath(new URL("powers_unprepared.ptau", CIRCUITS_OUTPUT));
await Deno.writeFile(unprepared, powers);
console.error("preparing for phase 2, about 10 minutes");
const snarkjs = await openSnarkjs();
await snarkjs.powersOfTau.preparePhase2(unprepared, `${output}.part`);
await closeSnarkjs();
await Deno.rename(`${output}.part`, output);
console.log(`${output}: 2^${POWER} rows`);
