/** `tonado deposit` as a depositor gives it, against a local network: by words, by phone, overtaken, killed. */
import assert from "node:assert/strict";
import { Cell } from "@ton/core";
import { renderSVG } from "uqr";
import { decodeTransferLink } from "../../support/cli/transfer_link.ts";
import { waitUntil } from "../../support/relayer/relayer_harness.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { sourceCommand, startProgram } from "../../../testkit/programs/program.ts";

Deno.test("tonado deposit", async (t) => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, directory: dir, registry, networkFlags: at, env, payerFlags: payer } = scene;
  const notes = async () => JSON.parse((await runCli(["note", "show", "--json"], env)).stdout).notes;
  /** What a phone does with a link. */
  const pay = async (url: string) => {
    const { to, amount, bin } = decodeTransferLink(url);
    await net.user.send([{ to, value: amount, bounce: true, body: Cell.fromBoc(bin)[0] }]);
  };

  await t.step("without confirmation nothing is sent, and no note is stored", async () => {
    const { code, stderr, prompts: asked } = await runCli(["deposit", "native-1", ...at, ...payer], env, {
      confirms: false,
    });
    assert.deepEqual([code, stderr.includes("confirmation_required")], [1, true]);
    assert.match(asked[0], /^Send 1 TON from \S+ into native-1 on localnet, kQ\S+ by \S+localnet\.json\?$/);
    assert.deepEqual(await notes(), []);
  });

  await t.step(
    "by a phone: an overtaken link is reported, its payment comes back, the next one is paid",
    async () => {
      const links: string[] = [];
      let seen = "";
      const running = runCli(["deposit", "native-1", ...at, "--json"], env, {
        onStdout(text) {
          seen += text;
          for (const event of seen.endsWith("\n") ? parseJsonLines(seen) : []) {
            if (event.event === "link" && !links.includes(event.url)) links.push(event.url);
          }
        },
      });
      await waitUntil("a link", () => links.length === 1);
      assert.equal((await notes())[0].state, "depositing", "the note is kept before the link is shown");
      await net.deposit("native-1"); // somebody else is first
      await waitUntil("another link", () => links.length === 2);
      await pay(links[0]);
      await waitUntil("the stale one is given back", () => seen.includes("ERR_STALE_DEPOSIT"));
      await pay(links[1]);
      const { code, stdout, stderr } = await running;
      assert.equal(code, 0, stderr);
      const told = parseJsonLines(stdout);
      const last = told[told.length - 1];
      assert.deepEqual([last.event, last.leafIndex, last.attempts], ["deposited", 1, 2]);
      assert.ok(told.some(({ event }) => event === "stale"));
      assert.equal((await notes())[0].state, "deposited");
      const to = ["--to", net.user.address.toString(), "--self", ...payer];
      const { stderr: warnings } = await runCli(["withdraw", last.id, ...at, ...to], env, {
        confirms: false,
      });
      assert.match(
        warnings,
        /the recipient is the wallet that paid the deposit/,
        "the phone's wallet is known",
      );
    },
  );

  await t.step("--qr refuses an existing file, leaves it unchanged and stores no note", async () => {
    const words = `${dir}/words`;
    const link = `${dir}/link`;
    await Deno.symlink(`${dir}/nowhere`, link);
    const before = await notes();
    const fresh = `${dir}/fresh.age`; // the store that this very run makes
    const takes: [file: string, store: string, status: number, says: RegExp][] = [
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
    for (const [file, store, status, says] of takes) {
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
      assert.match(stderr, says);
      if (was !== undefined) assert.equal(await Deno.readTextFile(file), was, file);
    }
    assert.deepEqual(await notes(), before, "no note was made");
    await assert.rejects(Deno.lstat(`${dir}/nowhere`), Deno.errors.NotFound);
  });

  await t.step("--qr replaces the code of a stale link only if the same run wrote it", async () => {
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
    await Deno.writeTextFile(file, "somebody else's");
    await net.deposit("native-0.1");
    await waitUntil("a third link", () => links.length === 3);
    assert.equal(await Deno.readTextFile(file), "somebody else's");
    await pay(links[2]);
    const { code, stdout, stderr } = await running;
    assert.equal(code, 0, stderr);
    assert.equal(stderr.split("link above is no longer valid").length, 3, "with --quiet, too");
    assert.ok(stdout.split("\n").every((line) => /^(ton:.*|[0-9a-f]{12}|)$/.test(line)), stdout);
  });

  await t.step("by a phone, of jettons: the link goes to the owner's own jetton wallet", async () => {
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
  });

  for (const [moment, leaf] of [["kept", 2], ["waiting", 3]] as const) {
    await t.step(`kill -9 at "${moment}": the note is there, and the deposit resumes, once`, async () => {
      const args = ["deposit", "native-1", ...at, ...payer, "--yes", "--json"];
      const child = startProgram(sourceCommand, args, env);
      let event = "";
      while (event !== moment) ({ event } = JSON.parse(await child.nextLine()));
      child.kill("SIGKILL");
      await child.status;
      const [kept] = (await notes()).filter(({ state }: { state: string }) => state === "depositing");
      assert.ok(kept, "the note outlived the process");
      const before = await net.contract("native-1").getNextIndex();
      assert.ok(before <= leaf + 1);
      const { code, stdout, stderr } = await runCli(
        ["deposit", "--resume", ...at, ...payer, "--yes", "--json"],
        env,
      );
      assert.equal(code, 0, stderr);
      const last = parseJsonLines(stdout).pop();
      assert.deepEqual([last.event, last.id, last.leafIndex], ["deposited", kept.id, leaf]);
      assert.equal(await net.contract("native-1").getNextIndex(), leaf + 1, "paid once");
    });
  }

  await t.step("a note that is in the pool is not paid for again", async () => {
    const [{ id }] = await notes();
    const { code, stdout } = await runCli(["deposit", "--note", id, ...at, ...payer, "--yes"], env);
    assert.deepEqual([code, /is already in the pool, as leaf 1/.test(stdout)], [0, true]);
  });

  await t.step("interrupted, it ends with 130 and says how to continue", async () => {
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
      "a relayer that is none",
      ["native-1", "--relayer", net.localnet.url, "--yes"],
      3,
      /relayer_unavailable/,
    ],
  ];
  for (const [mistake, args, status, says] of mistakes) {
    await t.step(`${mistake} is refused with the reason, and nothing is sent`, async () => {
      const { code, stderr } = await runCli(["deposit", ...at, ...payer, "--yes", ...args], env);
      assert.match(stderr, says);
      assert.equal(code, status);
      assert.equal(await net.contract("native-1").getNextIndex(), 4);
    });
  }
});
