/**
 * Makes the `.ptau` file that `tonado ceremony init` takes from a file of the public phase 1 over BLS12-381, Zcash's or
 * Filecoin's, compressed (`response`) or not (`challenge`): takes its first powers, then has snarkjs prepare them for
 * phase 2, which takes about ten minutes. docs/ceremony.md says where to get one.
 *
 * Usage: deno task powers <file> <output.ptau>
 */
import { fileURLToPath } from "node:url";
import { openSource } from "../src/ops/files/ceremony_files.ts";
import { DIST } from "./artifacts.ts";
import { readArguments } from "./flags.ts";
import { convertPowers } from "./powers/zcash.ts";
import { closeSnarkjs, openSnarkjs } from "./snarkjs.ts";

/** 2^14 rows hold both circuits. */
const POWER = 14;

const { words: [input, output] } = readArguments([], 2);
if (output === undefined) {
  console.error("Usage: deno task powers <file> <output.ptau>");
  Deno.exit(2);
}
const source = await openSource(input);
let shown = -1;
const powers = await convertPowers(source, POWER, (fraction) => {
  const tenth = Math.floor(10 * fraction);
  if (tenth > shown) console.error(`converting: ${10 * (shown = tenth)}%`);
});
source.close();
await Deno.mkdir(DIST, { recursive: true });
const unprepared = fileURLToPath(new URL("powers_unprepared.ptau", DIST));
await Deno.writeFile(unprepared, powers);
console.error("preparing for phase 2, about 10 minutes");
const snarkjs = await openSnarkjs();
await snarkjs.powersOfTau.preparePhase2(unprepared, `${output}.part`);
await closeSnarkjs();
await Deno.rename(`${output}.part`, output);
console.log(`${output}: 2^${POWER} rows`);
