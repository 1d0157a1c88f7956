/** `tonado withdraw` with slow or dishonest relayers: every wait is shown, and only the chain confirms a payment. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

/** Sends headers at once, and then one space per second. */
function drip(): Response {
  let timer: ReturnType<typeof setInterval>;
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 1_000);
      },
      cancel: () => clearInterval(timer),
    }),
    { headers: { "content-type": "application/json" } },
  );
}

/** Starts a local network, and deposits one note. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { networkFlags: at, payerFlags: payer, env, api } = fixture;
  const [id] = (await fixture.depositNotes(1)).map(noteId);
  const to = Address.parse(`0:${"5a".repeat(32)}`).toString();
  const withdraw = (args: string[], confirms?: boolean) =>
    runCli(["withdraw", ...at, id, "--to", to, ...args], env, { confirms });
  const open = stack.move();
  return { api, withdraw, payer, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado withdraw: slow relayers and false answers", async (t) => {
  await using scene = await openScene();
  await limitsSlowRelayers(t, scene);
  await t.step("a relayer's claim that it has paid is reported as a claim", () => reportsClaim(scene));
  await refusesFlags(t, scene);
});

async function limitsSlowRelayers(t: Deno.TestContext, { api, withdraw }: Scene): Promise<void> {
  await t.step("the wait for a relayer that sends its answer slowly is shown and limited", async () => {
    await using dripping = startRelayerProxy(api, undefined, drip);
    await using honest = startRelayerProxy(api);
    const start = performance.now();
    const { code, stdout, stderr, prompts } = await withdraw(
      ["--relayer", dripping.url, "--relayer", honest.url],
      false,
    );
    const seconds = (performance.now() - start) / 1000;
    assert.ok(seconds > 8 && seconds < 25, `${seconds} s`);
    assert.equal(code, 1, stderr);
    assert.match(prompts[0], new RegExp(`through ${honest.url}, fee`));
    const waiting = stderr.split("\n").filter((line) => line.startsWith("waiting for "));
    assert.deepEqual(waiting.filter((line) => line === `waiting for ${dripping.url}, up to 10 s`), [
      waiting.at(-1),
    ]);
    assert.match(stdout, new RegExp(`unusable +${dripping.url}: \\S+ has not responded to /pools in time`));
  });

  await t.step("the wait for a relayer that becomes slow after its quote is limited, too", async () => {
    let quoted = false;
    await using turned = startRelayerProxy(
      api,
      undefined,
      (path) => path === "/status" && quoted ? drip() : void (quoted ||= path === "/status"),
    );
    const start = performance.now();
    const { code, stderr } = await withdraw(["--relayer", turned.url], true);
    const seconds = (performance.now() - start) / 1000;
    assert.ok(seconds > 8 && seconds < 25, `${seconds} s`);
    assert.equal(code, 3, stderr);
    assert.match(stderr, new RegExp(`^asking ${turned.url}$`, "m"));
    assert.match(stderr, /has not responded to \/status in time/);
  });
}

async function reportsClaim({ api, withdraw }: Scene): Promise<void> {
  await using liar = startRelayerProxy(
    api,
    undefined,
    (path) =>
      path === "/withdraw"
        ? Response.json({ seqno: 1, fee: "1" })
        : path === "/withdraw/status"
        ? Response.json({ state: "confirmed" })
        : undefined,
  );
  const { code, stdout, stderr } = await withdraw(["--relayer", liar.url, "--yes", "--json"]);
  assert.equal(code, 3, stderr);
  const events = parseJsonLines(stdout);
  assert.deepEqual(
    events.filter(({ event }) => event === "status").map((
      { relayerSays, relayer },
    ) => [relayerSays, relayer]),
    [["confirmed", liar.url]],
  );
  assert.ok(events.every((event) => !("state" in event)), stdout);
}

async function refusesFlags(t: Deno.TestContext, { withdraw, payer }: Scene): Promise<void> {
  for (const flags of [["--relayer", "https://relayer.example"], ["--fast"], ["--max-fee", "1"]]) {
    await t.step(`--self with ${flags[0]} is a mistake`, async () => {
      const { code, stderr, prompts } = await withdraw(["--self", ...payer, ...flags], true);
      assert.deepEqual([code, prompts], [2, []], stderr);
      assert.match(stderr, new RegExp(`  ${flags[0]}: contradicts --self`));
    });
  }
}
