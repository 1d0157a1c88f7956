/** `tonado deploy` and `tonado pool` as a user gives them, against a local network: a jetton pool. */
import assert from "node:assert/strict";
import { readRegistry } from "../../src/config/registry.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { inDirectory } from "../support/directory.ts";
import { tonado } from "../support/in_process.ts";

Deno.test("tonado deploy --asset: a jetton pool from its master's address to the audit", (t) =>
  inDirectory(async (dir) => {
    const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
    try {
      const [{ mnemonic, version }] = net.wallets;
      const registry = `${dir}/localnet.json`;
      const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
      const env = { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version };
      const master = net.jetton.master.toString({ testOnly: true });
      const deploy = ["deploy", ...at, "--asset", master, "--amount", "2.5", "--burn-owner"];

      await t.step(
        "it is named as its metadata has it, asked first, deployed, compared, written down",
        async () => {
          const { code, stdout, stderr, asked } = await tonado(deploy, env, { agrees: true });
          assert.equal(code, 0, stderr);
          assert.deepEqual(asked, ["Send 2.7 TON to deploy on localnet?"]);
          assert.match(stdout, /jet-2\.5, takes exactly 2\.5 jet/);
          assert.ok(stdout.includes(master));
          assert.match(stdout, /Deployed and verified[^]*as the master told pool and getter alike/);
          const entry = (await readRegistry("localnet", registry)).pools.get("jet-2.5")!;
          assert.deepEqual([entry.denomination, entry.decimals, entry.asset], [2_500_000n, 6, "jet"]);
          assert.ok(entry.jettonMaster?.equals(net.jetton.master));
        },
      );

      await t.step("a second run finds it and says with --json what it found", async () => {
        const { code, stdout, asked } = await tonado([...deploy, "--json"], env);
        assert.deepEqual([code, asked], [0, []]);
        const found = JSON.parse(stdout);
        assert.deepEqual([found.sent, found.key, found.jettonMaster, found.decimals], [
          false,
          "jet-2.5",
          master,
          6,
        ]);
      });

      await t.step("pool list and pool inspect know it", async () => {
        const list = await tonado(["pool", "list", ...at, "--json"]);
        assert.equal(JSON.parse(list.stdout).pools[0].jettonMaster, master);
        const text = await tonado(["pool", "inspect", "jet-2.5", ...at]);
        assert.equal(text.code, 0, text.stderr);
        assert.match(text.stdout, /takes exactly 2\.5 jet/);
        assert.match(text.stdout, /ok {7}jetton /);
        const { facts } = JSON.parse((await tonado(["pool", "inspect", "jet-2.5", ...at, "--json"])).stdout);
        assert.deepEqual([facts.asset, facts.jettonMaster, facts.jettons], ["jetton", master, null]);
        assert.equal(facts.jettonWallet, facts.givenWallet);
      });

      await t.step("an account that is no master is refused with the reason", async () => {
        const wallet = net.wallets[1].address.toRawString();
        const { code, stderr } = await tonado(
          ["deploy", ...at, "--asset", wallet, "--amount", "1", "--yes"],
          env,
        );
        assert.equal(code, 1);
        assert.match(stderr, /is no jetton master: get_jetton_data of .* \[?/);
        assert.match(stderr, /deployment_refused/);
      });
    } finally {
      await net.close();
    }
  }));
