/** `tonado withdraw` as a note's owner gives it, against a local network, honest relayers, and liars. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { waitUntil } from "../../support/relayer/relayer_harness.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { falsePaths, falseTrees, quoteFees } from "./false_answers.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";
import { type AnswerTransform, startRelayerProxy } from "../../support/relayer/relayer_proxy.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";

Deno.test("tonado withdraw", async (t) => {
  await using scene = await startCliFixture();
  const { net, directory: dir, registry, networkFlags: at, payerFlags: payer, env, api } = scene;
  await using honest = startRelayerProxy(api);
  const ids = (await scene.depositNotes(5)).map(noteId);
  const fresh = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
  const balance = async (address: Address) => (await net.chain.account(address)).balance;
  const withdraw = (args: string[], person?: TerminalUser) =>
    runCli(["withdraw", ...at, ...args], env, person);
  const fee = 50_000_000n;

  await t.step("without confirmation nothing is submitted, and the note is unchanged", async () => {
    const args = [ids[0], "--to", fresh("11").toString(), "--relayer", honest.url];
    const { code, stderr, prompts: asked } = await withdraw(args, { confirms: false });
    assert.deepEqual([code, stderr.includes("confirmation_required")], [1, true], stderr);
    assert.match(asked[0], /^Pay 0\.95 TON to \S+ through http\S+, fee 0\.05 TON\?$/);
    assert.ok(!honest.requestedPaths.includes("/withdraw"));
    assert.match(
      stderr,
      /nothing was submitted; to try again: tonado withdraw \S+ --to \S+ --network localnet /,
    );
    assert.ok(
      stderr.includes(`--endpoint ${net.localnet.url} --registry ${registry} --relayer ${honest.url}\n`),
    );
  });

  await t.step(
    "a note that is not in the pool is no relayer's fault: its deposit is the next step",
    async () => {
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
    },
  );

  const dear: [name: string, lie: AnswerTransform, status: number, says: RegExp][] = [
    [
      "quotes little and then asks for nearly all",
      quoteFees((asked) => asked && 9500),
      3,
      /it quoted a fee of 0\.000000001 TON and now asks for 0\.95 TON/,
    ],
    [
      "asks for nearly all from the first",
      quoteFees(() => 9500),
      1,
      /: charges 0\.95 TON, more than the limit of 0\.1 TON\n`--max-fee 0\.95` allows the cheapest/,
    ],
  ];
  for (const [name, lie, status, says] of dear) {
    await t.step(`a relayer that ${name} gets no proof under --yes`, async () => {
      await using liar = startRelayerProxy(api, lie);
      const args = [ids[0], "--to", fresh("11").toString(), "--relayer", liar.url, "--yes"];
      const { code, stderr } = await withdraw(args);
      assert.match(stderr, says);
      assert.equal(code, status);
      assert.ok(!liar.requestedPaths.includes("/withdraw"));
    });
  }

  await t.step("a limit below every quote is refused, with what each asks for and how to go on", async () => {
    await using dearer = startRelayerProxy(
      api,
      (path, answer) => path === "/status" ? { ...answer, feeBps: 700 } : answer,
    );
    const urls = [dearer, honest].flatMap(({ url }) => ["--relayer", url]);
    const to = fresh("11").toString();
    const args = [ids[0], "--to", to, ...urls, "--max-fee", "0.01"];
    const { code, stderr, prompts: asked } = await withdraw(args, { confirms: true });
    assert.deepEqual([code, asked], [1, []], stderr);
    assert.ok(stderr.includes(`${honest.url}: charges 0.05 TON, more than the limit of 0.01 TON\n`), stderr);
    assert.ok(stderr.includes(`${dearer.url}: charges 0.07 TON, more than the limit of 0.01 TON\n`), stderr);
    assert.match(stderr, /^error: .*\[fee_above_limit\]$/m);
    assert.match(stderr, /^`--max-fee 0\.05` allows the cheapest of them; nothing was submitted\.$/m);
    assert.match(stderr, /to try again: tonado withdraw .* --relayer \S+ --relayer \S+ --max-fee <more>$/m);
    assert.doesNotMatch(stderr, /--max-fee 0\.01|[0-9]{8}\b/);
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

  let goOn: string[] = [];
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
      goOn = next[1].split(" ");
    },
  );

  await t.step(
    "a relayer that pays and denies it has paid: the output shows what the chain says",
    async () => {
      await using liar = startRelayerProxy(
        api,
        (path, answer) =>
          path === "/withdraw/status" && answer.state === "confirmed"
            ? { ...answer, state: "failed", reason: "it is spent", txHash: null }
            : answer,
      );
      const { code, stdout, stderr } = await runCli([...goOn, "--relayer", liar.url, "--yes"], env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^withdrawn: 0\.95 TON to \S+, fee 0\.05 TON, in transaction [0-9a-f]{64}$/m);
      assert.equal(await balance(fresh("66")), 950_000_000n);
    },
  );

  await t.step(
    "relayers that lie about root or leaves are passed over; the honest one pays, once",
    async () => {
      const liars = Object.values(falseTrees).map((lie) => startRelayerProxy(api, lie));
      await using dear = startRelayerProxy(
        api,
        (path, answer) => {
          if (path !== "/pools") return answer;
          const dearer = { ...answer.pools["native-1"], feeMin: "60000000" };
          return { ...answer, pools: { ...answer.pools, "native-1": dearer } };
        },
      );
      try {
        const urls = [dear, ...liars, honest].flatMap(({ url }) => ["--relayer", url]);
        const args = [ids[0], "--to", fresh("11").toString(), ...urls, "--yes", "--json"];
        const { code, stdout, stderr } = await withdraw(args, { treeTimeoutMs: 500 });
        assert.equal(code, 0, stderr);
        const told = parseJsonLines(stdout);
        const [{ quotes }] = told;
        assert.deepEqual(
          quotes.map(({ fee }: { fee: string }) => fee),
          [...Array(4).fill("50000000"), "60000000"],
        );
        assert.equal(quotes[4].relayer, dear.url, "the dearest comes last");
        const warned = told.filter(({ event }) => event === "warning").map(({ name }) => name);
        assert.deepEqual(warned, ["few_deposits", "unknown_deposit"]);
        assert.equal(await balance(fresh("11")), 1_000_000_000n - fee);
        const { event, paid, fee: taken } = told.at(-1);
        assert.deepEqual([event, paid, taken], ["withdrawn", "950000000", "50000000"]);
        for (const { requestedPaths: asked } of liars) {
          assert.ok(asked.includes("/tree/root") || asked.some((path) => path.startsWith("/tree/root")));
          assert.ok(!asked.includes("/withdraw"), "no proof goes to a liar");
        }
        for (const { requestedPaths: asked } of [...liars, honest, dear]) {
          assert.ok(!asked.some((path) => path.startsWith("/tree/path") || path === "/note/check"));
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
    },
  );

  for (const [lie, tell] of Object.entries(falsePaths)) {
    await t.step(`--fast refuses ${lie} before anything is proved`, async () => {
      await using liar = startRelayerProxy(api, tell);
      const args = [ids[1], "--to", fresh("22").toString(), "--relayer", liar.url, "--fast", "--yes"];
      const { code, stderr } = await withdraw(args);
      assert.deepEqual([code, /its path does not lead/.test(stderr)], [3, true], stderr);
      assert.ok(!liar.requestedPaths.includes("/withdraw"));
    });
  }

  await t.step("--fast pays through an honest relayer, and says what that gives away", async () => {
    const to = net.user.address; // an address that everybody knows: it paid the deposit
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

  await t.step("--self pays all of it, without a relayer, and warns", async () => {
    const args = [ids[2], "--to", fresh("33").toString(), "--self", "--yes"];
    const { code, stdout, stderr } = await withdraw([...args, ...payer]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /your wallet sends the withdrawal, so the chain shows it/);
    assert.match(stdout, /^withdrawn: 1 TON to \S+, fee 0 TON, in transaction /m);
    assert.equal(await balance(fresh("33")), 1_000_000_000n);
  });

  await t.step(
    "kill -9 while it is submitted: run again, it pays the same recipient, and no other",
    async () => {
      await using relayer = startRelayerProxy(api);
      relayer.holdSubmissions = true;
      const args = [ids[3], "--to", fresh("44").toString(), "--relayer", relayer.url, "--yes", "--json"];
      const child = startProgram(sourceCommand, ["withdraw", ...at, ...args], env);
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
    },
  );

  const mistakes: [string, string[], number, RegExp][] = [
    ["no recipient", [ids[3].slice(0, 5)], 1, /is already withdrawn/],
    ["an unknown note", ["zz", "--to", fresh("55").toString()], 1, /unknown_note/],
    ["no note, none open", ["--to", fresh("55").toString()], 1, /say which|no note of/],
  ];
  for (const [mistake, args, status, says] of mistakes) {
    await t.step(`${mistake} is refused with the reason`, async () => {
      const { code, stderr } = await withdraw(args);
      assert.match(stderr, says);
      assert.equal(code, status);
    });
  }

  await t.step("note check finds all of them withdrawn", async () => {
    const { stdout } = await runCli(["note", "check", ...at, "--json"], env);
    const { notes } = JSON.parse(stdout);
    assert.deepEqual(notes.map(({ state }: { state: string }) => state), Array(5).fill("withdrawn"));
  });
});
