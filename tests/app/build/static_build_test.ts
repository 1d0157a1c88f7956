/// <reference lib="dom" />
/**
 * A build for a static host: any web server can serve its plain files, and the build lists the endpoints and
 * relayers.
 */
import assert from "node:assert/strict";
import { runCommand } from "../../../testkit/programs/run_command.ts";
import { freePort } from "../../../testkit/programs/program.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { withBrowser } from "../../support/app/app_browser.ts";
import { openJourney, PASSPHRASE } from "../../support/app/journey.ts";
import { chromium } from "../../support/system/chromium.ts";

const root = new URL("../../../", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  json: "application/json",
  wasm: "application/wasm",
};

Deno.test({
  name: "a static build runs from plain files, isolated and not, and connects only to what was listed",
  ignore: chromium === undefined,
  fn: () =>
    withTempDirectory(async (folder) => {
      const requests: string[] = [];
      const servers = ["endpoint", "withdrawal", "relayer", "stranger"].map((name) =>
        serveNothing(name, requests)
      );
      const [endpoint, withdrawal, relayer, stranger] = servers.map(({ addr }) =>
        `http://127.0.0.1:${addr.port}`
      );
      const port = freePort();
      await build(folder, `http://localhost:${port}/app`, { endpoint, withdrawal, relayer });
      let headers: Record<string, string> = {};
      const files = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, (request) =>
        serveFile(`${folder}/app`, new URL(request.url).pathname, headers));
      try {
        await withBrowser(async (browser) => {
          for (const isIsolated of [false, true]) {
            headers = isIsolated
              ? {
                "cross-origin-opener-policy": "same-origin",
                "cross-origin-embedder-policy": "require-corp",
              }
              : {};
            requests.length = 0;
            const context = await browser.createBrowserContext();
            const journey = await openJourney(context, `http://localhost:${port}/app/`, undefined);
            await journey.step("absent");
            assert.equal(
              await journey.page.evaluate(() =>
                globalThis.crossOriginIsolated
              ),
              isIsolated,
            );
            await journey.click("Start");
            await journey.step("new");
            await journey.type("passphrase", PASSPHRASE);
            await journey.type("repeat", PASSPHRASE);
            await journey.click("Create my store");
            await journey.step("notes");
            const answers = await journey.page.evaluate(
              (urls) => Promise.all(urls.map((url) => fetch(url).then(() => "connected", () => "refused"))),
              [endpoint, withdrawal, relayer, stranger],
            );
            assert.deepEqual(answers, ["connected", "connected", "connected", "refused"]);
            assert.ok(!requests.includes("stranger"));
            assert.deepEqual(
              journey.violations.map((each) => each.split(" ")[0]),
              ["connect-src"],
              "the stranger alone",
            );
            await journey.page.reload({ waitUntil: "load" });
            await journey.step("locked");
            await context.close();
          }
        });
      } finally {
        for (const server of [files, ...servers]) await server.shutdown();
      }
    }),
});

async function build(
  folder: string,
  url: string,
  { endpoint, withdrawal, relayer }: Readonly<Record<"endpoint" | "withdrawal" | "relayer", string>>,
): Promise<void> {
  const args = [
    ...["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets", "--output", `${folder}/app`],
    ...["--url", url, "--network", "testnet", "--bridge", "https://bridge.example/bridge"],
    ...["--endpoint", endpoint, "--withdrawal-endpoint", withdrawal, "--relayer", relayer],
  ];
  const { code, stdout, stderr } = await runCommand(Deno.execPath(), args, { cwd: root });
  assert.equal(code, 0, stdout + stderr);
}

function serveNothing(name: string, requests: string[]) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    requests.push(name);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    return new Response("{}", { headers });
  });
}

async function serveFile(folder: string, path: string, headers: Record<string, string>): Promise<Response> {
  const name = path.replace(/^\/app\//, "") || "index.html";
  try {
    const bytes = await Deno.readFile(`${folder}/${name}`);
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    return new Response(bytes, { headers: { ...headers, "content-type": type } });
  } catch {
    return new Response("not found", { status: 404 });
  }
}
