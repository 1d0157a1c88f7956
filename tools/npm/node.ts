/**
 * Entry of the npm package on Node: the client library, told how files are read and threads started there.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import WebWorker from "web-worker";
import { proverLocations } from "../../src/prover/locations.ts";
import { threadRuntime } from "../../src/threads/thread_runtime.ts";
import { locate } from "./locate.ts";

locate(new URL("../", import.meta.url));
const { read } = proverLocations;
proverLocations.read = async (file, options) => file.protocol === "file:" ? new Uint8Array(await readFile(file)) : await read(file, options);
threadRuntime.startWorker = (module) => new WebWorker(module, { type: "module" });
threadRuntime.coreCount = availableParallelism;

export * from "../../src/mod.ts";
export { locate };
