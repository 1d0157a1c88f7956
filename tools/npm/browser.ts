/**
 * Entry of the npm package in browsers: the client library, told where its workers and artifacts are served.
 *
 * @module
 */
import { locate } from "./locate.ts";

locate(new URL("../", import.meta.url));

export * from "../../src/mod.ts";
export { locate };
