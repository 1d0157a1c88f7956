/**
 * A depositor uses a version 2 jetton pool from the command line: pays by phone and by mnemonic, settles,
 * withdraws.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../src/ton/jetton/jetton.ts";
import { openWallet } from "../../src/ton/wallet/wallet.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { parseJsonLines, startCliFixture } from "../support/cli/cli_fixture.ts";
import { CONNECT_LINK, Phone } from "../support/cli/phone.ts";
import { runCli } from "../support/cli/run_cli.ts";

const KEY = "jet-10-v2";

/** Starts a local network, and serves its relayer over HTTP. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env, payerFlags: payer } = fixture;
  const server = stack.use(Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, fixture.api));
  const relayer = `http://127.0.0.1:${server.addr.port}`;
  const { jettonMaster, denomination } = net.pool(KEY);
  const ids: string[] = [];
  const open = stack.move();
  return {
    at,
    env,
    net,
    ids,
    payer,
    relayer,
    jettonMaster,
    denomination,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado with a jetton pool of version 2", async (t) => {
  await using scene = await openScene();
  await depositsByLinkAndWallet(t, scene);
  await t.step(
    "settled notes are withdrawn through a relayer and with --self",
    () => withdrawsSettled(scene),
  );
  await t.step("the audit passes, and the list of claims is empty", () => auditsPool(scene));
});

async function depositsByLinkAndWallet(
  t: Deno.TestContext,
  { at, env, net, ids, payer }: Scene,
): Promise<void> {
  const depositByPhone = async (phone: Phone, store: Record<string, string>) => {
    let output = "";
    const result = await runCli(["deposit", KEY, ...at, "--connect", "localnet"], store, {
      onStdout(text) {
        output += text;
        const [link] = CONNECT_LINK.exec(text) ?? [];
        if (link) void phone.open(link);
      },
    });
    return { ...result, output };
  };
  await t.step("by phone, a wallet without the jettons is not asked", async () => {
    const { mnemonic, version } = net.localnet.relayer;
    const wallet = await openWallet(mnemonic, { version, network: "localnet", chain: net.chain });
    using phone = new Phone(wallet, true);
    const { code, stderr } = await depositByPhone(phone, {
      ...env,
      TONADO_NOTES: `${env.TONADO_NOTES}-poor`,
    });
    deepEqual([code, phone.requests], [1, 0], stderr);
    match(stderr, /the wallet holds 0 \S+, less than the deposit and its fees/);
  });

  await t.step("by phone, a connected wallet pays from the owner's jetton wallet", async () => {
    const without = await runCli(["deposit", KEY, ...at], env);
    deepEqual([without.code, without.stderr.includes("--connect")], [2, true], without.stderr);
    using phone = new Phone(net.user, true);
    const { code, stderr, output } = await depositByPhone(phone, env);
    equal(code, 0, stderr);
    match(output, /Confirm the payment in Test wallet within 3 minutes/);
    ok(!/exchange|comment|ton:/.test(output), output);
    match(output, /deposited.* as leaf 0; it can be withdrawn once it is settled/);
    const { notes } = JSON.parse((await runCli(["note", "show", "--json"], env)).stdout);
    deepEqual([notes[0].state, notes[0].pool], ["deposited", KEY]);
    ids.push(notes[0].id);
  });

  await t.step("by wallet, the jettons are deposited", async () => {
    const { code, stdout, stderr } = await runCli(["deposit", KEY, ...at, ...payer, "--yes", "--json"], env);
    equal(code, 0, stderr);
    const last = parseJsonLines(stdout).at(-1);
    deepEqual([last.event, last.leafIndex], ["deposited", 1]);
    ids.push(last.id);
  });
}

async function withdrawsSettled(
  { at, payer, env, net, relayer, ids, jettonMaster, denomination }: Scene,
): Promise<void> {
  const settled = await runCli(["settle", KEY, ...at, ...payer, "--yes"], env);
  equal(settled.code, 0, settled.stderr);
  await waitUntil("the relayer knows the leaves", () => net.relayer.readiness().pools[KEY].leaves === 2);
  const ways = [["--relayer", relayer], ["--self", ...payer]];
  for (const [i, way] of ways.entries()) {
    const to = new Address(0, Buffer.alloc(32, 0x71 + i));
    const { code, stderr } = await runCli([
      ...["withdraw", ids[i], ...at, "--to", to.toString(), ...way],
      ...["--yes", "--json", "--no-recipient-check"],
    ], env);
    equal(code, 0, stderr);
    const wallet = await fetchJettonWalletAddress(net.chain, jettonMaster!, to);
    await waitUntil("the jettons are paid", async () => {
      const { balance = 0n } = await fetchJettonWalletData(net.chain, wallet) ?? {};
      return i === 0 ? balance > denomination * 8n / 10n && balance < denomination : balance === denomination;
    });
  }
}

async function auditsPool({ at, env }: Scene): Promise<void> {
  const audit = await runCli(["pool", "inspect", KEY, ...at, "--json"], env);
  equal(audit.code, 0, audit.stdout + audit.stderr);
  const { checks } = JSON.parse(audit.stdout);
  const failed = checks.filter(({ verdict }: { verdict: string }) => verdict === "failed");
  deepEqual(failed, []);
  const named = checks.map(({ name }: { name: string }) => name);
  for (const name of ["tree", "queue", "spent", "jetton", "jettons"]) ok(named.includes(name), name);
  const claims = await runCli(["pool", "claims", KEY, ...at, "--json"], env);
  equal(claims.code, 0, claims.stderr);
  deepEqual(JSON.parse(claims.stdout).claims, []);
  const stats = await runCli(["pool", "stats", KEY, ...at, "--json"], env);
  equal(stats.code, 0, stats.stderr);
}
