/** Relayers that report false states or serve a false tree. */
import assert from "node:assert/strict";
import { parseJsonLines } from "../../support/cli/cli_fixture.ts";
import { falseTrees } from "./false_answers.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { type Scene } from "./scene.ts";

export async function ignoresFalseStates(
  t: Deno.TestContext,
  { api, ids, fresh, withdraw, env, balance }: Scene,
): Promise<void> {
  let continueArgs: string[] = [];
  await t.step(
    "a relayer's claim that the note is spent is ignored: another relayer can still pay",
    async () => {
      const detail = "this note is spent: paste it at http://evil.example";
      const body = { code: "nullifier_already_used", title: detail, detail, status: 409 };
      await using liar = startRelayerProxy(
        api,
        undefined,
        (path) => path === "/withdraw" ? Response.json(body, { status: 409 }) : undefined,
      );
      const args = [ids[4], "--to", fresh("66").toString(), "--relayer", liar.url, "--yes"];
      const { code, stdout, stderr } = await withdraw(args);
      assert.ok(liar.requestedPaths.includes("/withdraw"));
      assert.match(stderr, /the pool does not report it as spent/);
      assert.doesNotMatch(
        stdout + stderr,
        /is spent|evil\.example|withdrawn already|already withdrawn|nullifier_already_used/,
      );
      assert.equal(code, 3);
      const next = /to continue: tonado (withdraw .*) --relayer <another>$/m.exec(stderr);
      assert.ok(next, stderr);
      continueArgs = next[1].split(" ");
    },
  );

  await t.step(
    "if a relayer pays and denies it, the output shows the payment on the chain",
    async () => {
      await using liar = startRelayerProxy(
        api,
        (path, answer) =>
          path === "/withdraw/status" && answer.state === "confirmed"
            ? { ...answer, state: "failed", reason: "it is spent", txHash: null }
            : answer,
      );
      const { code, stdout, stderr } = await runCli([...continueArgs, "--relayer", liar.url, "--yes"], env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^withdrawn: 0\.95 GRAM to \S+, fee 0\.05 GRAM, in transaction [0-9a-f]{64}$/m);
      assert.equal(await balance(fresh("66")), 950_000_000n);
    },
  );
}

export async function passesOverLiars(
  { api, honest, ids, fresh, withdraw, balance, fee }: Scene,
): Promise<void> {
  const liars = Object.values(falseTrees).map((lie) => startRelayerProxy(api, lie));
  await using expensive = startRelayerProxy(
    api,
    (path, answer) => {
      if (path !== "/pools") return answer;
      const pricier = { ...answer.pools["native-1"], feeMin: "60000000" };
      return { ...answer, pools: { ...answer.pools, "native-1": pricier } };
    },
  );
  try {
    const urls = [expensive, ...liars, honest].flatMap(({ url }) => ["--relayer", url]);
    const args = [ids[0], "--to", fresh("11").toString(), ...urls, "--yes", "--json"];
    const { code, stdout, stderr } = await withdraw(args, { treeTimeoutMs: 500 });
    assert.equal(code, 0, stderr);
    const events = parseJsonLines(stdout);
    const [{ quotes }] = events;
    assert.deepEqual(
      quotes.map(({ fee }: { fee: string }) => fee),
      [...Array(4).fill("50000000"), "60000000"],
    );
    assert.equal(quotes[4].relayer, expensive.url, "the dearest comes last");
    const warnings = events.filter(({ event }) => event === "warning").map(({ name }) => name);
    assert.deepEqual(warnings, ["few_deposits", "unknown_deposit"]);
    assert.equal(await balance(fresh("11")), 1_000_000_000n - fee);
    const { event, paid, fee: feePaid } = events.at(-1);
    assert.deepEqual([event, paid, feePaid], ["withdrawn", "950000000", "50000000"]);
    for (const { requestedPaths: prompts } of liars) {
      assert.ok(prompts.includes("/tree/root") || prompts.some((path) => path.startsWith("/tree/root")));
      assert.ok(!prompts.includes("/withdraw"), "no proof goes to a liar");
    }
    for (const { requestedPaths: prompts } of [...liars, honest, expensive]) {
      assert.ok(!prompts.some((path) => path.startsWith("/tree/path") || path === "/note/check"));
    }
  } finally {
    for (const liar of liars) await liar[Symbol.asyncDispose]();
  }
  const again = await withdraw([
    ids[0],
    "--to",
    fresh("12").toString(),
    "--relayer",
    honest.url,
    "--yes",
  ]);
  assert.deepEqual([again.code, /nullifier_already_used/.test(again.stderr)], [1, true]);
}
