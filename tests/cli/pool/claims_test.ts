/**
 * `tonado pool claims` and `tonado pool retry` on a local network. The jetton's issuer locks the pool's
 * wallet: payouts of a withdrawal become claims, are refused again, and are paid after the wallet is
 * unlocked.
 */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import { depositJetton } from "../../../src/client/deposit/deposit_jetton.ts";
import { fieldToHex } from "../../../src/core/crypto/field.ts";
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { createNote } from "../../../src/core/protocol/note.ts";
import { readOpenClaims } from "../../../src/ops/rescue/open_claims.ts";
import { hashState, rebuildState } from "../../../src/ops/rescue/rebuilt_state.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../src/ton/jetton/jetton.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { CONNECT_LINK, Phone } from "../../support/cli/phone.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { FaultySends } from "../../support/endpoint/faulty_sends.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";

const KEY = "jet-10";
const DENOMINATION = 10_000_000n;
const FEE = 50_000n;
const recipient = new Address(0, Buffer.alloc(32, 0x42));
/** Longer than a wallet has for a payment. */
const AFTER_REQUEST_MS = 200_000;
/** The code of a wallet that refuses every message with THROW 48. */
const lockedCode = beginCell().storeUint(0xf230, 16).endCell();

/** Starts a local network whose jetton pool has one deposit. */
async function openScene(dir: string) {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start());
  const { master, asset, decimals } = net.localnet.jetton;
  const pool = net.contract(KEY);
  const payer = net.localnet.wallets[1];
  await Deno.writeTextFile(`${dir}/registry.json`, formatDeployments(net.localnet.deployments));
  await Deno.writeTextFile(`${dir}/words.txt`, payer.mnemonic);
  const sends = new FaultySends(() => async (forward) => {
    await (await forward()).body?.cancel();
    await net.localnet.closeBlock();
    return await forward();
  });
  const endpoint = stack.use(sends.serve(net.localnet.url));
  const registryFlags = ["--network", "localnet", "--registry", `${dir}/registry.json`];
  const cli = (...args: string[]) => runCli(["pool", ...args, ...registryFlags, "--endpoint", endpoint.url]);
  const phone = stack.use(new Phone(net.user, true));
  const silentPhone = stack.use(new Phone(net.user));
  const byPhone = (args: string[], owner = phone) =>
    runCli(["pool", ...args, ...registryFlags, "--endpoint", net.localnet.url, "--connect", "localnet"], {}, {
      clock: net.clock,
      onStdout(text) {
        const [link] = CONNECT_LINK.exec(text) ?? [];
        if (link) void owner.open(link);
      },
    });
  const wallet = ["--mnemonic-file", `${dir}/words.txt`, "--wallet-version", payer.version, "--yes"];
  const jettonBalance = async (owner: Address) => {
    const account = await fetchJettonWalletAddress(net.chain, master, owner);
    return (await fetchJettonWalletData(net.chain, account))?.balance ?? 0n;
  };
  const listClaims = async () => JSON.parse((await cli("claims", KEY, "--json")).stdout).claims;

  const note = createNote({ asset, amount: "10", network: "localnet" });
  await depositJetton({
    chain: net.chain,
    pool,
    network: "localnet",
    jetton: { asset, decimals, jettonMaster: master },
    wallet: net.user,
    prover: net.prover,
    note,
    pollIntervalMs: 50,
  });
  net.tree(KEY).append(note.commitment);
  await net.untilIndexed(KEY);
  const open = stack.move();
  return {
    cli,
    byPhone,
    silentPhone,
    wallet,
    sends,
    net,
    note,
    pool,
    listClaims,
    jettonBalance,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("pool claims and pool retry: refused payouts are listed, refused again, and paid when the wallet pays", (t) =>
  withTempDirectory(async (dir) => {
    await using scene = await openScene(dir);
    await t.step("without claims there is nothing to list and nothing to pay", () => listsNothing(scene));
    await listsAndRetriesClaims(t, scene);
  }));

async function listsNothing({ cli, wallet }: Scene): Promise<void> {
  equal((await cli("claims", KEY)).stdout, "no claims: the pool's wallet refused nothing\n");
  equal((await cli("retry", KEY, ...wallet)).stdout, "no claims: nothing to retry\n");
}

async function listsAndRetriesClaims(
  t: Deno.TestContext,
  { net, note, pool, listClaims, cli, byPhone, silentPhone, wallet, sends, jettonBalance }: Scene,
): Promise<void> {
  const before = await net.localnet.setCode(net.pool(KEY).jettonWallet!, lockedCode);
  const body = await net.withdrawal(KEY, note, { recipient, fee: FEE });
  await net.post("/withdraw", body);
  await net.untilState({ pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) }, "confirmed");
  await waitUntil("both payouts are claims", async () => (await pool.getPoolInfo()).claims === 2);

  await t.step("the claims are listed with recipient and amount", async () => {
    const claims = await listClaims();
    deepEqual(claims.map(({ amount }: { amount: string }) => BigInt(amount)), [DENOMINATION - FEE, FEE]);
    const { stdout } = await cli("claims", KEY);
    match(
      stdout,
      /^\d+ {2}9\.95 jet to .*\n\d+ {2}0\.05 jet to .*\n2 claims; pay them with `tonado pool retry jet-10`\n$/,
    );
    ok(stdout.includes(recipient.toString({ bounceable: true, testOnly: true })));
  });

  await t.step("the pool's state is rebuilt from its transactions, open claims included", async () => {
    equal(await rebuiltClaims(net), 2);
  });

  await t.step("without a wallet nothing is sent, and no link is shown", async () => {
    const [first] = await listClaims();
    const { stdout, stderr, code } = await cli("retry", KEY, first.id, "--json");
    deepEqual([code, stdout], [2, ""]);
    match(stderr, /"--connect","detail":"or --mnemonic-file must name the wallet/);
    const unknown = await cli("retry", KEY, "1");
    equal(unknown.code, 2);
    match(unknown.stderr, /the pool has no claim 1/);
  });

  await t.step("a wallet that is still locked refuses them again, and they keep their ids", async () => {
    const earlier = await listClaims();
    const { code, stderr } = await cli("retry", KEY, ...wallet);
    equal(code, 1, stderr);
    match(stderr, /refused 2 payouts again/);
    const claims = await listClaims();
    deepEqual(claims, earlier);
    equal(await rebuiltClaims(net), 2);
    ok(sends.refusals.length > 0, "the endpoint reports the wallet's refusal of a copy");
  });

  await hearsNothing(t, { net, listClaims, byPhone, silentPhone });

  await t.step("an unlocked wallet pays them, to the unit, by phone and by mnemonic", async () => {
    await net.localnet.setCode(net.pool(KEY).jettonWallet!, before);
    const [first] = await listClaims();
    const phone = await byPhone(["retry", KEY, first.id]);
    equal(phone.code, 0, phone.stderr);
    match(phone.stdout, /Confirm the payment of 0\.\d+ GRAM in Test wallet/);
    match(phone.stdout, new RegExp(`paid +${first.id} `));
    const { code, stdout, stderr } = await cli("retry", KEY, ...wallet, "--json");
    equal(code, 0, stderr);
    equal(JSON.parse(stdout).paid.length, 1);
    await waitUntil("the jettons are paid", async () => await jettonBalance(recipient) > 0n);
    deepEqual([await jettonBalance(recipient), await jettonBalance(net.relayerAddress)], [
      DENOMINATION - FEE,
      FEE,
    ]);
    equal(await jettonBalance(pool.address), 0n);
    deepEqual(await listClaims(), []);
    equal(await rebuiltClaims(net), 0);
  });
}

async function hearsNothing(
  t: Deno.TestContext,
  { net, listClaims, byPhone, silentPhone }: Pick<Scene, "net" | "listClaims" | "byPhone" | "silentPhone">,
): Promise<void> {
  await t.step("of a wallet that stays silent, the payment may still arrive", async () => {
    const earlier = await listClaims();
    const running = byPhone(["retry", KEY, earlier[0].id], silentPhone);
    await waitUntil("the request", () => silentPhone.requests === 1);
    const { code, stdout, stderr } = await passTime(net, running);
    equal(code, 3, stderr);
    match(stderr, /the wallet did not answer in time\. The payment may still arrive/);
    match(stderr, /list the open claims with `tonado pool claims` before/);
    doesNotMatch(stdout + stderr, /refused|failed|deposit/i);
    deepEqual(await listClaims(), earlier);
  });
}

/** Advances the clock until the command ends. */
async function passTime<T>(net: RelayerHarness, running: Promise<T>): Promise<T> {
  let ended = false;
  running.finally(() => ended = true).catch(() => {});
  await waitUntil("the command ends", async () => {
    await net.clock.advance(AFTER_REQUEST_MS);
    return ended;
  });
  return await running;
}

/** Rebuilds the state whose hash the chain would keep if the pool froze now, and returns its number of open claims. */
async function rebuiltClaims(net: RelayerHarness): Promise<number> {
  const deployment = net.localnet.deployments.pools.get(KEY)!;
  const { code, data } = await net.chain.account(deployment.address);
  const frozenHash = hashState({ code: code!, data: data! });
  const rebuilt = await rebuildState(net.chain, deployment, frozenHash);
  ok(rebuilt, "the transactions do not give the state");
  return (await readOpenClaims(net.chain, deployment.address)).size;
}
