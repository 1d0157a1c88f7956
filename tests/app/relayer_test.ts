/// <reference lib="dom" />
/** A relayer process with RELAYER_APP=1 serves the app, and the app reaches it at the same address. */
import assert from "node:assert/strict";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { freePort, sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { runCommand } from "../../testkit/programs/run_command.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { openAppPage, withBrowser } from "../support/app/app_browser.ts";
import { chromium } from "../support/system/chromium.ts";

const root = new URL("../../", import.meta.url);

Deno.test({
  name: "a relayer with RELAYER_APP=1 serves the app under its policy; without it there is none",
  ignore: chromium === undefined,
  async fn() {
    const build = ["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets"];
    const { code, stderr } = await runCommand(Deno.execPath(), build, { cwd: root });
    assert.equal(code, 0, stderr);
    const localnet = await startLocalnet({ blockTimeMs: 200, pools: ["1"] });
    try {
      await withTempDirectory(async (folder) => {
        await Deno.writeTextFile(`${folder}/localnet.json`, formatDeployments(localnet.deployments));
        for (const app of ["1", "0"]) {
          const port = freePort();
          const relayer = startProgram(sourceCommand(), ["serve"], {
            RELAYER_NETWORK: "localnet",
            INDEXER_URL: localnet.url,
            RELAYER_PORT: String(port),
            RELAYER_WALLET_MNEMONIC: localnet.relayer.mnemonic,
            RELAYER_WALLET_VERSION: localnet.relayer.version,
            RELAYER_DEPLOYMENTS: `${folder}/localnet.json`,
            RELAYER_DATA_DIR: `${folder}/data`,
            RELAYER_APP: app,
          });
          try {
            await relayer.nextLine();
            await (app === "1" ? assertServed : assertAbsent)(`http://localhost:${port}`, localnet.url);
          } finally {
            await relayer.stop();
          }
        }
      });
    } finally {
      await localnet.close();
    }
  },
});

async function assertServed(origin: string, endpoint: string): Promise<void> {
  const { headers, ok, body } = await fetch(`${origin}/app/`);
  await body?.cancel();
  assert.ok(ok);
  assert.match(
    headers.get("content-security-policy")!,
    new RegExp(`connect-src 'self' ${new URL(endpoint).origin} `),
  );
  await withBrowser(async (browser) => {
    const { page, violations, origins } = await openAppPage(browser, `${origin}/app/`);
    await page.waitForSelector("h1");
    const config = await page.evaluate(async () => await (await fetch("config.json")).json());
    assert.deepEqual(config.relayers, ["../"]);
    const pools = await page.evaluate(async () => (await fetch("../pools")).status);
    assert.equal(pools, 200, "the relayer by its relative address");
    assert.deepEqual(violations, []);
    assert.deepEqual([...origins], [origin]);
  });
}

async function assertAbsent(origin: string): Promise<void> {
  const { status, body } = await fetch(`${origin}/app/`);
  await body?.cancel();
  assert.equal(status, 404);
}
