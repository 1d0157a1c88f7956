/** `tonado deposit` on a local network: by mnemonic and by phone, with overtaken links and killed processes. */
import assert from "node:assert/strict";
import { Cell } from "@ton/core";
import { renderSVG } from "uqr";
import { decodeTransferLink } from "../../support/cli/transfer_link.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";

/** Starts a local network without a relayer. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture({ relayer: false }));
  const { net, directory: dir, registry, networkFlags: at, env, payerFlags: payer } = fixture;
  const notes = async () => JSON.parse((await runCli(["note", "show", "--json"], env)).stdout).notes;
  /** Pays a transfer link, as a wallet on a phone does. */
  const pay = async (url: string) => {
    const { to, amount, bin } = decodeTransferLink(url);
    await net.user.send([{ to, value: amount, bounce: true, body: Cell.fromBoc(bin)[0] }]);
  };
  const open = stack.move();
  return { at, payer, env, notes, net, pay, dir, registry, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado deposit", async (t) => {
  await using scene = await openScene();
  await t.step(
    "without confirmation nothing is sent, and no note is stored",
    () => asksForConfirmation(scene),
  );
  await t.step(
    "by phone, an overtaken link is reported, its payment is returned, and the next link is paid",
    () => replacesStaleLink(scene),
  );
  await t.step(
    "--qr refuses an existing file, leaves it unchanged and stores no note",
    () => keepsExistingFile(scene),
  );
  await t.step(
    "--qr replaces the code of a stale link only if the same run wrote it",
    () => replacesOwnCode(scene),
  );
  await t.step(
    "by phone, a link for jettons goes to the owner's own jetton wallet",
    () => paysFromJettonWallet(scene),
  );
  await resumesKilledDeposit(t, scene);
  await endsWithNextStep(t, scene);
  await refusesMistakes(t, scene);
});

async function asksForConfirmation({ at, payer, env, notes }: Scene): Promise<void> {
  const { code, stderr, prompts } = await runCli(["deposit", "native-1", ...at, ...payer], env, {
    confirms: false,
  });
  assert.deepEqual([code, stderr.includes("confirmation_required")], [1, true]);
  assert.match(prompts[0], /^Send 1 GRAM from \S+ into native-1 on localnet, kQ\S+ by \S+localnet\.json\?$/);
  assert.deepEqual(await notes(), []);
}

async function replacesStaleLink({ at, env, notes, net, pay, payer }: Scene): Promise<void> {
  const links: string[] = [];
  let output = "";
  const running = runCli(["deposit", "native-1", ...at, "--json"], env, {
    onStdout(text) {
      output += text;
      for (const event of output.endsWith("\n") ? parseJsonLines(output) : []) {
        if (event.event === "link" && !links.includes(event.url)) links.push(event.url);
      }
    },
  });
  await waitUntil("a link", () => links.length === 1);
  assert.equal((await notes())[0].state, "depositing", "the note is stored before the link is shown");
  await net.deposit("native-1"); // another deposit comes first
  await waitUntil("another link", () => links.length === 2);
  await pay(links[0]);
  await waitUntil("the payment of the stale link is returned", () => output.includes("ERR_STALE_DEPOSIT"));
  await pay(links[1]);
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  const events = parseJsonLines(stdout);
  const last = events[events.length - 1];
  assert.deepEqual([last.event, last.leafIndex, last.attempts], ["deposited", 1, 2]);
  assert.ok(events.some(({ event }) => event === "stale"));
  assert.equal((await notes())[0].state, "deposited");
  const to = ["--to", net.user.address.toString(), "--self", ...payer];
  const { stderr: warnings } = await runCli(["withdraw", last.id, ...at, ...to], env, {
    confirms: false,
  });
  assert.match(
    warnings,
    /the recipient is the wallet that paid the deposit/,
    "the pool's history names the phone's wallet",
  );
}

async function keepsExistingFile({ dir, notes, env, at }: Scene): Promise<void> {
  const words = `${dir}/words`;
  const link = `${dir}/link`;
  await Deno.symlink(`${dir}/nowhere`, link);
  const before = await notes();
  const fresh = `${dir}/fresh.age`; // the store that this run creates
  const cases: [file: string, store: string, status: number, message: RegExp][] = [
    ...[env.TONADO_NOTES, words, link, dir].map((file): [string, string, number, RegExp] => [
      ...[file, env.TONADO_NOTES] as const,
      ...[2, /choose a new file name/] as const,
    ]),
    [fresh, fresh, 2, /choose a new file name/],
    [
      `${dir}/words/code.svg`,
      env.TONADO_NOTES,
      1,
      /cannot be written: .*\[write_failed\]\nFree disk space/,
    ],
    ["/proc/none/code.svg", env.TONADO_NOTES, 1, /cannot be written: .*\[write_failed\]\nFree disk space/],
  ];
  for (const [file, store, status, message] of cases) {
    const was = await Deno.readTextFile(file).catch(() => undefined);
    let links = 0;
    const ended = new AbortController();
    const { code, stderr } = await runCli(
      ["deposit", "native-1", ...at, "--quiet", "--notes", store, "--qr", file],
      env,
      {
        onStdout: (text) => text.startsWith("ton://") && (links++, ended.abort()),
        interruptSignal: ended.signal,
      },
    );
    assert.deepEqual([code, links], [status, 0], stderr);
    assert.ok(stderr.includes(`--qr: ${file} `), stderr);
    assert.match(stderr, message);
    if (was !== undefined) assert.equal(await Deno.readTextFile(file), was, file);
  }
  assert.deepEqual(await notes(), before, "no note is stored");
  await assert.rejects(Deno.lstat(`${dir}/nowhere`), Deno.errors.NotFound);
}

