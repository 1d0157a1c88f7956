/**
 * The real server of toncenter's API v2, toncenter/ton-http-api, in front of a local network: its request schemas, JSON and
 * error texts, for a relayer's indexer and for the commands. `testkit/servers/ton_http_api.py` replaces its lite servers.
 */
import assert from "node:assert/strict";
import { Address, beginCell, external, storeMessage, toNano } from "@ton/core";
import { fileURLToPath } from "node:url";
import type { Problem } from "../../../src/core/errors/problem.ts";
import type { Chain } from "../../../src/ton/chain.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../src/ton/jetton/jetton.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { startProgram } from "../../../testkit/programs/program.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { type CliFixture, parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRecordingEndpoint } from "../../support/endpoint/recording_endpoint.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { hasPythonPackages, testPython } from "../../support/system/requirements.ts";

const program = fileURLToPath(new URL("../../../testkit/servers/ton_http_api.py", import.meta.url));
const stranger = Address.parse(`0:${"ab".repeat(32)}`);

/** Starts the server for a local network. */
async function startTonHttpApi(localnet: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "ton-http-api-" });
  const server = startProgram([testPython, program], [localnet, folder]);
  const url = `http://127.0.0.1:${await server.nextLine()}/jsonRPC`;
  const chain = connect({ endpoint: url, attempts: 1 });
  await waitUntil(
    "its lite servers are in use",
    () => chain.masterchainSeqno().then(() => true, () => false),
  );
  return {
    url,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test({
  name: "ton-http-api serves a relayer, deposits and withdrawals",
  ignore: !await hasPythonPackages("ton-http-api==2.0.68", "pytonlib==0.0.72"),
  async fn(t) {
    await using fixture = await startCliFixture({ relayer: false });
    let unreachable = false;
    await using localnet = startRecordingEndpoint(fixture.net.localnet.url, () => {
      if (unreachable) return Response.json({ ok: false, error: "adnl query timeout" }, { status: 500 });
    });
    await using server = await startTonHttpApi(localnet.url);
    const { url } = server;
    await fixture.net.startRelayer({ chain: () => connect({ endpoint: url }), settle: "eager" });

    for (const pool of ["native-1", "native-10-v2", "jet-10-v2"]) {
      await t.step(`a deposit into ${pool} and its withdrawal`, () => paysAndWithdraws(fixture, url, pool));
    }
    await t.step("a page of more than 10 transactions", () => readsLongPage(fixture, url));
    await t.step("its errors are read", () => reportsErrors(fixture, url));
    await t.step("a request while no lite server answers is repeated until one does", async () => {
      const once = connect({ endpoint: url, attempts: 1 });
      unreachable = true;
      // The same text as of a malformed message, so it does not tell whether another attempt could succeed.
      const down = /503: unhandled errors in a TaskGroup/;
      await waitUntil(
        "the server is down",
        () => once.masterchainSeqno().then(() => false, ({ message }) => down.test(message)),
      );
      const running = connect({ endpoint: url, attempts: 20 }).masterchainSeqno();
      unreachable = false;
      assert.ok(await running > 0);
    });
  },
});

async function paysAndWithdraws(fixture: CliFixture, url: string, pool: string): Promise<void> {
  const { net, env, networkFlags, payerFlags } = fixture;
  const flags = [...networkFlags, "--endpoint", url, "--json"];
  const deposited = await runCli(["deposit", pool, ...flags, ...payerFlags, "--yes"], env);
  assert.equal(deposited.code, 0, deposited.stderr);
  const { id } = parseJsonLines(deposited.stdout).find(({ event }) => event === "deposited");
  await waitUntil(`${pool} is indexed`, () => net.relayer.readiness().pools[pool].leaves === 1);

  await using relayer = startRelayerProxy(fixture.api);
  const to = new Address(0, Buffer.alloc(32, pool.length));
  const args = ["withdraw", id, ...flags, "--to", to.toString(), "--relayer", relayer.url, "--yes"];
  const withdrawn = await runCli(args, env);
  assert.equal(withdrawn.code, 0, withdrawn.stderr);
  const { paid } = parseJsonLines(withdrawn.stdout).at(-1);
  const { jettonMaster } = net.pool(pool);
  const { balance } = jettonMaster
    ? (await fetchJettonWalletData(net.chain, await fetchJettonWalletAddress(net.chain, jettonMaster, to)))!
    : await net.chain.account(to);
  assert.equal(balance, BigInt(paid));
}

async function reportsErrors({ net }: CliFixture, url: string): Promise<void> {
  const chain = connect({ endpoint: url, attempts: 1 });
  const headers = { "content-type": "application/json" };
  const ask = async (body: unknown) =>
    await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  assert.deepEqual(await ask({ method: "nothing", params: {} }), {
    ok: false,
    error: "Unknown method",
    jsonrpc: "2.0",
  });
  assert.match((await ask({ method: "sendBoc", params: { boc: "A" } })).error, /TaskGroup/);

  assert.deepEqual(await chain.transactions(stranger, { limit: 1 }), []);
  assert.equal((await chain.account(stranger)).state, "uninitialized");
  await assert.rejects(chain.runGetMethod(net.pool("native-1").address, "nothing"), (error: Problem) => {
    assert.deepEqual([error.code, error.members], ["contract_refused", { exitCode: 11 }]);
    return true;
  });
  const message = beginCell().store(
    storeMessage(external({ to: net.user.address, body: beginCell().endCell() })),
  );
  await assert.rejects(chain.send(message.endCell()), { code: "contract_refused" });
}

/** A lite server returns 10 transactions at most, so the server asks it several times. */
async function readsLongPage({ net }: CliFixture, url: string): Promise<void> {
  const chain = connect({ endpoint: url, attempts: 1 });
  const [{ mnemonic, version }] = net.localnet.wallets;
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const transfer = { to: wallet.address, value: toNano("0.1"), bounce: false };
  for (let i = 0; i < 3; i++) await wallet.send([transfer, transfer, transfer, transfer]);
  const idsOf = async (of: Chain) =>
    (await of.transactions(wallet.address, { limit: 100 })).map(({ id }) => id);
  await waitUntil("the transfers arrived", async () => (await idsOf(net.chain)).length > 10);
  assert.deepEqual(await idsOf(chain), await idsOf(net.chain));
}
