/**
 * Entry of the npm package on Node: the client library, told how files are read and threads started there.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import WebWorker from "web-worker";
import { locations } from "../../src/prover/locations.ts";
import { threads } from "../../src/threads/threads.ts";
import { locate } from "./locate.ts";

locate(new URL("../", import.meta.url));
const { read } = locations;
locations.read = async (file) => file.protocol === "file:" ? new Uint8Array(await readFile(file)) : await read(file);
threads.start = (module) => new WebWorker(module, { type: "module" });
threads.cores = availableParallelism;

export * from "../../src/mod.ts";
export { locate };
