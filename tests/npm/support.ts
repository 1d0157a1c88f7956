/** What the tests of the npm package share: installing it as a user does, and serving files to a page. */
import { equal } from "node:assert/strict";
import { resolve } from "node:path";
import metadata from "../../deno.json" with { type: "json" };
import { withPage } from "../support/chromium.ts";
import { hasProgram } from "../support/requirements.ts";

/** Runs a command in a folder, which must succeed. @returns its standard output */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, stdin: "null" })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  equal(code, 0, `${command} ${args[0]}: ${text(stdout)}${text(stderr)}`);
  return text(stdout);
}

/** Whether Node, npm and its registry can be had: without them nothing is installed. */
export const npmWorks: boolean = await hasProgram("node") &&
  await hasProgram("npm", ["view", "--fetch-retries=0", "@ton/core", "version"]);

/** Packs the library, unless TONADO_TEST_TARBALL names a tarball, and installs it in `folder` beside other packages. */
export async function install(folder: string, packages: readonly string[]): Promise<void> {
  const root = new URL("../../", import.meta.url).pathname;
  const given = Deno.env.get("TONADO_TEST_TARBALL");
  if (!given) await run(Deno.execPath(), ["task", "--quiet", "npm", "--no-docs", "--output", folder], root);
  const tarball = given ? resolve(root, given) : `${folder}/tonado-${metadata.version}.tgz`;
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ private: true, type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--silent", "--no-package-lock"];
  await run("npm", ["install", ...quiet, tarball, ...packages], folder);
}

const types: Record<string, string> = {
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
};

/** How a folder is served. */
export interface PageOptions {
  /** Whether the page is alone in its process and may share memory. */
  readonly isolated?: boolean;
  /** Another server's page, which gets the URL to post to as the parameter `result`. */
  readonly url?: string;
  /** Answers in place of the folder's files; one that begins with `<` is HTML, whatever its name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Serves `folder`, opens a page of it in Chromium, and returns the JSON that the page posts to `/result`. */
export async function resultOfPage<T>(folder: string, options: PageOptions = {}): Promise<T> {
  const { isolated, files = {}, url } = options;
  const told = Promise.withResolvers<T>();
  const headers: Record<string, string> = isolated
    ? { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }
    : {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/result") {
      told.resolve(await request.json());
      return new Response();
    }
    const name = pathname === "/" ? "/index.html" : pathname;
    const body = files[name] ?? await Deno.readFile(`${folder}${name}`).catch(() => undefined);
    if (body === undefined) return new Response(null, { status: 404 });
    const type = files[name]?.startsWith("<")
      ? types.html
      : types[name.split(".").at(-1)!] ?? "application/octet-stream";
    return new Response(body, { headers: { ...headers, "content-type": type } });
  });
  try {
    const own = `http://127.0.0.1:${server.addr.port}/`;
    return await withPage(url ? `${url}?result=${own}result` : own, told.promise);
  } finally {
    await server.shutdown();
  }
}
