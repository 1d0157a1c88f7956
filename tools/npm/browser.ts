/**
 * Entry of the npm package in browsers: the client library with the URLs of its workers and artifacts.
 *
 * @module
 */
import { locate } from "./locate.ts";

const here = import.meta.url; // not written inline: bundlers would take "../" for a file to copy
locate(new URL("../", here));

export * from "../../src/mod.ts";
export { locate };
