/**
 * `tonado withdraw`, resumed with a relayer that never finishes: the command times out, or the chain shows
 * the payment.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteStoreFile } from "../../../src/client/notes/files/note_store_file.ts";
import { findNote, noteId } from "../../../src/client/notes/note_store.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

/** A time that is longer than a relayer needs. */
const LONG_AGO_MS = 200_000;

/** Deposits two notes, and returns a function that interrupts a withdrawal and ages it. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env, api } = fixture;
  const ids = (await fixture.depositNotes(2)).map(noteId);
  const fresh = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
  const balance = async (address: Address) => (await net.chain.account(address)).balance;
  const withdraw = (id: string, ...more: string[]) => runCli(["withdraw", id, ...at, ...more], env);

  /** Interrupts a withdrawal after `relayer` received the proof, and changes its date to an earlier one. */
  const interruptAndAge = async (
    id: string,
    to: Address,
    relayer: { url: string; requestedPaths: readonly string[] },
  ) => {
    const interrupts = new AbortController();
    const running = runCli(
      ["withdraw", id, ...at, "--to", to.toString(), "--relayer", relayer.url, "--yes"],
      env,
      { interruptSignal: interrupts.signal },
    );
    await waitUntil("a status request", () => relayer.requestedPaths.includes("/withdraw/status"));
    interrupts.abort();
    assert.equal((await running).code, 130);
    const store = await noteStoreFile(env.TONADO_NOTES).open(new Secret(env.TONADO_PASSPHRASE));
    const { withdrawal } = findNote(await store.list(), id);
    await store.update(id, { withdrawal: { ...withdrawal!, at: withdrawal!.at - LONG_AGO_MS } });
  };
  const countStatusRequests = ({ requestedPaths }: { requestedPaths: readonly string[] }) =>
    requestedPaths.filter((path) => path === "/withdraw/status").length;
  const open = stack.move();
  return {
    api,
    fresh,
    interruptAndAge,
    ids,
    countStatusRequests,
    withdraw,
    balance,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado withdraw, resumed", async (t) => {
  await using scene = await openScene();
  await t.step(
    "if the note stays in use and the relayer's time is over, the next relayer pays",
    () => asksNextRelayer(scene),
  );
  await t.step(
    "if the chain shows the payment of an accepted withdrawal, no other relayer is asked",
    () => believesChain(scene),
  );
});

async function asksNextRelayer(
  { api, fresh, interruptAndAge, ids, countStatusRequests, withdraw, balance }: Scene,
): Promise<void> {
  let submitted = false;
  await using stuck = startRelayerProxy(api, undefined, (path) => {
    if (path === "/withdraw/status") return Response.json({ state: "accepted" });
    if (path !== "/withdraw") return undefined;
    if (submitted) return Response.json({ code: "nullifier_already_used" }, { status: 409 });
    submitted = true;
    return Response.json({}, { status: 202 });
  });
  await using honest = startRelayerProxy(api);
  const to = fresh("c1");
  await interruptAndAge(ids[0], to, stuck);
  const before = countStatusRequests(stuck);
  const relayers = ["--relayer", stuck.url, "--relayer", honest.url];
  const { code, stdout, stderr } = await withdraw(ids[0], ...relayers, "--yes", "--json");
  assert.equal(code, 0, stderr);
  assert.ok(countStatusRequests(stuck) - before <= 2, "its status is requested, and not waited for");
  assert.equal(parseJsonLines(stdout).at(-1).event, "withdrawn");
  assert.equal(await balance(to), 950_000_000n);
}

async function believesChain(
  { api, fresh, interruptAndAge, ids, withdraw, countStatusRequests, balance }: Scene,
): Promise<void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  await using stuck = startRelayerProxy(
    async (request) => {
      const path = new URL(request.url).pathname;
      if (path === "/withdraw/status") return Response.json({ state: "broadcast" });
      if (path !== "/withdraw") return await api(request);
      const copy = new Request(request.url, {
        method: "POST",
        headers: request.headers,
        body: await request.text(),
      });
      held.then(() => api(copy)); // after the answer
      return Response.json({}, { status: 202 });
    },
  );
  const to = fresh("c2");
  await interruptAndAge(ids[1], to, stuck);
  const running = withdraw(ids[1], "--json");
  const before = countStatusRequests(stuck);
  await waitUntil("the relayer is followed", () => countStatusRequests(stuck) > before);
  release();
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  const { event, paid } = parseJsonLines(stdout).at(-1);
  assert.deepEqual([event, paid], ["withdrawn", "950000000"]);
  assert.equal(await balance(to), 950_000_000n);
}
