/** Seven notes, with functions that interrupt and inspect their withdrawals. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteStoreFile } from "../../../src/client/notes/files/note_store_file.ts";
import { findNote, noteId } from "../../../src/client/notes/note_store.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";

/** Deposits seven notes, and returns functions that interrupt and inspect their withdrawals. */
export async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env, api } = fixture;
  const ids = (await fixture.depositNotes(7)).map(noteId);
  const fresh = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
  const format = (address: Address) => address.toString({ bounceable: false, testOnly: true });
  const balance = async (address: Address) => (await net.chain.account(address)).balance;
  const openStore = () => noteStoreFile(env.TONADO_NOTES).open(new Secret(env.TONADO_PASSPHRASE));
  const findStored = async (id: string) => findNote(await (await openStore()).list(), id);
  const withdraw = (id: string, ...more: string[]) => runCli(["withdraw", id, ...at, ...more], env);

  /** Interrupts a withdrawal when its relayer has the proof, and returns a function that submits that proof. */
  const interruptAtProof = async (id: string, to: Address) => {
    const interrupts = new AbortController();
    let submission: { url: string; body: string } | undefined;
    await using relayer = startRelayerProxy(async (request) => {
      if (new URL(request.url).pathname !== "/withdraw") return api(request);
      submission = { url: request.url, body: await request.text() };
      interrupts.abort();
      return Response.json({}, { status: 503 });
    });
    const { code, stderr } = await runCli(
      ["withdraw", id, ...at, "--to", to.toString(), "--relayer", relayer.url, "--yes"],
      env,
      { interruptSignal: interrupts.signal },
    );
    assert.deepEqual([code, submission !== undefined], [130, true], stderr);
    return async () => {
      const { url, body } = submission!;
      const headers = { "content-type": "application/json" };
      const answer = await api(new Request(url, { method: "POST", headers, body }));
      assert.ok(answer.ok, await answer.text());
      await waitUntil("the first proof's payment", async () => await balance(to) > 0n);
    };
  };
  const open = stack.move();
  return {
    fresh,
    interruptAtProof,
    ids,
    api,
    withdraw,
    balance,
    format,
    findStored,
    openStore,
    at,
    env,
    fixture,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;
