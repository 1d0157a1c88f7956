/** `tonado wallet` and `tonado status` as a user runs them. */
import assert from "node:assert/strict";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { startTestLocalnet } from "../../testkit/localnet/test_localnet.ts";
import { useTrapdoorKeys } from "../../testkit/localnet/use_trapdoor_keys.ts";
import { withEmptyLocalnet } from "../support/endpoint/empty_localnet.ts";
import { startRecordingEndpoint } from "../support/endpoint/recording_endpoint.ts";
import { runCli } from "../support/cli/run_cli.ts";

Deno.test("tonado wallet and status: a new mnemonic, its address and balance, the pools", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "tonado-wallet-" });
  await useTrapdoorKeys();
  const net = await startTestLocalnet({ blockTimeMs: 0 });
  try {
    const at = ["--network", "localnet", "--endpoint", net.url];
    const file = `${dir}/words`;
    let address = "";

    await t.step("a new mnemonic is written to the file and not printed", async () => {
      const { code, stdout, stderr } = await runCli([
        "wallet",
        "create",
        file,
        "--network",
        "localnet",
        "--json",
      ]);
      assert.equal(code, 0, stderr);
      ({ address } = JSON.parse(stdout));
      const words = (await Deno.readTextFile(file)).trim().split(" ");
      assert.equal(words.length, 24);
      assert.ok(!`${stdout}${stderr}`.includes(words.slice(0, 2).join(" ")));
    });

    await t.step("an existing file is never overwritten", async () => {
      const before = await Deno.readTextFile(file);
      const { code, stderr } = await runCli(["wallet", "create", file]);
      assert.match(stderr, /already exists and is not replaced\nChoose a new file name/);
      assert.equal(code, 2, stderr);
      assert.equal(await Deno.readTextFile(file), before);
    });

    await t.step("show finds the same address, from the file or from the prompt", async () => {
      const words = await Deno.readTextFile(file);
      const ways: [string[], string[]][] = [[["--mnemonic-file", file], []], [["--ask-mnemonic"], [words]]];
      for (const [flags, secrets] of ways) {
        const { stdout, stderr } = await runCli(["wallet", "show", ...at, ...flags, "--json"], {}, {
          secrets,
        });
        const shown = { network: "localnet", address, version: "v4R2", balance: "0" };
        assert.deepEqual(JSON.parse(stdout), shown, stderr);
      }
    });

    await t.step(
      "status shows the pools of the registry, and reports a URL that is not a relayer",
      async () => {
        const registry = `${dir}/localnet.json`;
        await Deno.writeTextFile(registry, formatDeployments(net.deployments));
        const { code, stdout } = await runCli(["status", ...at, "--registry", registry, "--json"]);
        const { pools } = JSON.parse(stdout);
        assert.equal(code, 0);
        assert.deepEqual(pools.map(({ key }: { key: string }) => key), [...net.deployments.pools.keys()]);
        const silent = await runCli(["status", ...at, "--registry", registry, "--relayer", net.url]);
        assert.deepEqual([silent.code, silent.stderr.includes(net.url)], [3, true]);
      },
    );
  } finally {
    await net.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("--requests-per-second limits the requests of a command", async () => {
  await useTrapdoorKeys();
  await withEmptyLocalnet(async ({ net }) => {
    await using endpoint = startRecordingEndpoint(net.url);
    const started = performance.now();
    const args = ["wallet", "show", "--network", "localnet", "--endpoint", endpoint.url, "--ask-mnemonic"];
    const { code, stderr } = await runCli([...args, "--requests-per-second", "2"], {}, {
      secrets: [net.wallets[0].mnemonic],
    });
    assert.equal(code, 0, stderr);
    assert.ok(endpoint.requests.length > 1);
    assert.ok(performance.now() - started >= (endpoint.requests.length - 1) * 500);
  });
});
