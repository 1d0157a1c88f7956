/**
 * Takes the compiled minter and wallet of TonWeb's jetton out of npm's `tonweb`, for tests: a real TEP-74 wallet beside the
 * one of `@ton-community/assets-sdk`, and a real master that knows no TEP-89. npm fetches the package; it is no dependency.
 *
 * Usage: deno task jetton:fixture [--check]     (`--check` fails when the committed file differs)
 */
import { Cell } from "@ton/core";
import { readArguments } from "./flags.ts";
import { writeGenerated } from "./generated_files.ts";
import { readNpmPackage } from "./npm_package.ts";

const source = "tonweb@0.0.66";
const files = ["JettonMinter.js", "JettonWallet.js"].map((name) => `src/contract/token/ft/${name}`);
const [minter, wallet] = (await readNpmPackage(source, files)).map(codeIn);
const content = JSON.stringify(
  { source: `npm:${source}`, license: "MIT, toncenter", minter, wallet },
  null,
  2,
);
await writeGenerated(
  "jetton:fixture",
  [{ path: "tests/fixtures/tonweb_jetton.json", content: `${content}\n` }],
  readArguments(["--check"]).has("--check"),
);

/** The one BoC in a source file, in base64, with the hash of its code. */
function codeIn(text: string): { hash: string; boc: string } {
  const [, hex] = /'(B5EE9C[0-9A-F]+)'/.exec(text) ?? [];
  if (hex === undefined) throw new Error("no code in it");
  const [code] = Cell.fromBoc(Buffer.from(hex, "hex"));
  return { hash: code.hash().toString("hex"), boc: code.toBoc().toString("base64") };
}
