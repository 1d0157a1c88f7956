/** `tonado pool stats`, and reports of a jetton pool. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { readPoolStats } from "../../../src/ops/audit/pool_stats.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { withMethods } from "../../support/relayer/relayer_harness.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { type ComplianceScene, type ReportedScene } from "./scene.ts";

type Test = Deno.TestContext;

/** Counts the pools of the scene, and deposits and withdraws a jetton. */
export async function countPools(t: Test, scene: ComplianceScene, report: ReportedScene): Promise<void> {
  await t.step("pool stats counts deposits, withdrawals and fees", () => countsPool(scene));
  await t.step(
    "a report of jettons names the owner, and amounts in the jetton",
    () => reportsJettons(scene, report),
  );
  await t.step("pool stats refuses a history that lacks a deposit that the pool counts", async () => {
    const { net } = scene;
    const { address } = net.pool("native-1");
    const old = (await net.chain.transactions(address, { limit: 3 }))[2].id;
    const behind = withMethods(net.chain, {
      account: async (...args) => ({ ...await net.chain.account(...args), last: old }),
    });
    await assert.rejects(readPoolStats(behind, address, { latest: 0 }), { code: "chain_inconsistent" });
  });
}

async function countsPool({ net, at }: ComplianceScene): Promise<void> {
  const { code, stdout, stderr } = await runCli(["pool", "stats", "native-1", ...at, "--json"]);
  assert.equal(code, 0, stderr);
  const { pools: [pool] } = JSON.parse(stdout);
  const { deposits, withdrawals, unspent, held, relayed, relayers, fees, feesTotal } = pool;
  assert.deepEqual([deposits, withdrawals, unspent, held], [3, 2, 1, "1000000000"]);
  assert.deepEqual([relayed, relayers, feesTotal], [1, 1, "50000000"]);
  assert.deepEqual(fees, { least: "50000000", median: "50000000", greatest: "50000000" });
  assert.deepEqual(pool.activity.day, { seconds: 86_400, deposits: 3, withdrawals: 2 });
  assert.deepEqual(pool.latest.map(({ kind }: { kind: string }) => kind), [
    ...["withdrawal", "withdrawal", "deposit", "deposit", "deposit"],
  ]);
  const text = await runCli(["pool", "stats", ...at, "--latest", "1"]);
  assert.match(text.stdout, /native-1 on localnet\n +holds +1 unspent note, 1 GRAM\n/);
  assert.match(text.stdout, /withdrawals +2, 1 of them through 1 relayer\n/);
  assert.match(text.stdout, /fees +median 0\.05 GRAM, /);
  assert.equal(text.stdout.match(/Z withdrawal/g)?.length, 1);
  const address = net.pool("native-1").address.toRawString();
  const here = ["--network", "localnet", "--endpoint", net.localnet.url];
  const unlisted = await runCli(["pool", "stats", address, ...here]);
  assert.match(unlisted.stdout, /holds +1 unspent note, 1 GRAM\n/, unlisted.stderr);
  const quiet = await runCli(["pool", "stats", ...at, "--quiet"]);
  assert.ok(quiet.stdout.includes("native-1 1\n") && quiet.stdout.includes("native-10 0\n"));
  const wrong = await runCli(["pool", "stats", "native-1", ...at, "--latest", "-1"]);
  assert.deepEqual([wrong.code, /from 0 to 9999/.test(wrong.stderr)], [2, true]);
}

async function reportsJettons(
  { net, dir, at, env, payer, relayer, withdraw, verify }: ComplianceScene,
  { failures }: ReportedScene,
): Promise<void> {
  const put = await runCli(["deposit", "jet-10", ...at, ...payer, "--yes", "--quiet"], env);
  assert.equal(put.code, 0, put.stderr);
  const id = put.stdout.trim();
  await waitUntil("the relayer has the deposit", () => net.relayer.readiness().pools["jet-10"].leaves === 1);
  await withdraw(id, "--relayer", relayer.url);
  const file = `${dir}/jetton.json`;
  const made = await runCli(["compliance", "report", id, "--for", "x", "--out", file, ...at], env);
  assert.equal(made.code, 0, made.stderr);
  const { statement: stated } = JSON.parse(await Deno.readTextFile(file));
  assert.ok(Address.parse(stated.deposit.depositor).equals(net.user.address));
  assert.deepEqual([stated.pool.asset, stated.pool.decimals, stated.withdrawal.fee], ["jet", 6, "50000"]);
  const { code, stdout, stderr } = await verify(file);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /paid +9\.95 jet\n/);
  const renamed = { ...stated, pool: { ...stated.pool, asset: "usd" } };
  assert.match(await failures(renamed), /pool: asset: the report has usd, the chain jet/);
}
