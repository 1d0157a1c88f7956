/** Entry of the compiled binary: the program, told how its embedded workers and artifacts are called. */
import process from "node:process";
import { main } from "../../main.ts";
import { locations } from "../../src/prover/locations.ts";
import { locations as treeLocations } from "../../src/tree/locations.ts";
import { locations as ceremonyLocations } from "../../src/ops/ceremony/locations.ts";
import { PACKED_SUFFIX } from "./packing.ts";

locations.worker = new URL("./prover_worker.js", import.meta.url);
treeLocations.worker = new URL("./tree_worker.js", import.meta.url);
ceremonyLocations.worker = new URL("./ceremony_worker.js", import.meta.url);
locations.read = async (file) => {
  const packed = await Deno.readFile(new URL(file.href + PACKED_SUFFIX));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
};
process.noDeprecation = true; // of packages, to developers; users have no use for it
await main();
