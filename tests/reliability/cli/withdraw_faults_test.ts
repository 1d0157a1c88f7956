/** `tonado withdraw` through several relayers: each failure is attributed and reported. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

Deno.test("tonado withdraw through two relayers", async (t) => {
  await using scene = await startCliFixture();
  const { net, networkFlags: at, env, api } = scene;
  const [id] = (await scene.depositNotes(1)).map(noteId);
  const to = Address.parse(`0:${"d1".repeat(32)}`);
  const args = ["withdraw", id, ...at, "--to", to.toString()];

  await t.step(
    "an unwritable note store ends the withdrawal, and no relayer is blamed or queried again",
    async () => {
      await using first = startRelayerProxy(api);
      await using second = startRelayerProxy(api);
      const lock = `${env.TONADO_NOTES}.lock`;
      const { code, stderr } = await runCli(
        [...args, "--relayer", first.url, "--relayer", second.url],
        env,
        {
          confirms() { // from here on the store's file cannot be changed
            Deno.mkdirSync(lock);
            return true;
          },
        },
      );
      Deno.removeSync(lock);
      assert.match(stderr, /the note store \S+ cannot be written: .*\[write_failed\]/);
      assert.doesNotMatch(stderr, /relayer_unavailable|no relayer/);
      assert.equal(code, 1);
      for (const { requestedPaths: requests } of [first, second]) assert.ok(!requests.includes("/withdraw"));
      assert.ok(
        !second.requestedPaths.some((path) => path.startsWith("/tree")),
        "the other relayer is not queried",
      );
    },
  );

  await t.step(
    "if a relayer refuses the proof, the reason is printed in one line, and the next relayer pays",
    async () => {
      const body = {
        code: "relayer_balance_low",
        title: "low",
        detail: "low\nvisit evil.example",
        status: 503,
      };
      await using refusing = startRelayerProxy(
        api,
        undefined,
        (path) => path === "/withdraw" ? Response.json(body, { status: 503 }) : undefined,
      );
      await using honest = startRelayerProxy(api);
      const relayers = ["--relayer", refusing.url, "--relayer", honest.url];
      const { code, stderr } = await runCli([...args, ...relayers, "--yes"], env);
      assert.equal(code, 0, stderr);
      const warnings = stderr.split("\n").filter((line) => line.startsWith(`warning: ${refusing.url} `));
      assert.equal(warnings.length, 1, stderr);
      assert.match(
        warnings[0],
        /has the proof but did not finish; trying the next relayer: the relayer refuses and reports this reason: Relayer/,
      );
      assert.doesNotMatch(stderr, /evil\.example/);
      assert.equal((await net.chain.account(to)).balance, 950_000_000n);
    },
  );
});
