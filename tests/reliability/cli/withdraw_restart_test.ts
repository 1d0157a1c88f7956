/** With several proofs of one note, `tonado withdraw` reports the recipient that the chain shows as paid. */
import assert from "node:assert/strict";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { parseJsonLines } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { omit } from "../../../src/core/omit.ts";
import { openScene, type Scene } from "./interrupted_withdrawals.ts";

Deno.test("tonado withdraw, restarted", async (t) => {
  await using scene = await openScene();
  await firstProofLandsDuring(t, scene);
  await firstProofLandedBefore(t, scene);
  await t.step(
    "after two interrupted attempts, the paid recipient is reported, not the last one",
    () => resumesBoth(scene),
  );
  await t.step(
    "if a restart fails before its proof is stored, the next steps distinguish it from the old attempt",
    () => failsBeforeProof(scene),
  );
  await t.step(
    "if a restart of a --self withdrawal fails, the printed command continues it",
    () => continuesBySelf(scene),
  );
  await t.step(
    "a relayer that always reports the note as in use is waited for up to a limit, which is shown",
    () => limitsWaiting(scene),
  );
});

async function firstProofLandsDuring(
  t: Deno.TestContext,
  { fresh, interruptAtProof, ids, api, withdraw, balance, format, findStored, openStore, at, env }: Scene,
): Promise<void> {
  await t.step(
    "if the first proof lands while the second is submitted, the first recipient is reported",
    async () => {
      const [a, b] = [fresh("a1"), fresh("b1")];
      const submitFirst = await interruptAtProof(ids[0], a);
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
      assert.ok(error.message.includes(format(a)), error.message);
      assert.match(error.message, /in transaction [0-9a-f]{64}/);
      assert.doesNotMatch(stderr, /to continue|try again/);
      const { state, withdrawal, earlier } = await findStored(ids[0]);
      assert.deepEqual([state, withdrawal?.recipient], ["withdrawn", a.toRawString()]);
      assert.deepEqual(earlier?.map(({ recipient }) => recipient), [b.toRawString()]);
    },
  );

  for (const state of ["withdrawing", "withdrawn"] as const) {
    await t.step(`note check corrects a store that names the other recipient as ${state}`, async () => {
      const { withdrawal: paid, earlier: [other] = [] } = await findStored(ids[0]);
      await (await openStore()).update(ids[0], { state, withdrawal: other, earlier: [paid!] });
      const { code, stdout, stderr } = await runCli(["note", "check", ids[0], ...at, "--json"], env);
      assert.equal(code, 0, stderr);
      assert.equal(JSON.parse(stdout).notes[0].recipient, fresh("a1").toRawString());
      const now = await findStored(ids[0]);
      assert.deepEqual([now.state, now.withdrawal, now.earlier], ["withdrawn", paid, [other]]);
    });
  }
}

async function firstProofLandedBefore(
  t: Deno.TestContext,
  { fresh, interruptAtProof, ids, api, withdraw, format, findStored, balance }: Scene,
): Promise<void> {
  await t.step("if the first proof has landed before, its recipient is reported", async () => {
    const [a, b] = [fresh("a2"), fresh("b2")];
    await (await interruptAtProof(ids[1], a))();
    await using second = startRelayerProxy(api);
    const again = ["--restart", "--to", b.toString(), "--relayer", second.url, "--yes"];
    const { code, stdout, stderr } = await withdraw(ids[1], ...again);
    assert.equal(code, 1, stdout + stderr);
    assert.ok(stderr.includes(`paid 0.95 GRAM to ${format(a)}`), stderr);
    assert.doesNotMatch(stdout, /withdrawn/);
    const { state, withdrawal } = await findStored(ids[1]);
    assert.deepEqual([state, withdrawal?.recipient], ["withdrawn", a.toRawString()]);
  });

  await t.step(
    "if the first proof never lands, the second recipient is paid, and both attempts are stored",
    async () => {
      const [a, b] = [fresh("a3"), fresh("b3")];
      await interruptAtProof(ids[2], a);
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
      assert.ok(stderr.includes(`may still pay ${format(a)}`), stderr);
      assert.ok(
        stdout.includes(`withdrawn: 0.95 GRAM to ${format(b)}, fee 0.05 GRAM, in transaction `),
        stdout,
      );
      assert.doesNotMatch(stdout, /0{64}/, "the transaction is read from the chain, not from the relayer");
      assert.equal(await balance(b), 950_000_000n);
      const { withdrawal, earlier } = await findStored(ids[2]);
      assert.equal(withdrawal?.recipient, b.toRawString());
      assert.deepEqual(earlier?.map(({ recipient }) => recipient), [a.toRawString()]);
    },
  );
}