async function replacesOwnCode({ dir, at, env, net, pay }: Scene): Promise<void> {
  const file = `${dir}/codes/link.svg`;
  const links: string[] = [];
  const codes: string[] = [];
  const running = runCli(["deposit", "native-0.1", ...at, "--quiet", "--qr", file], env, {
    onStdout(text) {
      if (!text.startsWith("ton://")) return;
      links.push(text.trim());
      codes.push(Deno.readTextFileSync(file));
    },
  });
  await waitUntil("a link", () => links.length === 1);
  await net.deposit("native-0.1");
  await waitUntil("another link", () => links.length === 2);
  assert.deepEqual(codes, links.map((url) => renderSVG(url, { ecc: "L", border: 2 })));
  await Deno.rename(file, `${file}.moved`);
  await Deno.writeTextFile(file, "another program's");
  await net.deposit("native-0.1");
  await waitUntil("a third link", () => links.length === 3);
  assert.equal(await Deno.readTextFile(file), "another program's");
  await pay(links[2]);
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  assert.equal(stderr.split("link above is no longer valid").length, 3, "also with --quiet");
  assert.ok(stdout.split("\n").every((line) => /^(ton:.*|[0-9a-f]{12}|)$/.test(line)), stdout);
}

async function paysFromJettonWallet({ net, at, env, pay, notes }: Scene): Promise<void> {
  const from = net.user.address.toString();
  const { code, stdout, stderr } = await runCli(
    ["deposit", "jet-10", ...at, "--quiet", "--from", from],
    env,
    { onStdout: (text) => text.startsWith("ton://") && void pay(text.trim()) },
  );
  assert.equal(code, 0, stderr);
  const [url, id] = stdout.trim().split("\n");
  assert.notEqual(decodeTransferLink(url).to.toRawString(), net.pool("jet-10").address.toRawString());
  assert.deepEqual((await notes()).find((note: { id: string }) => note.id === id).leafIndex, 0);
  const without = await runCli(["deposit", "jet-10", ...at], env);
  assert.deepEqual([without.code, without.stderr.includes("--from")], [2, true], without.stderr);
}

async function resumesKilledDeposit(
  t: Deno.TestContext,
  { at, payer, env, notes, net }: Scene,
): Promise<void> {
  for (const [moment, leaf] of [["kept", 2], ["waiting", 3]] as const) {
    await t.step(`kill -9 at "${moment}": the note is stored, and the deposit resumes, once`, async () => {
      const args = ["deposit", "native-1", ...at, ...payer, "--yes", "--json"];
      const child = startProgram(sourceCommand(), args, env);
      let event = "";
      while (event !== moment) ({ event } = JSON.parse(await child.nextLine()));
      child.kill("SIGKILL");
      await child.status;
      const [note] = (await notes()).filter(({ state }: { state: string }) => state === "depositing");
      assert.ok(note, "the note is stored");
      const before = await net.contract("native-1").getNextIndex();
      assert.ok(before <= leaf + 1);
      const { code, stdout, stderr } = await runCli(
        ["deposit", "--resume", ...at, ...payer, "--yes", "--json"],
        env,
      );
      assert.equal(code, 0, stderr);
      const last = parseJsonLines(stdout).pop();
      assert.deepEqual([last.event, last.id, last.leafIndex], ["deposited", note.id, leaf]);
      assert.equal(await net.contract("native-1").getNextIndex(), leaf + 1, "paid once");
    });
  }
}

async function endsWithNextStep(t: Deno.TestContext, { notes, at, payer, env }: Scene): Promise<void> {
  await t.step("a note that is in the pool is not paid for again", async () => {
    const [{ id }] = await notes();
    const { code, stdout } = await runCli(["deposit", "--note", id, ...at, ...payer, "--yes"], env);
    assert.deepEqual([code, /is already in the pool, as leaf 1/.test(stdout)], [0, true]);
  });

  await t.step("interrupted, it exits with 130 and prints how to continue", async () => {
    const stop = new AbortController();
    const { code, stderr } = await runCli(["deposit", "native-1", ...at, "--quiet"], env, {
      onStdout: (text) => text.startsWith("ton://") && stop.abort(),
      interruptSignal: stop.signal,
    });
    assert.deepEqual(
      [code, /to continue: tonado deposit --note [0-9a-f]{12}/.test(stderr)],
      [130, true],
      stderr,
    );
  });
}

async function refusesMistakes(
  t: Deno.TestContext,
  { registry, dir, net, at, payer, env }: Scene,
): Promise<void> {
  const altered = structuredClone(JSON.parse(await Deno.readTextFile(registry)));
  altered.pools["native-1"].codeHash = "0".repeat(64);
  await Deno.writeTextFile(`${dir}/altered.json`, JSON.stringify(altered));
  const mistakes: [string, string[], number, RegExp][] = [
    [
      "a pool whose code is not the registry's",
      ["native-1", "--registry", `${dir}/altered.json`],
      1,
      /wrong_pool/,
    ],
    ["an unknown pool", ["native-7"], 2, /native-1, /],
    ["no pool", [], 2, /is required, one of native-0.1,/],
    ["pool and note", ["native-1", "--resume"], 2, /must be omitted: the note determines it/],
    [
      "a URL that is not a relayer's",
      ["native-1", "--relayer", net.localnet.url, "--yes"],
      3,
      /relayer_unavailable/,
    ],
  ];
  for (const [mistake, args, status, message] of mistakes) {
    await t.step(`${mistake} is refused with the reason, and nothing is sent`, async () => {
      const { code, stderr } = await runCli(["deposit", ...at, ...payer, "--yes", ...args], env);
      assert.match(stderr, message);
      assert.equal(code, status);
      assert.equal(await net.contract("native-1").getNextIndex(), 4);
    });
  }
}
