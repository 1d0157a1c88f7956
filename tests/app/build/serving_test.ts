/** Servers send exactly the files of SHA256SUMS, with the headers of the app. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { openAppSite } from "../../../src/http/app/app_site.ts";
import { appRoutes } from "../../../src/http/routes/app_routes.ts";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { HttpEnv } from "../../../src/http/dependencies.ts";
import { runCommand } from "../../../testkit/programs/run_command.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { buildApp, useBuild } from "../../support/app/built_app.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const root = new URL("../../../", import.meta.url);
const settings = {
  depositEndpoint: "https://one.example/api/v2/jsonRPC",
  withdrawalEndpoint: "https://two.example/api/v2/jsonRPC",
  relayers: ["../", "https://relayer.example/base"],
  deployments: { network: "testnet" as const, pools: new Map() },
};
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

Deno.test("a relayer serves the bytes of SHA256SUMS at /app/, packed or not", async () => {
  const { get, folder } = await openRelayer();
  const sums = await Deno.readTextFile(new URL("SHA256SUMS", folder));
  assert.equal(await (await get("/app/SHA256SUMS")).text(), sums);
  const { hash } = await (await get("/app/version.json")).json();
  assert.equal(hash, sha256(sums));
  for (const line of sums.trim().split("\n")) {
    const [sum, name] = line.split("  ");
    const plain = await get(`/app/${name}`);
    assert.equal(sha256(new Uint8Array(await plain.arrayBuffer())), sum, name);
    const packed = await get(`/app/${name}`, { headers: { "accept-encoding": "gzip" } });
    const body = packed.headers.get("content-encoding") === "gzip"
      ? packed.body!.pipeThrough(new DecompressionStream("gzip"))
      : packed.body!;
    assert.equal(sha256(new Uint8Array(await new Response(body).arrayBuffer())), sum, name);
    const again = await get(`/app/${name}`, { headers: { "if-none-match": plain.headers.get("etag")! } });
    assert.equal(again.status, 304, name);
  }
  const page = await get("/app/");
  assert.equal(sha256(await page.text()), / {2}index\.html$/m.test(sums) && sumOf(sums, "index.html"));
});

Deno.test("every answer carries the app's headers, and connects only to the settings' servers and the bridges", async () => {
  const { get } = await openRelayer();
  for (const path of ["/app/", "/app/service_worker.js", "/app/config.json", "/app/missing"]) {
    const { headers, body } = await get(path);
    await body?.cancel();
    const policy = headers.get("content-security-policy")!;
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
    assert.match(policy, /; frame-ancestors 'none'$/);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types tonado/);
    const connect = /connect-src ([^;]*)/.exec(policy)![1].split(" ");
    assert.deepEqual(connect.slice(0, 4), [
      "'self'",
      "https://one.example",
      "https://two.example",
      "https://relayer.example",
    ]);
    assert.ok(
      connect.slice(4).every((source) => /^https:\/\/[a-z0-9.-]+$/.test(source)),
      "bridges are origins",
    );
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(headers.get("cross-origin-embedder-policy"), "require-corp");
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("permissions-policy")!, /^camera=\(self\)/);
  }
});

Deno.test("paths outside the manifest, other methods and other cases get nothing", async () => {
  const { get } = await openRelayer();
  const paths = [
    "/app/../deno.json",
    "/app/%2e%2e/deno.json",
    "/app/artifacts/../../deno.json",
    "/app/artifacts/pins.json",
  ];
  for (
    const path of [
      ...paths,
      "/app/constructor",
      "/app/__proto__",
      "/app/artifacts/",
      "/app/app.js",
      "/app//index.html",
    ]
  ) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    await answer.body?.cancel();
  }
  assert.equal((await get("/app/", { method: "POST" })).status, 404);
  const { status, headers } = await get("/app", { redirect: "manual" });
  assert.deepEqual([status, headers.get("location")], [308, "/app/"]);
});

Deno.test("the site refuses other methods, writes its settings for people to read, and serves a restored file", async () => {
  const folder = await buildApp();
  useBuild(folder);
  const site = await openAppSite("/app/", settings);
  const get = (path: string, init?: RequestInit) =>
    site.respond(new Request(`http://localhost${path}`, init));
  const refused = await get("/app/", { method: "POST" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
  const config = await (await get("/app/config.json")).text();
  assert.equal(config, JSON.stringify(JSON.parse(config), null, 2) + "\n");
  const manifest = await (await get("/app/tonconnect-manifest.json")).text();
  assert.equal(manifest, JSON.stringify(JSON.parse(manifest), null, 2) + "\n");
  const [worker, away] = ["service_worker.js", "away.js"].map((name) => new URL(name, folder));
  await Deno.rename(worker, away);
  try {
    await assert.rejects(get("/app/service_worker.js"));
  } finally {
    await Deno.rename(away, worker);
  }
  assert.equal((await get("/app/service_worker.js")).status, 200);
});

Deno.test("the page names its scripts with integrity, and a build in another folder has the same bytes", async () => {
  const folder = await buildApp();
  const page = await Deno.readTextFile(new URL("index.html", folder));
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))" integrity="sha384-([^"]+)"/g)];
  assert.ok(scripts.length >= 2);
  for (const [, name, hash] of scripts) {
    const bytes = await Deno.readFile(new URL(name, folder));
    assert.equal(createHash("sha384").update(bytes).digest("base64"), hash, name);
  }
  assert.doesNotMatch(page, /<script(?![^>]*src=)|style=|javascript:/, "no inline code");
  await withTempDirectory(async (copy) => {
    const parts = [
      "src",
      "app",
      "tools",
      "testkit",
      "artifacts",
      "deployments",
      "poseidon-wasm/pkg",
      "prover-wasm/pkg",
    ];
    for (const part of [...parts, "deno.json", "deno.lock"]) {
      await Deno.mkdir(dirname(`${copy}/deep/er/${part}`), { recursive: true });
      await run("cp", ["-r", new URL(part, root).pathname, `${copy}/deep/er/${part}`]);
    }
    const args = ["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets", "--output", `${copy}/out`];
    await run(Deno.execPath(), args, `${copy}/deep/er`);
    assert.equal(
      await Deno.readTextFile(`${copy}/out/SHA256SUMS`),
      await Deno.readTextFile(new URL("SHA256SUMS", folder)),
    );
  });
});

Deno.test("the app is within its size budgets", async () => {
  await withTempDirectory(async (folder) => {
    const args = ["run", "-A", "--no-check", "tools/build/app.ts", "--output", `${folder}/app`];
    const { code, stdout, stderr } = await runCommand(Deno.execPath(), args, { cwd: root });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^first load .* of {2}230 KB$/m);
    assert.match(stdout, /^prover worker .* of {2}155 KB$/m);
  });
});

Deno.test("tonado app serves on localhost, prints its address and hash, and stops when asked", async () => {
  const folder = await buildApp();
  useBuild(folder);
  const stop = new AbortController();
  let seen = false;
  const result = await runCli(["app", "--port", "0", "--json", "--relayer", "https://relayer.example"], {}, {
    interruptSignal: stop.signal,
    onStdout: async (text) => {
      const { url, hash } = JSON.parse(text);
      assert.match(url, /^http:\/\/localhost:\d+\/$/);
      const config = await (await fetch(`${url}config.json`)).json();
      assert.deepEqual([config.network, config.relayers], ["testnet", ["https://relayer.example"]]);
      assert.equal(sha256(await (await fetch(`${url}SHA256SUMS`)).text()), hash);
      seen = true;
      stop.abort();
    },
  });
  assert.equal(result.code, 0, result.stderr);
  assert.ok(seen);
});

Deno.test("without a build, tonado app says how to make one", async () => {
  useBuild(new URL("file:///nonexistent/"));
  const { code, stderr } = await runCli(["app", "--port", "0"]);
  assert.notEqual(code, 0);
  assert.match(stderr, /deno task app:build/);
});

async function openRelayer() {
  const folder = await buildApp();
  useBuild(folder);
  const appSite = await openAppSite("/app/", settings);
  const app = new OpenAPIHono<HttpEnv>();
  appRoutes(app, { appSite });
  return { folder, get: async (path: string, init?: RequestInit) => await app.request(path, init) };
}

function sumOf(sums: string, name: string): string | undefined {
  return sums.split("\n").find((line) => line.endsWith(`  ${name}`))?.slice(0, 64);
}

async function run(program: string, args: string[], cwd?: string): Promise<void> {
  const { code, stderr } = await runCommand(program, args, cwd ? { cwd } : {});
  assert.equal(code, 0, stderr);
}
