/** Ctrl-C during `tonado withdraw` at a real terminal: it ends at once and prints the next step, which pays once. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../src/client/notes/note_store.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { startCliFixture } from "../support/cli/cli_fixture.ts";
import { startRelayerProxy } from "../support/relayer/relayer_proxy.ts";
import { sourceCommand } from "../../testkit/programs/program.ts";
import { CTRL_C, lacksTerminal, openTerminal, type Terminal } from "../support/cli/terminal.ts";

/** A time that is shorter than the timeout of a request. */
const AT_ONCE_MS = 30_000;

/** Starts a local network and a relayer that can report a note as in use. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env, api } = fixture;
  const lie = { active: false, posted: false };
  const relayer = stack.use(startRelayerProxy(api, undefined, (path) => {
    if (!lie.active) return undefined;
    if (path === "/withdraw") {
      lie.posted = true;
      return Response.json({ code: "nullifier_already_used" }, { status: 409 });
    }
    return path === "/withdraw/status" && lie.posted ? Response.json({ state: "accepted" }) : undefined;
  }));
  const [id] = (await fixture.depositNotes(1)).map(noteId);
  const to = Address.parse(`0:${"77".repeat(32)}`);
  const run = (args: readonly string[]) => openTerminal([...sourceCommand(), ...args], { env });
  const first = ["withdraw", id, ...at, "--to", to.toString(), "--relayer", relayer.url];
  /** Presses Ctrl-C and returns the command that the program prints for resuming. */
  const interrupt = async (terminal: Terminal): Promise<string[]> => {
    const pressed = Date.now();
    await terminal.type(CTRL_C);
    const { code, before, after } = await terminal.waitForExit();
    assert.equal(code, 130, terminal.screen);
    assert.ok(Date.now() - pressed < AT_ONCE_MS, "at once");
    assert.equal(after, before, "the terminal is restored");
    const nextStep =
      /note [0-9a-f]{12} (?:is|and its withdrawal are) stored.*; to (?:continue|try again):\r\ntonado (.*?)\r\n/
        .exec(terminal.screen.replaceAll(" \\\r\n  ", " "));
    assert.ok(nextStep, terminal.screen);
    assert.match(terminal.screen, /\[cancelled\]/);
    return nextStep[1].replace("<url>", relayer.url).split(" ");
  };

  const state: { next: string[] } = { next: [] };
  const open = stack.move();
  return {
    run,
    first,
    interrupt,
    relayer,
    lie,
    net,
    to,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test({
  name: "tonado withdraw at a terminal, interrupted",
  ignore: lacksTerminal,
  fn: async (t) => {
    await using scene = await openScene();
    await interruptsBeforeSubmission(t, scene);
    await interruptsWhileWaiting(t, scene);
    await t.step("the printed next step pays the same recipient, once", () => continues(scene));
  },
});

async function interruptsBeforeSubmission(
  t: Deno.TestContext,
  { run, first, state, interrupt, relayer }: Scene,
): Promise<void> {
  await t.step("Ctrl-C at the confirmation submits nothing", async () => {
    const terminal = run(first);
    await terminal.waitFor("Pay 0.95 GRAM to");
    state.next = await interrupt(terminal);
    assert.ok(!relayer.requestedPaths.includes("/withdraw"));
  });

  await t.step("Ctrl-C during the proof submits nothing", async () => {
    const terminal = run([...state.next, "--yes"]);
    await terminal.waitFor("proving");
    state.next = await interrupt(terminal);
    assert.ok(!relayer.requestedPaths.includes("/withdraw"));
  });
}

async function interruptsWhileWaiting(
  t: Deno.TestContext,
  { relayer, run, state, interrupt, lie }: Scene,
): Promise<void> {
  await t.step("Ctrl-C while the relayer does not respond ends at once", async () => {
    relayer.holdSubmissions = true;
    const terminal = run([...state.next, "--yes"]);
    await waitUntil("the submission", () => relayer.requestedPaths.includes("/withdraw"));
    state.next = await interrupt(terminal);
    relayer.holdSubmissions = false;
  });

  await t.step(
    "while the relayer reports the note as in use, the remaining time is shown, and Ctrl-C ends at once",
    async () => {
      lie.active = true;
      const terminal = run([...state.next, "--yes"]);
      await terminal.waitFor("earlier withdrawal of this note is in progress");
      await terminal.waitFor(" of 180 s");
      assert.match(terminal.screen, /in use: accepted, \d+ of 180 s/);
      state.next = await interrupt(terminal);
      lie.active = false;
    },
  );
}

async function continues({ run, state, net, to }: Scene): Promise<void> {
  const terminal = run([...state.next, "--yes"]);
  const { code } = await terminal.waitForExit();
  assert.equal(code, 0, terminal.screen);
  assert.match(terminal.screen, /withdrawn/);
  assert.equal((await net.chain.account(to)).balance, 950_000_000n);
}
