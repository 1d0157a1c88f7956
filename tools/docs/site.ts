/**
 * Builds the documentation as a static site, `dist/site`, with VitePress, and rejects dead links. The site contains
 * every page of the repository, the files that pages link to, and the library's API if `deno task npm` has built it.
 * npm installs VitePress as pinned in `tools/docs/site/package.json`.
 */
import { dirname, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { deadLinks } from "./dead_links.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { commandOutput } from "../shared/command.ts";

const root = new URL("../../", import.meta.url).pathname;
const output = `${root}dist/site`;
const API = `${root}dist/npm/api`;

/** Builds the site. Throws if a step fails or a link is dead. */
export async function buildSite(): Promise<void> {
  await withTempDirectory(async (stage) => {
    const files = (await commandOutput("git", ["ls-files"], { cwd: root })).split("\n");
    const pages = files.filter((path) => /\.md$/.test(path));
    for (const path of [...pages, ...files.filter((path) => /^docs\/.*\.(svg|png)$/.test(path))]) {
      await copy(path, `${stage}/${path}`);
    }
    for (const path of await linkedFiles(pages, new Set(files))) await copy(path, `${stage}/.public/${path}`);
    const hasApi = await Deno.stat(API).then(() => true, () => false);
    if (hasApi) await commandOutput("cp", ["-r", API, `${stage}/.public/api`]);
    await copy("tools/docs/site/package.json", `${stage}/package.json`);
    await copy("tools/docs/site/config.js", `${stage}/.vitepress/config.js`);
    const npmFlags = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"];
    await commandOutput("npm", ["install", ...npmFlags], { cwd: stage });
    await commandOutput(`${stage}/node_modules/.bin/vitepress`, ["build", ".", "--outDir", output], {
      cwd: stage,
    });
    const dead = await deadLinks(pathToFileURL(`${output}/`));
    if (dead.length > 0) {
      throw new Error(
        ["dist/site has dead links:", ...dead.map(({ page, link }) => `${page}: ${link}`)].join("\n"),
      );
    }
    console.log(`dist/site: ${pages.length} pages${hasApi ? ", with the library's API" : ""}`);
  });
}

/** Returns the files other than pages that these pages link to. */
async function linkedFiles(
  pages: readonly string[],
  files: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const linked = new Set<string>();
  for (const page of pages) {
    const text = await Deno.readTextFile(root + page);
    for (const [, link] of text.matchAll(/\]\(([^)#]+)/g)) {
      const path = normalize(`${dirname(page)}/${link}`);
      if (files.has(path) && !path.endsWith(".md")) linked.add(path);
    }
  }
  return linked;
}

async function copy(path: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(root + path, to);
}
