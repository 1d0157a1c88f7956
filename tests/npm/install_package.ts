/** Installs the npm package as a user does, and serves files to a page in Chromium. */
import { resolve } from "node:path";
import metadata from "../../deno.json" with { type: "json" };
import { readCommand } from "../../testkit/programs/run_command.ts";
import { withPage } from "../support/system/chromium.ts";
import { hasProgram } from "../support/system/requirements.ts";

/** The package.json that the package is packed with. Its dependencies are the tools that the package is built with. */
export const manifest: Readonly<Record<"dependencies" | "devDependencies", Record<string, string>>> = JSON
  .parse(
    await Deno.readTextFile(new URL("../../tools/npm/package.json", import.meta.url)),
  );

/** Runs a command in a folder and returns its standard output. Throws if it fails. */
export function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  return readCommand(command, args, { cwd });
}

/** Whether Node, npm and the npm registry are available. */
export const npmWorks: boolean = await hasProgram("node") &&
  await hasProgram("npm", ["view", "--fetch-retries=0", "@ton/core", "version"]);

/** Installs the library and `packages` in `folder`. Packs the library first unless TONADO_TEST_TARBALL names a tarball. */
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

/** Options of {@link resultOfPage}. */
export interface PageOptions {
  /** Whether the page is cross-origin isolated, which allows shared memory. */
  readonly isolated?: boolean;
  /** A page of another server. It receives the URL to post to as the parameter `result`. */
  readonly url?: string;
  /** Contents that replace files of the folder, by path. Content that begins with `<` is served as HTML. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Serves `folder`, opens a page of it in Chromium, and returns the JSON that the page posts to `/result`. */
export async function resultOfPage<T>(folder: string, options: PageOptions = {}): Promise<T> {
  const { isolated, files = {}, url } = options;
  const posted = Promise.withResolvers<T>();
  const headers: Record<string, string> = isolated
    ? { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }
    : {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/result") {
      posted.resolve(await request.json());
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
    return await withPage(url ? `${url}?result=${own}result` : own, posted.promise);
  } finally {
    await server.shutdown();
  }
}
