/** `tonado deposit` on a local network: by mnemonic and by phone, with overtaken payments and killed processes. */
import assert from "node:assert/strict";
import { renderSVG } from "uqr";
import { CONNECT_LINK, Phone } from "../../support/cli/phone.ts";
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
  const open = stack.move();
  return { at, payer, env, notes, net, dir, registry, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado deposit", async (t) => {
  await using scene = await openScene();
  await t.step(
    "without confirmation nothing is sent, and no note is stored",
    () => asksForConfirmation(scene),
  );
  await t.step(
    "by phone, an overtaken payment is reported and returned, and the next request is paid",
    () => replacesStaleRequest(scene),
  );
  await t.step(
    "--qr refuses an existing file, leaves it unchanged and stores no note",
    () => keepsExistingFile(scene),
  );
  await t.step(
    "--qr writes the code of the link before the link is shown",
    () => writesCode(scene),
  );
  await t.step(
    "a pool that no link can pay is paid by a connected wallet, also in jettons",
    () => paysByPhoneOnly(scene),
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

async function replacesStaleRequest({ at, env, notes, net, payer }: Scene): Promise<void> {
  using phone = new Phone(net.user);
  let output = "";
  const running = runCli(["deposit", "native-1", ...at, "--connect", "localnet", "--json"], env, {
    onStdout(text) {
      output += text;
      const [link] = CONNECT_LINK.exec(text) ?? [];
      if (link) void phone.open(link);
    },
  });
  await waitUntil("a request", () => phone.requests === 1);
  assert.equal((await notes())[0].state, "depositing", "the note is stored before the wallet is asked");
  await net.deposit("native-1"); // another deposit comes first
  phone.confirm(0);
  await waitUntil("the payment is returned, and the wallet is asked again", () => phone.requests === 2);
  assert.match(output, /ERR_STALE_DEPOSIT/);
  phone.confirm(1);
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  const events = parseJsonLines(stdout);
  const last = events[events.length - 1];
  assert.deepEqual([last.event, last.leafIndex, last.attempts], ["deposited", 1, 2]);
  assert.ok(events.some(({ event }) => event === "stale"));
  assert.deepEqual(
    events.filter(({ event }) => event === "paying").map(({ leafIndex, amount }) => [leafIndex, amount]),
    [[0, "1000000000"], [1, "1000000000"]],
  );
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
      ["deposit", "native-10-v2", ...at, "--quiet", "--notes", store, "--qr", file],
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

async function writesCode({ dir, at, env }: Scene): Promise<void> {
  const file = `${dir}/codes/link.svg`;
  const stop = new AbortController();
  const codes: [link: string, code: string][] = [];
  const { code, stderr } = await runCli(
    ["deposit", "native-10-v2", ...at, "--quiet", "--qr", file, "--notes", `${dir}/codes.age`],
    env,
    {
      onStdout(text) {
        if (!text.startsWith("ton://")) {
          return;
        }
        codes.push([text.trim(), Deno.readTextFileSync(file)]);
        stop.abort();
      },
      interruptSignal: stop.signal,
    },
  );
  assert.equal(code, 130, stderr);
  const [[link, svg]] = codes;
  assert.equal(svg, renderSVG(link, { ecc: "L", border: 2 }));
  assert.deepEqual([...new URLSearchParams(link.split("?")[1]).keys()], ["amount", "text"]);
}

async function paysByPhoneOnly({ net, at, env, notes, dir }: Scene): Promise<void> {
  using phone = new Phone(net.user, true);
  for (const key of ["jet-10", "native-0.1"]) {
    const before = await notes();
    const without = await runCli(["deposit", key, ...at, "--json"], env);
    assert.equal(without.code, 2, without.stderr);
    assert.match(without.stderr, /"--connect","detail":"or --mnemonic-file is required/);
    assert.deepEqual([await notes(), /ton:|bin=/.test(without.stdout)], [before, false], "no note, no link");
    const { code, stdout, stderr } = await runCli(
      ["deposit", key, ...at, "--quiet", "--connect", "localnet"],
      env,
      { onStdout: (text) => CONNECT_LINK.test(text) && void phone.open(text.trim()) },
    );
    assert.equal(code, 0, stderr);
    const [, id] = stdout.trim().split("\n");
    const { leafIndex } = (await notes()).find((note: { id: string }) => note.id === id);
    assert.equal(leafIndex, 0);
  }
  assert.equal(phone.requests, 2);
  const mistakes: [string[], RegExp][] = [
    [["--connect", "tonkeeper", "--manifest", "https://app.example/m.json"], /does not pay on localnet/],
    [["--connect", "localnet", "--manifest", "http://app.example/m.json"], /It must be an https address/],
    [["--connect", "other"], /Allowed choices are .*\btonkeeper\b/],
    [["--connect", "localnet", "--ask-mnemonic"], /omit --mnemonic-file and --ask-mnemonic/],
    [["--manifest", "https://app.example/m.json"], /needs --connect/],
  ];
  for (const [flags, message] of mistakes) {
    const { code, stderr } = await runCli(["deposit", "native-1", ...at, ...flags], env);
    assert.deepEqual([code, message.test(stderr)], [2, true], stderr);
  }
  const { stderr } = await runCli(
    [
      "deposit",
      "native-1",
      "--network",
      "mainnet",
      "--registry",
      await mainnetRegistry(dir),
      "--connect",
      "tonkeeper",
    ],
    env,
  );
  assert.match(stderr, /--manifest: is required: .*not one of a relayer/);
}

async function mainnetRegistry(dir: string): Promise<string> {
  const file = `${dir}/mainnet.json`;
  await Deno.writeTextFile(file, JSON.stringify({ network: "mainnet", pools: {} }));
  return file;
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
    const { code, stderr } = await runCli(["deposit", "native-10-v2", ...at, "--quiet"], env, {
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
