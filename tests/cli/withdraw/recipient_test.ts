/** Recipients of `tonado withdraw`: certain losses are rejected, possible ones cause a warning. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { fetchJettonWalletAddress } from "../../../src/ton/jetton/jetton.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

Deno.test("tonado withdraw: recipients", async (t) => {
  await using scene = await startCliFixture();
  const { net, networkFlags: at, payerFlags: payer, env } = scene;
  await using relayer = startRelayerProxy(scene.api);
  const [id] = (await scene.depositNotes(1)).map(noteId);
  const withdraw = (to: Address, how: string[], agrees?: boolean) =>
    runCli(["withdraw", ...at, id, "--to", to.toString(), ...how], env, { confirms: agrees });
  const pools = [...net.localnet.deployments.pools];
  const [, ofJetton] = pools.find(([, { jettonMaster }]) => jettonMaster)!;

  const lost: [name: string, recipient: Address][] = [
    ["the zero address", new Address(0, Buffer.alloc(32))],
    ["the zero address of the masterchain", new Address(-1, Buffer.alloc(32))],
    ...pools.map(([key, { address }]): [string, Address] => [`the pool ${key}`, address]),
    ["a jetton's master", ofJetton.jettonMaster!],
    ["a pool's jetton wallet", ofJetton.jettonWallet!],
  ];
  for (const [name, recipient] of lost) {
    for (
      const [way, flags] of [["a relayer", ["--relayer", relayer.url]], ["--self", ["--self", ...payer]]]
    ) {
      await t.step(`${name} is not paid through ${way}`, async () => {
        const { code, stdout, stderr, prompts: requests } = await withdraw(
          recipient,
          [...flags, "--yes"],
          true,
        );
        assert.match(stderr, /^error: the recipient is .*\[unpayable_recipient\]\nNothing was sent\. /);
        assert.deepEqual([code, stdout, requests, relayer.requestedPaths], [2, "", [], []]);
      });
    }
  }

  await t.step("with --json the refusal has its own code", async () => {
    const { code, stderr } = await withdraw(pools[0][1].address, [
      "--relayer",
      relayer.url,
      "--yes",
      "--json",
    ]);
    assert.deepEqual([code, JSON.parse(stderr).error.code], [2, "unpayable_recipient"]);
  });

  const warned = async (to: Address, how: string[]) => {
    const { code, stdout, stderr } = await withdraw(to, [...how, "--json"], false);
    assert.equal(code, 1, "nobody agreed");
    assert.match(stderr, /"notice":"asking \S+ about the recipient, which reveals the address to it/);
    return parseJsonLines(stdout).filter(({ event }) => event === "warning").map(({ name }) => name);
  };
  const wallet = net.localnet.wallets[0].address;

  await t.step("a contract that is not a known wallet causes a warning, and a wallet does not", async () => {
    const holder = await fetchJettonWalletAddress(net.chain, ofJetton.jettonMaster!, wallet);
    assert.equal((await net.chain.account(holder)).state, "active");
    assert.ok((await warned(holder, ["--self", ...payer])).includes("contract"));
    const used = await warned(wallet, ["--self", ...payer]);
    assert.ok(used.includes("recipient_used") && !used.includes("contract"), used.join());
  });

  await t.step("the relayer's own wallet causes a warning: it would receive the whole amount", async () => {
    const { relayerAddress } = await (await fetch(`${relayer.url}/status`)).json();
    const names = await warned(Address.parse(relayerAddress), ["--relayer", relayer.url]);
    assert.ok(names.includes("relayer_paid"), names.join());
    assert.ok(!(await warned(wallet, ["--relayer", relayer.url])).includes("relayer_paid"));
  });
});
