/** `tonado withdraw` says who was paid as the chain has it, whichever of several proofs came first. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteStoreFile } from "../../../src/client/notes/files/note_store_file.ts";
import { findNote, noteId } from "../../../src/client/notes/note_store.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { waitUntil } from "../../support/relayer/relayer_harness.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { omit } from "../../../src/core/omit.ts";

/** Deposits seven notes, and returns functions that interrupt and inspect their withdrawals. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture());
  const { net, networkFlags: at, env, api } = fixture;
  const ids = (await fixture.depositNotes(7)).map(noteId);
  const fresh = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
  const shown = (address: Address) => address.toString({ bounceable: false, testOnly: true });
  const balance = async (address: Address) => (await net.chain.account(address)).balance;
  const opened = () => noteStoreFile(env.TONADO_NOTES).open(new Secret(env.TONADO_PASSPHRASE));
  const kept = async (id: string) => findNote(await (await opened()).list(), id);
  const withdraw = (id: string, ...more: string[]) => runCli(["withdraw", id, ...at, ...more], env);

  /** A withdrawal that is interrupted when its relayer has the proof; returns how that relayer submits it after all. */
  const interrupted = async (id: string, to: Address) => {
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
    ...{ fresh, interrupted, ids, api, withdraw, balance, shown, kept, opened, at, env, fixture },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado withdraw, restarted", async (t) => {
  await using scene = await openScene();
  await firstProofLandsDuring(t, scene);
  await firstProofLandedBefore(t, scene);
  await t.step(
    "resumed after both were cut off: who was paid is told, not who was last meant",
    () => resumesBoth(scene),
  );
  await t.step(
    "begun anew, and failed before its proof was kept: no next step takes the old attempt for the new one",
    () => failsBeforeProof(scene),
  );
  await t.step(
    "begun by --self, and failed anew: the command that goes on with it runs as it is printed",
    () => continuesBySelf(scene),
  );
  await t.step(
    "a relayer that says for ever that the note is in use has its time, and it is told",
    () => limitsWaiting(scene),
  );
});

async function firstProofLandsDuring(
  t: Deno.TestContext,
  { fresh, interrupted, ids, api, withdraw, balance, shown, kept, opened, at, env }: Scene,
): Promise<void> {
  await t.step("the first proof lands while the second is submitted: its own recipient is told", async () => {
    const [a, b] = [fresh("a1"), fresh("b1")];
    const submitFirst = await interrupted(ids[0], a);
    await using second = startRelayerProxy(async (request) => {
      if (new URL(request.url).pathname === "/withdraw") await submitFirst();
      return api(request);
    });
    const again = ["--restart", "--to", b.toString(), "--relayer", second.url, "--yes", "--json"];
    const { code, stdout, stderr } = await withdraw(ids[0], ...again);
    assert.deepEqual([await balance(a), await balance(b)], [950_000_000n, 0n]);
    assert.equal(code, 1, stdout + stderr);
    assert.ok(!parseJsonLines(stdout).some(({ event }) => event === "withdrawn"), stdout);
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1)!);
    assert.equal(error.code, "note_paid_elsewhere");
    assert.ok(error.message.includes(shown(a)), error.message);
    assert.match(error.message, /in transaction [0-9a-f]{64}/);
    assert.doesNotMatch(stderr, /to continue|try again/);
    const { state, withdrawal, earlier } = await kept(ids[0]);
    assert.deepEqual([state, withdrawal?.recipient], ["withdrawn", a.toRawString()]);
    assert.deepEqual(earlier?.map(({ recipient }) => recipient), [b.toRawString()]);
  });

  for (const state of ["withdrawing", "withdrawn"] as const) {
    await t.step(`note check puts a store right that names the other one as ${state}`, async () => {
      const { withdrawal: paid, earlier: [other] = [] } = await kept(ids[0]);
      await (await opened()).update(ids[0], { state, withdrawal: other, earlier: [paid!] });
      const { code, stdout, stderr } = await runCli(["note", "check", ids[0], ...at, "--json"], env);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).notes[0].recipient, fresh("a1").toRawString());
      const now = await kept(ids[0]);
      assert.deepEqual([now.state, now.withdrawal, now.earlier], ["withdrawn", paid, [other]]);
    });
  }
}

