/** The package that `deno task npm` packs, installed from its tarball: its types, and the client on Node and in Chromium. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { resolve } from "node:path";
import metadata from "../../deno.json" with { type: "json" };
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import build from "../../tools/npm/package.json" with { type: "json" };
import { chromium, withPage } from "../support/chromium.ts";
import { hasProgram } from "../support/requirements.ts";

/** Programs of a user, who has npm and no Deno. */
const programs = new URL("./user/", import.meta.url);
const ignore = !await hasProgram("node") || !await hasProgram("npm");
const folder = await Deno.makeTempDir({ prefix: "tonado-npm-test-" });
const bin = `${folder}/node_modules/.bin`;
let localnet: Localnet;

/** What a user adds: a bundler with the polyfill that @ton/core needs in browsers, and a compiler. */
const { esbuild, typescript, "@types/node": nodeTypes } = build.devDependencies;
const added = [`esbuild@${esbuild}`, `typescript@${typescript}`, `@types/node@${nodeTypes}`, "buffer@6.0.3"];

Deno.test({
  name: "npm: the package is packed, and installs from its tarball",
  ignore,
  async fn() {
    const tarball = await packed();
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ private: true, type: "module" }));
    await run("npm", [
      "install",
      "--no-audit",
      "--no-fund",
      "--silent",
      "--no-package-lock",
      tarball,
      ...added,
    ]);
    for (const name of ["client.js", "node.js", "page.js", "types.ts"]) {
      await Deno.copyFile(new URL(name, programs), `${folder}/${name}`);
    }
    localnet = await startLocalnet({ blockTimeMs: 200 });
  },
});

Deno.test("npm: the package asks for the versions that the library is tested with", () => {
  const pins = Object.values(metadata.imports);
  for (const [name, version] of Object.entries(build.dependencies)) {
    if (name === "web-worker") continue; // Node's only; Deno has workers of its own
    equal(
      pins.some((pin) => pin.replace(/^npm:\/?/, "").replace(/\/$/, "") === `${name}@${version}`),
      true,
      name,
    );
  }
});

Deno.test({
  name: "npm: a compiler takes its types, and refuses what they refuse",
  ignore,
  async fn() {
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--types", "node", "--target", "es2023"];
    await run(`${bin}/tsc`, [...options, "--module", "nodenext", "types.ts"]);
  },
});

Deno.test({
  name: "npm: on Node it deposits, withdraws, and makes a report of both that holds",
  ignore,
  async fn() {
    const stdout = await run("node", ["node.js", JSON.stringify(task(0))]);
    deepEqual(JSON.parse(stdout), {
      leafIndex: 0,
      holds: true,
      altered: false,
      ...report,
      ...largeTree,
    });
  },
});

Deno.test({
  name:
    "npm: in Chromium it deposits, withdraws, reports and has its workers build a tree, whether or not the page may share memory",
  ignore: ignore || chromium === undefined,
  async fn() {
    const options = [
      "--bundle",
      "--format=esm",
      "--platform=browser",
      "--log-level=error",
      "--outfile=bundle.js",
    ];
    await run(`${bin}/esbuild`, ["page.js", ...options, "--define:global=globalThis"]);
    for (const [leafIndex, isolated] of [[1, true], [2, false]] as const) {
      const { hashed, ...result } = await inPage(isolated);
      deepEqual(result, {
        leafIndex,
        holds: true,
        altered: false,
        ...report,
        ...largeTree,
        shares: isolated,
      });
      const { leaves, tasks, shared } = hashed;
      deepEqual({ leaves, shared }, { leaves: 2 ** 16, shared: isolated ? tasks : 0 });
      ok(tasks >= 16, `${tasks} tasks`); // a task has 2^12 leaves at most
    }
  },
});

Deno.test({
  name: "npm: leaves nothing behind",
  async fn() {
    await localnet?.close();
    await Deno.remove(folder, { recursive: true });
  },
});

/** The tarball: the one that TONADO_TEST_TARBALL names, which CI packs once for all who need it, else one packed here. */
async function packed(): Promise<string> {
  const root = new URL("../../", import.meta.url).pathname;
  const given = Deno.env.get("TONADO_TEST_TARBALL");
  if (given) return resolve(root, given);
  await run(Deno.execPath(), ["task", "--quiet", "npm", "--no-docs", "--output", folder], root);
  return `${folder}/tonado-${metadata.version}.tgz`;
}

/** Keys for development, and a pool that the caller's registry does not list: two warnings; and the chain bears it out. */
const report = { shown: ["warning", "warning", "ok", "ok", "ok"], forged: "failed" };

/** The tree of 2^16 leaves, leaf i being i^15, that the user's program builds: its root, made with npm's `poseidon-bls12381` alone. */
const largeTree = {
  refused: "unknown_root",
  root: "36614419230616570818642530703009075861688151577957701289921392014374242154675",
};

function task(wallet: number) {
  const { mnemonic, version } = localnet.wallets[wallet];
  const { address } = localnet.deployments.pools.get("native-1")!;
  return { endpoint: localnet.url, mnemonic, version, address: address.toString() };
}

/** What the page tells: what the client made of its task, and what its tree's workers were asked for. */
interface PageResult {
  readonly hashed: { readonly leaves: number; readonly tasks: number; readonly shared: number };
}

/** Serves the folder and opens its page. @param isolated whether the page is alone in its process and may share memory */
async function inPage(isolated: boolean): Promise<PageResult> {
  const told = Promise.withResolvers<PageResult>();
  const headers = isolated
    ? { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }
    : undefined;
  const page = (body: BodyInit, type: string) =>
    new Response(body, { headers: { ...headers, "content-type": type } });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/result") {
      told.resolve(await request.json());
      return new Response();
    }
    if (pathname === "/") return page(`<script type="module" src="/bundle.js"></script>`, "text/html");
    if (pathname === "/task.json") return Response.json(task(0));
    const file = await Deno.readFile(`${folder}${pathname}`).catch(() => undefined);
    return file
      ? page(file, pathname.endsWith(".js") ? "text/javascript" : "application/octet-stream")
      : new Response(
        null,
        { status: 404 },
      );
  });
  try {
    return await withPage(`http://127.0.0.1:${server.addr.port}/`, told.promise);
  } finally {
    await server.shutdown();
  }
}

async function run(command: string, args: readonly string[], cwd = folder): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, stdin: "null" })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  equal(code, 0, `${command} ${args[0]}: ${text(stdout)}${text(stderr)}`);
  return text(stdout);
}
