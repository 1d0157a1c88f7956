/** `tonado withdraw` on a local network, with honest and dishonest relayers. */
import assert from "node:assert/strict";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { parseJsonLines } from "../../support/cli/cli_fixture.ts";
import { falsePaths, quoteFees } from "./false_answers.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { type AnswerTransform, startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";
import { openScene, type Scene } from "./scene.ts";
import { ignoresFalseStates, passesOverLiars } from "./dishonest_relayers.ts";

Deno.test("tonado withdraw", async (t) => {
  await using scene = await openScene();
  await t.step(
    "without confirmation nothing is submitted, and the note is unchanged",
    () => asksForConfirmation(scene),
  );
  await t.step(
    "the question about the recipient is announced, and left out on request",
    () => announcesRecipientCheck(scene),
  );
  await t.step(
    "for a note that is not in the pool, no other relayer is tried, and its deposit is the next step",
    () => namesDepositAsNextStep(scene),
  );
  await refusesHighFees(t, scene);
  await ignoresFalseStates(t, scene);
  await t.step(
    "relayers with a false root or false leaves are skipped, and the honest one pays, once",
    () => passesOverLiars(scene),
  );
  await withdrawsFast(t, scene);
  await t.step("--self pays all of it, without a relayer, and warns", () => withdrawsAlone(scene));
  await t.step(
    "after kill -9 during submission, the next run pays the same recipient, and no other",
    () => resumesKilledWithdrawal(scene),
  );
  await refusesMistakes(t, scene);
});

async function announcesRecipientCheck({ ids, fresh, honest, withdraw }: Scene): Promise<void> {
  const args = [ids[0], "--to", fresh("11").toString(), "--relayer", honest.url];
  const asked = await withdraw(args, { confirms: false });
  assert.match(asked.stderr, /^asking \S+ about the recipient, which reveals the address to it;/m);
  const silent = await withdraw([...args, "--no-recipient-check"], { confirms: false });
  assert.doesNotMatch(silent.stderr, /about the recipient/);
}

async function asksForConfirmation({ ids, fresh, honest, withdraw, net, registry }: Scene): Promise<void> {
  const args = [ids[0], "--to", fresh("11").toString(), "--relayer", honest.url];
  const { code, stderr, prompts } = await withdraw(args, { confirms: false });
  assert.deepEqual([code, stderr.includes("confirmation_required")], [1, true], stderr);
  assert.match(prompts[0], /^Pay 0\.95 GRAM to \S+ through http\S+, fee 0\.05 GRAM\?$/);
  assert.ok(!honest.requestedPaths.includes("/withdraw"));
  assert.match(
    stderr,
    /nothing was submitted; to try again: tonado withdraw \S+ --to \S+ --network localnet /,
  );
  assert.ok(
    stderr.includes(`--endpoint ${net.localnet.url} --registry ${registry} --relayer ${honest.url}\n`),
  );
}

async function namesDepositAsNextStep({ dir, env, api, honest, fresh, withdraw }: Scene): Promise<void> {
  const note = createNote({ asset: "native", amount: "1", network: "localnet" });
  const empty = ["--notes", `${dir}/empty.age`];
  await runCli(["note", "restore", ...empty], env, { secrets: [formatNote(note)] });
  await using second = startRelayerProxy(api);
  const urls = [honest, second].flatMap(({ url }) => ["--relayer", url]);
  const to = fresh("11").toString();
  const { code, stderr } = await withdraw([noteId(note), "--to", to, ...urls, ...empty, "--yes"]);
  assert.match(stderr, /not in the pool \[commitment_not_found\]/);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`tonado deposit --note ${noteId(note)} --network localnet`), stderr);
  assert.doesNotMatch(stderr, /another relayer|relayer_unavailable|tonado withdraw/);
  assert.ok(!second.requestedPaths.some((path) => path.startsWith("/tree")), "no other relayer is tried");
}

async function refusesHighFees(
  t: Deno.TestContext,
  { api, ids, fresh, withdraw, honest }: Scene,
): Promise<void> {
  const expensive: [name: string, lie: AnswerTransform, status: number, message: RegExp][] = [
    [
      "quotes little and then asks for nearly all",
      quoteFees((prompts) => prompts && 9500),
      3,
      /it quoted a fee of 0\.000000001 GRAM and now asks for 0\.95 GRAM/,
    ],
    [
      "asks for nearly all from the first",
      quoteFees(() => 9500),
      1,
      /: charges 0\.95 GRAM, more than the limit of 0\.1 GRAM\n`--max-fee 0\.95` allows the cheapest/,
    ],
  ];
  for (const [name, lie, status, message] of expensive) {
    await t.step(`a relayer that ${name} gets no proof under --yes`, async () => {
      await using liar = startRelayerProxy(api, lie);
      const args = [ids[0], "--to", fresh("11").toString(), "--relayer", liar.url, "--yes"];
      const { code, stderr } = await withdraw(args);
      assert.match(stderr, message);
      assert.equal(code, status);
      assert.ok(!liar.requestedPaths.includes("/withdraw"));
    });
  }

  await t.step("a limit below every quote is refused, with each quote and the next step", async () => {
    await using pricier = startRelayerProxy(
      api,
      (path, answer) => path === "/status" ? { ...answer, feeBps: 700 } : answer,
    );
    const urls = [pricier, honest].flatMap(({ url }) => ["--relayer", url]);
    const to = fresh("11").toString();
    const args = [ids[0], "--to", to, ...urls, "--max-fee", "0.01"];
    const { code, stderr, prompts } = await withdraw(args, { confirms: true });
    assert.deepEqual([code, prompts], [1, []], stderr);
    assert.ok(
      stderr.includes(`${honest.url}: charges 0.05 GRAM, more than the limit of 0.01 GRAM\n`),
      stderr,
    );
    assert.ok(
      stderr.includes(`${pricier.url}: charges 0.07 GRAM, more than the limit of 0.01 GRAM\n`),
      stderr,
    );
    assert.match(stderr, /^error: .*\[fee_above_limit\]$/m);
    assert.match(stderr, /^`--max-fee 0\.05` allows the cheapest of them; nothing was submitted\.$/m);
    assert.match(stderr, /to try again: tonado withdraw .* --relayer \S+ --relayer \S+ --max-fee <more>$/m);
    // No amount in nano. The note's id and the folder's name are random, and may have as many digits.
    const others = stderr.replaceAll(ids[0], "").replace(/--registry \S+/, "");
    assert.doesNotMatch(others, /--max-fee 0\.01|[0-9]{8}\b/);
    assert.ok(!honest.requestedPaths.includes("/withdraw"));
  });

  for (const flag of ["--max-fee", "--refund"]) {
    await t.step(`${flag} 1e3 is refused before any request to a relayer`, async () => {
      await using silent = startRelayerProxy(api);
      const args = [ids[0], "--to", fresh("11").toString(), "--relayer", silent.url, flag, "1e3"];
      const { code, stderr } = await withdraw(args);
      assert.deepEqual([code, silent.requestedPaths], [2, []], stderr);
    });
  }
}

