/** A depositor uses a version 2 pool from the command line: pays by phone and by wallet, settles, withdraws. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { parseTransferLink } from "../../src/cli/commands/localnet/pay.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { parseJsonLines, startCliFixture } from "../support/cli/cli_fixture.ts";
import { runCli } from "../support/cli/run_cli.ts";

const KEY = "native-10-v2";
const TEN = 10_000_000_000n;
const freshAddress = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Starts a local network, and serves its relayer over HTTP. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture({ keys: "committed" }));
  const { net, networkFlags: at, env, payerFlags: payer } = fixture;
  const server = stack.use(Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, fixture.api));
  const relayer = `http://127.0.0.1:${server.addr.port}`;
  const notes = async () => JSON.parse((await runCli(["note", "show", "--json"], env)).stdout).notes;
  const check = async () => JSON.parse((await runCli(["note", "check", ...at, "--json"], env)).stdout).notes;
  const balanceOf = async (address: Address) => (await net.chain.account(address)).balance;
  const state = { first: "", second: "" };
  const open = stack.move();
  return {
    at,
    env,
    net,
    notes,
    check,
    payer,
    relayer,
    balanceOf,
    fixture,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado with a version 2 pool", async (t) => {
  await using scene = await openScene();
  await t.step(
    "by phone, a wrong amount is returned and reported, and the exact amount is the deposit",
    () => paysByPhone(scene),
  );
  await resumesDeposit(t, scene);
  await t.step(
    "settled notes are withdrawn through a relayer and with --self, each once",
    () => withdrawsSettled(scene),
  );
});

async function paysByPhone({ at, env, net, state, notes }: Scene): Promise<void> {
  let output = "";
  let paid: Promise<void> | undefined;
  const running = runCli(["deposit", KEY, ...at, "--json"], env, {
    onStdout(text) {
      output += text;
      const payment = output.endsWith("\n") &&
        parseJsonLines(output).find(({ event }) => event === "payment");
      if (payment) paid ??= payTwice(payment.url);
    },
  });
  async function payTwice(url: string) {
    const message = parseTransferLink(url);
    equal(message.value, TEN);
    await net.user.send([{ ...message, value: TEN - 1n }]);
    await waitUntil("the wrong payment is reported", () => output.includes('"event":"refused"'));
    await net.user.send([message]);
  }
  const { code, stdout, stderr } = await running;
  await paid;
  equal(code, 0, stderr);
  const events = parseJsonLines(stdout);
  const refused = events.find(({ event }) => event === "refused");
  deepEqual(
    [refused.reason, Address.parse(refused.sender).equals(net.user.address)],
    ["ERR_WRONG_DENOMINATION", true],
  );
  const payment = events.find(({ event }) => event === "payment");
  const warned = events.findIndex(({ event, warning }) => event === "pool" && /exchange/.test(warning));
  ok(warned >= 0 && warned < events.indexOf(payment), "the warning comes before the address");
  match(payment.comment, /^tonado:[0-9a-f]{72}$/);
  const last = events.at(-1);
  deepEqual([last.event, last.leafIndex], ["deposited", 0]);
  state.first = last.id;
  const [note] = await notes();
  deepEqual([note.id, note.state, note.pool], [state.first, "deposited", KEY]);
}

async function resumesDeposit(
  t: Deno.TestContext,
  { at, env, check, notes, payer, state, relayer }: Scene,
): Promise<void> {
  await t.step("the output first says what happens to a wrong amount, and fits 80 columns", async () => {
    const interrupt = new AbortController();
    let output = "";
    const { stderr } = await runCli(["deposit", KEY, ...at], env, {
      interruptSignal: interrupt.signal,
      onStdout(text) {
        output += text;
        if (output.includes("ton://")) interrupt.abort();
      },
    });
    const warned = output.indexOf("without the comment, only exactly 10 GRAM comes back");
    ok(warned >= 0 && warned < output.indexOf("Pay from any wallet"), output);
    match(output, /exactly 10 GRAM/);
    const long = output.split("\n").filter((line) => line.length > 80 && !/ton:\/\//.test(line));
    deepEqual(long, []);
    match(stderr, /to continue: tonado deposit --note/);
    equal((await check()).at(-1).state, "depositing");
  });

  await t.step("the interrupted deposit is paid by a wallet, and is not paid twice", async () => {
    const { id } = (await notes()).at(-1);
    const { code, stdout, stderr } = await runCli(
      ["deposit", "--note", id, ...at, ...payer, "--yes", "--json"],
      env,
    );
    equal(code, 0, stderr);
    deepEqual(parseJsonLines(stdout).at(-1).leafIndex, 1);
    state.second = id;
    const again = await runCli(["deposit", "--note", id, ...at, ...payer, "--yes"], env);
    match(again.stdout, /already in the pool, as leaf 1/);
  });

  await t.step("a deposit that is not settled is shown as waiting, and cannot be withdrawn yet", async () => {
    deepEqual((await check()).map(({ state, waits }: Record<string, unknown>) => [state, waits]), [
      ["deposited", true],
      ["deposited", true],
    ]);
    const to = ["--to", freshAddress(0x61).toString(), "--relayer", relayer, "--yes"];
    const { code, stderr } = await runCli(["withdraw", state.first, ...at, ...to], env);
    equal(code, 1);
    match(stderr, /waits as leaf 0 for its settlement/);
    match(stderr, /tonado settle/);
  });
}

async function withdrawsSettled(
  { at, payer, env, net, check, relayer, state, balanceOf, fixture }: Scene,
): Promise<void> {
  const settled = await runCli(["settle", KEY, ...at, ...payer, "--yes"], env);
  equal(settled.code, 0, settled.stderr);
  await waitUntil("the relayer knows the leaves", () => net.relayer.readiness().pools[KEY].leaves === 2);
  deepEqual((await check()).map(({ waits }: { waits?: boolean }) => waits), [undefined, undefined]);
  const through = ["--relayer", relayer, "--yes", "--json", "--no-recipient-check"];
  const relayed = await runCli([
    "withdraw",
    state.first,
    ...at,
    "--to",
    freshAddress(0x61).toString(),
    ...through,
  ], env);
  equal(relayed.code, 0, relayed.stderr);
  const self = ["--self", ...payer, "--yes", "--json", "--no-recipient-check"];
  const own = await runCli(
    ["withdraw", state.second, ...at, "--to", freshAddress(0x62).toString(), ...self],
    env,
  );
  equal(own.code, 0, own.stderr);
  equal(await balanceOf(freshAddress(0x62)), TEN);
  const received = await balanceOf(freshAddress(0x61));
  ok(received > TEN * 9n / 10n && received < TEN, String(received));
  deepEqual((await check()).map(({ state }: { state: string }) => state), ["withdrawn", "withdrawn"]);
  const report = `${fixture.directory}/report.json`;
  const reported = await runCli([
    "compliance",
    "report",
    state.first,
    ...at,
    "--for",
    "Example Bank",
    "--out",
    report,
  ], env);
  equal(reported.code, 0, reported.stderr);
  const verified = await runCli(["compliance", "verify", report, ...at, "--json"], env);
  deepEqual(
    [verified.code, JSON.parse(verified.stdout).statement?.pool.version ?? 2],
    [0, 2],
    verified.stderr,
  );
  const forged = JSON.parse(await Deno.readTextFile(report));
  forged.statement.deposit.leafIndex = 1;
  await Deno.writeTextFile(report, JSON.stringify(forged));
  equal((await runCli(["compliance", "verify", report, ...at], env)).code, 1, "another leaf");
  for (const id of [state.first, state.second]) {
    const { code, stderr } = await runCli([
      "withdraw",
      id,
      ...at,
      "--to",
      freshAddress(0x63).toString(),
      ...through,
    ], env);
    deepEqual([code, stderr.includes("already withdrawn")], [1, true], stderr);
  }
}
