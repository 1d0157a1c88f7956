/** `tonado withdraw --fast` reveals the deposit only after the user has agreed. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";
import { differentElement, startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

const to = Address.parse(`0:${"81".repeat(32)}`);

Deno.test("tonado withdraw --fast", async (t) => {
  await using scene = await startCliFixture();
  const { networkFlags: at, env, api, net } = scene;
  const [id] = (await scene.depositNotes(1)).map(noteId);
  const withdraw = (
    relayers: readonly { url: string }[],
    person: TerminalUser = {},
    more: readonly string[] = [],
  ) =>
    runCli(
      [
        ...["withdraw", id, ...at, "--to", to.toString(), "--fast", ...more],
        ...relayers.flatMap(({ url }) => ["--relayer", url]),
      ],
      env,
      person,
    );
  const toldThePath = ({ requestedPaths }: { requestedPaths: readonly string[] }) =>
    requestedPaths.some((path) => path.startsWith("/tree/path"));

  await t.step("declined: the deposit is not revealed", async () => {
    await using relayer = startRelayerProxy(api);
    const { code, stderr, prompts: requests } = await withdraw([relayer], { confirms: false });
    assert.deepEqual([code, stderr.includes("confirmation_required"), requests.length], [1, true, 1], stderr);
    assert.match(stderr, /reveals your deposit to it/, "the warning comes before the question");
    assert.ok(!toldThePath(relayer), relayer.requestedPaths.join(" "));
  });

  await t.step(
    "without a terminal the deposit is not revealed, and nothing is asked",
    async () => {
      await using relayer = startRelayerProxy(api);
      const { code, stderr, prompts: requests } = await withdraw([relayer], {});
      assert.deepEqual([code, stderr.includes("confirmation_required"), requests], [1, true, []], stderr);
      assert.ok(!toldThePath(relayer), relayer.requestedPaths.join(" "));
    },
  );

  await t.step("each relayer needs its own consent, even if it costs no more than the last one", async () => {
    await using liar = startRelayerProxy(
      api,
      (path, answer) => path === "/tree/path" ? { ...answer, root: differentElement(answer.root) } : answer,
    );
    await using honest = startRelayerProxy(api);
    const { code, stderr, prompts: requests } = await withdraw([liar, honest], {
      confirms: (question) => question.includes(liar.url),
    });
    assert.deepEqual([code, requests.length], [1, 2], stderr);
    assert.deepEqual([liar, honest].map(toldThePath), [true, false]);

    const agreed = await withdraw([liar, honest], { confirms: true });
    assert.deepEqual([agreed.code, agreed.prompts.length], [0, 2], agreed.stderr);
    assert.equal((await net.chain.account(to)).balance, 950_000_000n);
  });
});
