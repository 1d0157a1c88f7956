/** Runs the recipes of the package's README unchanged: bundles with tools from npm, opened in Chromium. */
import { equal } from "node:assert/strict";
import { chromium } from "../support/system/chromium.ts";
import { findCodeBlock, readCodeBlocks } from "../support/docs/code_blocks.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { install, manifest, npmWorks, resultOfPage, run } from "./install_package.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const ignore = !npmWorks || chromium === undefined;
const folder = await Deno.makeTempDir({ prefix: "tonado-bundlers-test-" });
const VITE = "vite@8.3.8";

/** Sends the page's output and errors to the test. */
const reporter = `<script>
const to = new URLSearchParams(location.search).get("result") ?? "/result";
const tell = (text) => fetch(to, { method: "POST", mode: "no-cors", body: JSON.stringify(text) });
console.log = (text) => String(text).startsWith("proof") && tell(text);
addEventListener("error", ({ message }) => tell(message));
addEventListener("unhandledrejection", ({ reason }) => tell(String(reason)));
</script>`;
const page = `<!doctype html>${reporter}<script type="module" src="/app.js"></script>`;

Deno.test({
  name: "npm: the README's programs, Vite and esbuild are installed beside the package",
  ignore,
  async fn() {
    await install(folder, [VITE, `esbuild@${manifest.devDependencies.esbuild}`, "buffer@6.0.3"]);
    await Deno.writeTextFile(`${folder}/index.html`, page);
    await Deno.writeTextFile(`${folder}/buffer.js`, await program("tools/npm/README.md", "buffer.js"));
    await Deno.writeTextFile(`${folder}/app.js`, await program("tools/npm/README.md", "app.js"));
  },
});

Deno.test({
  name:
    "npm: a page that Vite built by the README's recipe proves in Chromium, and every file that the library names was resolved",
  ignore,
  async fn() {
    const { text } = await findCodeBlock("tools/npm/README.md", "mkdir -p public/tonado/dist");
    const printed = await run(
      "bash",
      ["-euc", `exec 2>&1\n${text}`],
      folder,
    );
    equal(/doesn't exist at build time|externalized for browser/.exec(printed), null, printed);
    const assets = (await Array.fromAsync(Deno.readDir(`${folder}/dist/assets`))).map(({ name }) => name);
    equal(assets.length, 1, `the library is bundled once: ${assets}`);
    equal(await resultOfPage(`${folder}/dist`), "proof verified: true");
  },
});

Deno.test({
  name: "npm: the same page proves in Chromium when Vite's development server serves it",
  ignore,
  async fn() {
    const port = String(freePort());
    const args = [`${folder}/node_modules/vite/bin/vite.js`, "--host", "127.0.0.1", "--port", port];
    const server = childCommand("node", {
      args: [...args, "--strictPort"],
      cwd: folder,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const url = `http://127.0.0.1:${port}/`;
      while (!await fetch(url).then((response) => response.body?.cancel().then(() => true), () => false)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      equal(await resultOfPage(folder, { url }), "proof verified: true");
    } finally {
      server.kill("SIGTERM");
      await server.status;
    }
  },
});

Deno.test({
  name: "npm: a page that esbuild bundled by the README's recipe proves in Chromium",
  ignore,
  async fn() {
    const { text } = await findCodeBlock("tools/npm/README.md", "mkdir -p www/tonado/dist");
    await run("bash", ["-euc", text], folder);
    equal(await resultOfPage(`${folder}/www`, { files: { "/index.html": page } }), "proof verified: true");
  },
});

Deno.test("the bundlers' folder is removed", () => Deno.remove(folder, { recursive: true }));

/** Returns the program of a page that is marked `js run` with this name. */
async function program(of: string, name: string): Promise<string> {
  const found = (await readCodeBlocks([of])).filter(({ info }) => info === `js run ${name}`);
  equal(found.length, 1, `${of}: ${name}`);
  return found[0].text;
}