async function firstProofLandedBefore(
  t: Deno.TestContext,
  { fresh, interrupted, ids, api, withdraw, shown, kept, balance }: Scene,
): Promise<void> {
  await t.step("the first proof has landed before: its own recipient is told", async () => {
    const [a, b] = [fresh("a2"), fresh("b2")];
    await (await interrupted(ids[1], a))();
    await using second = startRelayerProxy(api);
    const again = ["--restart", "--to", b.toString(), "--relayer", second.url, "--yes"];
    const { code, stdout, stderr } = await withdraw(ids[1], ...again);
    assert.equal(code, 1, stdout + stderr);
    assert.ok(stderr.includes(`paid 0.95 TON to ${shown(a)}`), stderr);
    assert.doesNotMatch(stdout, /withdrawn/);
    const { state, withdrawal } = await kept(ids[1]);
    assert.deepEqual([state, withdrawal?.recipient], ["withdrawn", a.toRawString()]);
  });

  await t.step(
    "the first proof never lands: the second recipient is paid, both attempts are kept",
    async () => {
      const [a, b] = [fresh("a3"), fresh("b3")];
      await interrupted(ids[2], a);
      await using second = startRelayerProxy(
        api,
        (path, answer) =>
          path === "/withdraw/status" && answer.state === "confirmed"
            ? { ...answer, txHash: "00".repeat(32) }
            : answer,
      );
      const again = ["--restart", "--to", b.toString(), "--relayer", second.url, "--yes"];
      const { code, stdout, stderr } = await withdraw(ids[2], ...again);
      assert.equal(code, 0, stderr);
      assert.ok(stderr.includes(`may still pay ${shown(a)}`), stderr);
      assert.ok(stdout.includes(`withdrawn: 0.95 TON to ${shown(b)}, fee 0.05 TON, in transaction `), stdout);
      assert.doesNotMatch(stdout, /0{64}/, "the transaction is the chain's, not the relayer's");
      assert.equal(await balance(b), 950_000_000n);
      const { withdrawal, earlier } = await kept(ids[2]);
      assert.equal(withdrawal?.recipient, b.toRawString());
      assert.deepEqual(earlier?.map(({ recipient }) => recipient), [a.toRawString()]);
    },
  );
}

async function resumesBoth(
  { fresh, interrupted, ids, api, at, env, withdraw, shown, kept }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a4"), fresh("b4")];
  const submitFirst = await interrupted(ids[3], a);
  const interrupts = new AbortController();
  await using held = startRelayerProxy(api);
  held.holdSubmissions = true;
  const running = runCli(
    ["withdraw", ids[3], ...at, "--restart", "--to", b.toString(), "--relayer", held.url, "--yes"],
    env,
    { interruptSignal: interrupts.signal },
  );
  await waitUntil("the second submission", () => held.requestedPaths.includes("/withdraw"));
  interrupts.abort();
  assert.equal((await running).code, 130);
  await submitFirst();
  const { code, stdout, stderr } = await withdraw(ids[3]);
  assert.equal(code, 1, stdout + stderr);
  assert.ok(stderr.includes(`paid 0.95 TON to ${shown(a)}`), stderr);
  assert.equal((await kept(ids[3])).withdrawal?.recipient, a.toRawString());
}

