/**
 * Copies the files of the API's documentation page from swagger-ui-dist, compressed, so that the program serves the
 * page without requests to other hosts.
 *
 * Usage: deno task api-docs [--check]     (`--check` fails when a committed file has other contents)
 */
import { gunzipSync, gzipSync } from "node:zlib";
import packageFolder from "swagger-ui-dist/absolute-path.js";
import { readArguments } from "../shared/arguments.ts";

const FILES = ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"];
const target = new URL("../../assets/api-docs/", import.meta.url);
const check = readArguments(["--check"]).has("--check");

await Deno.mkdir(target, { recursive: true });
for (const name of FILES) {
  const content = await Deno.readFile(`${packageFolder()}/${name}`);
  const file = new URL(`${name}.gz`, target);
  if (!check) {
    await Deno.writeFile(file, new Uint8Array(gzipSync(content, { level: 9 })));
    continue;
  }
  // Compares the decompressed contents, because runtimes compress differently.
  const found = await Deno.readFile(file).then((bytes) => gunzipSync(bytes), () => undefined);
  if (!found?.equals(content)) {
    console.error(`assets/api-docs/${name}.gz differs from what \`deno task api-docs\` takes`);
    Deno.exit(1);
  }
}
console.log(`api-docs: ${FILES.length} files ${check ? "are as taken" : "written"}`);