async function withdrawsFast(
  t: Deno.TestContext,
  { api, ids, fresh, withdraw, net, at, env, honest }: Scene,
): Promise<void> {
  for (const [name, lie] of Object.entries(falsePaths)) {
    await t.step(`--fast refuses ${name} before anything is proved`, async () => {
      await using liar = startRelayerProxy(api, lie);
      const args = [ids[1], "--to", fresh("22").toString(), "--relayer", liar.url, "--fast", "--yes"];
      const { code, stderr } = await withdraw(args);
      assert.deepEqual([code, /its path does not lead/.test(stderr)], [3, true], stderr);
      assert.ok(!liar.requestedPaths.includes("/withdraw"));
    });
  }

  await t.step("--fast pays through an honest relayer, and warns what it reveals", async () => {
    const to = net.user.address; // it paid the deposit
    const checked = await runCli(["note", "check", ids[1], ...at], env);
    assert.equal(checked.code, 0, checked.stderr);
    const { code, stderr } = await withdraw([
      ids[1],
      "--to",
      to.toString(),
      "--relayer",
      honest.url,
      "--fast",
      "--yes",
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /reveals your deposit to it/);
    assert.match(stderr, /recipient has been used before/);
    assert.match(stderr, /the wallet that paid the deposit/, "found on the chain: the note was typed in");
    assert.match(stderr, /less than a day old/);
  });
}

async function withdrawsAlone({ ids, fresh, withdraw, payer, balance }: Scene): Promise<void> {
  const args = [ids[2], "--to", fresh("33").toString(), "--self", "--yes"];
  const { code, stdout, stderr } = await withdraw([...args, ...payer]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /your wallet sends the withdrawal, so the chain shows it/);
  assert.match(stdout, /^withdrawn: 1 GRAM to \S+, fee 0 GRAM, in transaction /m);
  assert.equal(await balance(fresh("33")), 1_000_000_000n);
}

async function resumesKilledWithdrawal(
  { api, ids, fresh, at, env, withdraw, balance, fee }: Scene,
): Promise<void> {
  await using relayer = startRelayerProxy(api);
  relayer.holdSubmissions = true;
  const args = [ids[3], "--to", fresh("44").toString(), "--relayer", relayer.url, "--yes", "--json"];
  const child = startProgram(sourceCommand(), ["withdraw", ...at, ...args], env);
  await waitUntil("the submission", () => relayer.requestedPaths.includes("/withdraw"));
  child.kill("SIGKILL");
  await child.status;
  relayer.holdSubmissions = false;
  const other = await withdraw([
    ids[3],
    "--to",
    fresh("45").toString(),
    "--relayer",
    relayer.url,
    "--yes",
  ]);
  assert.deepEqual([other.code, /interrupted withdrawal/.test(other.stderr)], [2, true], other.stderr);
  const { code, stdout, stderr } = await withdraw(["--json"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    parseJsonLines(stdout).map(({ event }) => event).filter((event) => event !== "status"),
    [
      "resuming",
      "withdrawn",
    ],
  );
  assert.equal(await balance(fresh("44")), 1_000_000_000n - fee);
}

async function refusesMistakes(t: Deno.TestContext, { ids, fresh, withdraw, at, env }: Scene): Promise<void> {
  const mistakes: [string, string[], number, RegExp][] = [
    ["no recipient", [ids[3].slice(0, 5)], 1, /is already withdrawn/],
    ["an unknown note", ["zz", "--to", fresh("55").toString()], 1, /unknown_note/],
    ["no note, none open", ["--to", fresh("55").toString()], 1, /say which|no note of/],
  ];
  for (const [mistake, args, status, message] of mistakes) {
    await t.step(`${mistake} is refused with the reason`, async () => {
      const { code, stderr } = await withdraw(args);
      assert.match(stderr, message);
      assert.equal(code, status);
    });
  }

  await t.step("note check finds all of them withdrawn", async () => {
    const { stdout } = await runCli(["note", "check", ...at, "--json"], env);
    const { notes } = JSON.parse(stdout);
    assert.deepEqual(notes.map(({ state }: { state: string }) => state), Array(5).fill("withdrawn"));
  });
}
