/** Entry of the compiled binary: sets the locations of the embedded workers and artifacts, and runs the program. */
import process from "node:process";
import { main } from "../../../main.ts";
import { appLocations } from "../../../src/http/app/app_files.ts";
import { proverLocations } from "../../../src/prover/locations.ts";
import { treeLocations } from "../../../src/tree/locations.ts";
import { locations as ceremonyLocations } from "../../../src/ops/ceremony/arithmetic/locations.ts";
import { PACKED_SUFFIX } from "./packing.ts";

proverLocations.worker = new URL("./prover_worker.js", import.meta.url);
treeLocations.worker = new URL("./tree_worker.js", import.meta.url);
ceremonyLocations.worker = new URL("./ceremony_worker.js", import.meta.url);
appLocations.folder = new URL("../../dist/app/", import.meta.url);
proverLocations.read = readPacked;
appLocations.read = readPacked;
process.noDeprecation = true; // the warnings are for developers of packages
await main();

async function readPacked(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await Deno.readFile(new URL(file.href + PACKED_SUFFIX));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}