async function resumesBoth(
  { fresh, interruptAtProof, ids, api, at, env, withdraw, format, findStored }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a4"), fresh("b4")];
  const submitFirst = await interruptAtProof(ids[3], a);
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
  assert.ok(stderr.includes(`paid 0.95 GRAM to ${format(a)}`), stderr);
  assert.equal((await findStored(ids[3])).withdrawal?.recipient, a.toRawString());
}

async function failsBeforeProof(
  { fresh, interruptAtProof, ids, withdraw, format, api, env, balance }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a5"), fresh("b5")];
  await interruptAtProof(ids[4], a);
  const dead = ["--relayer", "http://127.0.0.1:9"];
  const failed = await withdraw(ids[4], "--restart", "--to", b.toString(), ...dead, "--yes");
  assert.equal(failed.code, 3, failed.stderr);
  assert.match(failed.stderr, /nothing new was submitted; to try again: /);
  assert.doesNotMatch(failed.stderr, /what was to be submitted/);
  const old = new RegExp(
    `to continue the interrupted withdrawal, which pays ${format(a)}: tonado withdraw`,
  );
  assert.match(failed.stderr, old);
  const nextStep = /to try again: tonado (withdraw .*) --relayer <another> --restart$/m.exec(failed.stderr);
  assert.ok(nextStep, failed.stderr);
  await using second = startRelayerProxy(api);
  const { code, stderr } = await runCli(
    [...nextStep[1].split(" "), "--relayer", second.url, "--restart", "--yes"],
    env,
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual([await balance(a), await balance(b)], [0n, 950_000_000n]);
}

async function continuesBySelf(
  { fresh, openStore, findStored, ids, withdraw, format, fixture, env, balance }: Scene,
): Promise<void> {
  const [a, b] = [fresh("a7"), fresh("b7")];
  const store = await openStore();
  const { withdrawal } = await findStored(ids[3]);
  const bySelf = { ...omit(withdrawal!, "relayer"), recipient: a.toRawString(), fee: "0" };
  await store.update(ids[6], { state: "withdrawing", withdrawal: bySelf });
  const failAndReadNextStep = async (...flags: string[]) => {
    const { code, stderr } = await withdraw(ids[6], "--restart", "--to", b.toString(), ...flags, "--yes");
    assert.notEqual(code, 0);
    assert.doesNotMatch(stderr, /<url>/);
    const nextStep = new RegExp(`which pays ${format(a)}: tonado (withdraw .*)$`, "m").exec(stderr);
    assert.ok(nextStep, stderr);
    return nextStep[1].split(" ");
  };
  const dead = "http://127.0.0.1:9";
  assert.deepEqual((await failAndReadNextStep("--relayer", dead)).slice(-2), ["--relayer", dead]);
  const poor = `${fixture.net.directory}/poor`;
  await runCli(["wallet", "create", poor, "--network", "localnet"], env);
  const nextStep = await failAndReadNextStep("--self", "--mnemonic-file", poor);
  assert.deepEqual(nextStep.slice(-3), ["--self", "--mnemonic-file", poor]);
  const { code, stderr } = await runCli(
    [...nextStep.slice(0, -2), ...fixture.payerFlags, "--yes"],
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
  let output = "";
  const stopped = await runCli(
    ["withdraw", ids[5], ...at, "--to", to.toString(), "--relayer", liar.url, "--yes", "--json"],
    env,
    {
      onStdout: (text) => (output += text).split('"status"').length > 8 && interrupts.abort(),
      interruptSignal: interrupts.signal,
    },
  );
  assert.equal(stopped.code, 130, stopped.stderr);
  const all = parseJsonLines(stopped.stdout);
  const warnings = all.filter(({ name }) => name === "in-use");
  assert.equal(warnings.length, 1, stopped.stdout);
  assert.match(
    warnings[0].text,
    /reports that an earlier withdrawal of this note is in progress: waiting up to 180 s for it/,
  );
  const statuses = all.filter(({ event }) => event === "status");
  assert.ok(statuses.every(({ relayer, most }) => relayer === liar.url && most === 180), stopped.stdout);
  assert.ok(statuses.at(-1).waited >= 1);
  const nextStep = /to continue: tonado (withdraw .*)"}$/m.exec(stopped.stderr);
  assert.ok(nextStep, stopped.stderr);
  await using second = startRelayerProxy(api);
  await liar[Symbol.asyncDispose]();
  const { code, stderr } = await runCli(
    [...nextStep[1].trim().split(" "), "--relayer", second.url, "--yes"],
    env,
  );
  assert.equal(code, 0, stderr);
  assert.equal(await balance(to), 950_000_000n);
}
