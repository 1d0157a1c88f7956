/** Tests the npm package, installed from its tarball: its types, and the client on Node and in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import metadata from "../../deno.json" with { type: "json" };
import { connect } from "../../src/mod.ts";
import { chromium } from "../support/system/chromium.ts";
import { type Program, sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { install, manifest, npmWorks, resultOfPage, run } from "./install_package.ts";

/** The programs of a user who has npm and no Deno. */
const programs = new URL("./user/", import.meta.url);
const ignore = !npmWorks;
const folder = await Deno.makeTempDir({ prefix: "tonado-npm-test-" });
const bin = `${folder}/node_modules/.bin`;
let localnet: Program;
let net: Network;

/** The network that `tonado localnet` prints. */
interface Network {
  readonly indexer: string;
  readonly relayer: string;
  readonly wallets: readonly { readonly mnemonic: string; readonly version: string }[];
  readonly pools: Readonly<Record<string, { readonly address: string }>>;
}

/**
 * The packages that a user installs: a bundler with the polyfill that @ton/core needs in browsers, and a
 * compiler.
 */
const { esbuild, typescript, "@types/node": nodeTypes } = manifest.devDependencies;
const added = [`esbuild@${esbuild}`, `typescript@${typescript}`, `@types/node@${nodeTypes}`, "buffer@6.0.3"];

Deno.test({
  name: "npm: the package is packed, and installs from its tarball",
  ignore,
  async fn() {
    await install(folder, added);
    for await (const { name } of Deno.readDir(programs)) {
      await Deno.copyFile(new URL(name, programs), `${folder}/${name}`);
    }
    const args = ["localnet", "--port", "0", "--relayer-port", "0", "--block-time", "200", "--json"];
    localnet = startProgram(sourceCommand(), args);
    net = JSON.parse(await localnet.nextLine());
  },
});

Deno.test("the package requires the versions that the library is tested with", () => {
  const pins = Object.values(metadata.imports);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    if (name === "web-worker") continue; // for Node only; Deno has workers
    equal(
      pins.some((pin) => pin.replace(/^npm:\/?/, "").replace(/\/$/, "") === `${name}@${version}`),
      true,
      name,
    );
  }
});

Deno.test({
  name: "npm: a compiler accepts its types, and rejects code that violates them",
  ignore,
  async fn() {
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--types", "node", "--target", "es2023"];
    await run(`${bin}/tsc`, [...options, "--module", "nodenext", "types.ts"], folder);
    const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
    await run(`${bin}/tsc`, [...options, ...bundler, "types.ts"], folder);
  },
});

Deno.test({
  name: "npm: on Node it deposits, withdraws, and creates a valid report of both",
  ignore,
  async fn() {
    const stdout = await run("node", ["node.js", JSON.stringify(task(0))], folder);
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
    await bundle("page.js");
    for (const [leafIndex, isolated] of [[1, true], [2, false]] as const) {
      const { hashed, ...result } = await inPage<PageResult>("page.js", { isolated });
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
      ok(tasks >= 16, `${tasks} tasks`); // a task has at most 2^12 leaves
    }
  },
});

Deno.test({
  name:
    "npm: in Chromium it withdraws through a relayer, until the withdrawal is confirmed and the recipient is paid",
  ignore: ignore || chromium === undefined,
  async fn() {
    await bundle("relayer.js");
    const recipient = `0:${"5a".repeat(32)}`;
    const { fee, ...result } = await inPage<{ fee: string }>("relayer.js", { isolated: true, recipient });
    deepEqual(result, { served: "localnet", state: "confirmed", hasTree: true });
    const { balance } = await connect({ endpoint: net.indexer }).account(Address.parse(recipient));
    equal(balance, 1_000_000_000n - BigInt(fee));
  },
});

Deno.test({
  name:
    "npm: in Chromium a file that is not served is artifact_unavailable, with its URL and a hint at locate",
  ignore: ignore || chromium === undefined,
  async fn() {
    await bundle("misplaced.js");
    await Deno.mkdir(`${folder}/half`);
    await Deno.symlink(`${folder}/node_modules/tonado/artifacts`, `${folder}/half/artifacts`);
    const page = "<!doctype html><title>A single-page application</title>";
    const problems = await inPage<Record<string, { code: string; message: string; hint: string }>>(
      "misplaced.js",
      { files: { "/application/artifacts/withdraw.vkey.json": page } },
    );
    const expected: [folder: string, message: RegExp][] = [
      ["/nowhere/", /^http:\/\/\S+\/nowhere\/artifacts\/\S+\.vkey\.json cannot be fetched: .* status 404$/],
      ["/application/", /^http:\/\/\S+\/application\/artifacts\/\w+\.vkey\.json .* an HTML page$/],
      [
        "http://127.0.0.1:1/",
        /^http:\/\/127\.0\.0\.1:1\/artifacts\/\S+ cannot be fetched: the request failed$/,
      ],
      ["/half/", /^http:\/\/\S+\/half\/dist\/prover_worker\.js cannot be loaded/],
    ];
    for (const [folder, message] of expected) {
      equal(problems[folder].code, "artifact_unavailable", JSON.stringify(problems));
      match(problems[folder].message, message);
      match(problems[folder].hint, /`locate`/);
    }
  },
});

Deno.test({
  name: "npm: leaves nothing behind",
  async fn() {
    await localnet?.stop();
    await Deno.remove(folder, { recursive: true });
  },
});

/**
 * Development keys, and a pool that is missing in the caller's registry, give two warnings; the chain confirms the
 * rest.
 */
const report = { shown: ["warning", "warning", "ok", "ok", "ok"], forged: "failed" };

/**
 * The tree of 2^16 leaves that the user's program builds, with i^15 as leaf i. The root was computed with npm's
 * `poseidon-bls12381`.
 */
const largeTree = {
  refused: "unknown_root",
  root: "36614419230616570818642530703009075861688151577957701289921392014374242154675",
};

function task(wallet: number) {
  const { mnemonic, version } = net.wallets[wallet];
  const { indexer: endpoint, relayer, pools } = net;
  return { endpoint, relayer, mnemonic, version, address: pools["native-1"].address };
}

/** The page's results: the client's task, and the requests to the tree's workers. */
interface PageResult {
  readonly hashed: { readonly leaves: number; readonly tasks: number; readonly shared: number };
}

/** Bundles a user's program as `bundle/<its name>`. */
async function bundle(program: string): Promise<void> {
  const options = ["--bundle", "--format=esm", "--platform=browser", "--log-level=error"];
  const out = ["--outdir=bundle", "--define:global=globalThis"];
  await run(`${bin}/esbuild`, [program, ...options, ...out], folder);
}

/** Opens a page with a bundled program. */
async function inPage<T>(
  program: string,
  { isolated, recipient, files }: { isolated?: boolean; recipient?: string; files?: Record<string, string> },
): Promise<T> {
  return await resultOfPage<T>(folder, {
    isolated,
    files: {
      ...files,
      "/index.html": `<script type="module" src="/bundle/${program}"></script>`,
      "/task.json": JSON.stringify({ ...task(0), recipient }),
    },
  });
}
