/**
 * Extracts the compiled minter and wallet of TonWeb's jetton from npm's `tonweb` for tests: a second TEP-74 wallet,
 * and a master without TEP-89. The package is no dependency.
 *
 * Usage: deno task jetton:fixture [--check]     (`--check` fails when the committed file differs)
 */
import { Cell } from "@ton/core";
import { readArguments } from "../shared/arguments.ts";
import { writeGenerated } from "../shared/generated_files.ts";
import { readNpmPackage } from "./read_npm_package.ts";

const source = "tonweb@0.0.66";
const files = ["JettonMinter.js", "JettonWallet.js"].map((name) => `src/contract/token/ft/${name}`);
const [minter, wallet] = (await readNpmPackage(source, files)).map(extractCode);
const jetton = { source: `npm:${source}`, license: "MIT, toncenter", minter, wallet };
await writeGenerated("jetton:fixture", [
  { path: "testkit/vectors/tonweb_jetton.json", content: `${JSON.stringify(jetton, null, 2)}\n` },
], readArguments(["--check"]).has("--check"));

/** Returns the only BoC of a source file in base64, with the hash of its code. */
function extractCode(text: string): { hash: string; boc: string } {
  const [, hex] = /'(B5EE9C[0-9A-F]+)'/.exec(text) ?? [];
  if (hex === undefined) throw new Error("no code in it");
  const [code] = Cell.fromBoc(Buffer.from(hex, "hex"));
  return { hash: code.hash().toString("hex"), boc: code.toBoc().toString("base64") };
}
