/**
 * Builds the documentation into a static site, `dist/site`, with VitePress, which refuses links to pages that there are not.
 * Every page of the repository is in it, and what pages link to; the API of the library, where `deno task npm` made it.
 * npm fetches VitePress as `tools/site/package.json` pins it.
 */
import { dirname } from "node:path";

const root = new URL("../", import.meta.url).pathname;
const output = `${root}dist/site`;
const API = `${root}dist/npm/api`;

/** Builds the site. @throws Error naming the step that failed, whose output was shown */
export async function buildSite(): Promise<void> {
  const stage = await Deno.makeTempDir({ prefix: "tonado-site-" });
  try {
    const files = (await run("git", ["ls-files"], root)).split("\n");
    const pages = files.filter((path) => /\.md$/.test(path));
    for (const path of [...pages, ...files.filter((path) => /^docs\/.*\.svg$/.test(path))]) {
      await copy(path, `${stage}/${path}`);
    }
    const shown = /^(docs\/operating\/|contracts\/types\.tlb$|compose\.yaml$|LICENSE$)/;
    for (const path of files.filter((path) => shown.test(path))) await copy(path, `${stage}/.public/${path}`);
    const hasApi = await Deno.stat(API).then(() => true, () => false);
    if (hasApi) await run("cp", ["-r", API, `${stage}/.public/api`], root);
    await copy("tools/site/package.json", `${stage}/package.json`);
    await copy("tools/site/config.js", `${stage}/.vitepress/config.js`);
    await run("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"], stage);
    await run(`${stage}/node_modules/.bin/vitepress`, ["build", ".", "--outDir", output], stage);
    console.log(`dist/site: ${pages.length} pages${hasApi ? ", with the library's API" : ""}`);
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

async function copy(path: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(root + path, to);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, stdin: "null" })
    .output();
  const text = new TextDecoder().decode(stdout);
  if (success) return text.trim();
  console.error(text + new TextDecoder().decode(stderr));
  throw new Error(`${command} ${args[0]} failed`);
}