async function failsBeforeProof(
  { fresh, interrupted, ids, withdraw, shown, api, env, balance }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a5"), fresh("b5")];
  await interrupted(ids[4], a);
  const dead = ["--relayer", "http://127.0.0.1:9"];
  const failed = await withdraw(ids[4], "--restart", "--to", b.toString(), ...dead, "--yes");
  assert.equal(failed.code, 3, failed.stderr);
  assert.match(failed.stderr, /nothing new was submitted; to try again: /);
  assert.doesNotMatch(failed.stderr, /what was to be submitted/);
  const old = new RegExp(
    `to continue the interrupted withdrawal, which pays ${shown(a)}: tonado withdraw`,
  );
  assert.match(failed.stderr, old);
  const anew = /to try again: tonado (withdraw .*) --relayer <another> --restart$/m.exec(failed.stderr);
  assert.ok(anew, failed.stderr);
  await using second = startRelayerProxy(api);
  const { code, stderr } = await runCli(
    [...anew[1].split(" "), "--relayer", second.url, "--restart", "--yes"],
    env,
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual([await balance(a), await balance(b)], [0n, 950_000_000n]);
}

async function continuesBySelf(
  { fresh, opened, kept, ids, withdraw, shown, fixture, env, balance }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a7"), fresh("b7")];
  const store = await opened();
  const { withdrawal } = await kept(ids[3]);
  const bySelf = { ...omit(withdrawal!, "relayer"), recipient: a.toRawString(), fee: "0" };
  await store.update(ids[6], { state: "withdrawing", withdrawal: bySelf });
  const printed = async (...how: string[]) => {
    const { code, stderr } = await withdraw(ids[6], "--restart", "--to", b.toString(), ...how, "--yes");
    assert.notEqual(code, 0);
    assert.doesNotMatch(stderr, /<url>/);
    const on = new RegExp(`which pays ${shown(a)}: tonado (withdraw .*)$`, "m").exec(stderr);
    assert.ok(on, stderr);
    return on[1].split(" ");
  };
  const dead = "http://127.0.0.1:9";
  assert.deepEqual((await printed("--relayer", dead)).slice(-2), ["--relayer", dead]);
  const poor = `${fixture.net.directory}/poor`;
  await runCli(["wallet", "create", poor, "--network", "localnet"], env);
  const on = await printed("--self", "--mnemonic-file", poor);
  assert.deepEqual(on.slice(-3), ["--self", "--mnemonic-file", poor]);
  const { code, stderr } = await runCli(
    [...on.slice(0, -2), ...fixture.payerFlags, "--yes"],
    env,
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual([await balance(a), await balance(b)], [1_000_000_000n, 0n]);
}

async function limitsWaiting({ fresh, api, ids, at, env, balance }: Scene): Promise<void> {
  const to = fresh("a6");
  await using liar = startRelayerProxy(
    api,
    undefined,
    (path) =>
      path === "/withdraw"
        ? Response.json({ code: "nullifier_already_used" }, { status: 409 })
        : path === "/withdraw/status"
        ? Response.json({ state: "accepted" })
        : undefined,
  );
  const interrupts = new AbortController();
  let seen = "";
  const stopped = await runCli(
    ["withdraw", ids[5], ...at, "--to", to.toString(), "--relayer", liar.url, "--yes", "--json"],
    env,
    {
      onStdout: (text) => (seen += text).split('"status"').length > 8 && interrupts.abort(),
      interruptSignal: interrupts.signal,
    },
  );
  assert.equal(stopped.code, 130, stopped.stderr);
  const all = parseJsonLines(stopped.stdout);
  const warned = all.filter(({ name }) => name === "in-use");
  assert.equal(warned.length, 1, stopped.stdout);
  assert.match(
    warned[0].text,
    /reports that an earlier withdrawal of this note is in progress: waiting up to 180 s for it/,
  );
  const looks = all.filter(({ event }) => event === "status");
  assert.ok(looks.every(({ relayer, most }) => relayer === liar.url && most === 180), stopped.stdout);
  assert.ok(looks.at(-1).waited >= 1);
  const on = /to continue: tonado (withdraw .*)"}$/m.exec(stopped.stderr);
  assert.ok(on, stopped.stderr);
  await using second = startRelayerProxy(api);
  await liar[Symbol.asyncDispose]();
  const { code, stderr } = await runCli(
    [...on[1].trim().split(" "), "--relayer", second.url, "--yes"],
    env,
  );
  assert.equal(code, 0, stderr);
  assert.equal(await balance(to), 950_000_000n);
}
