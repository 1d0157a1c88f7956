/** Notes derived from the seed: one device deposits them, and another recovers them from the seed alone. */
import assert from "node:assert/strict";
import { decodeQrCodes } from "../../support/cli/qr_codes.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";

/** Starts a local network without a relayer. The note stores of a computer and a phone share a seed. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture({ relayer: false }));
  const { directory: dir, networkFlags: at, env, payerFlags: payer, net } = fixture;
  const phone = { ...env, TONADO_NOTES: `${dir}/phone.age`, TONADO_PASSPHRASE: "another passphrase" };
  const state = { seed: "", theirs: "" };
  const run = async (args: string[], store = env, person?: TerminalUser) => {
    const result = await runCli(args, store, person);
    assert.ok(
      state.seed === "" || !(result.stderr + result.stdout).includes(state.seed) || args[1] === "seed",
    );
    return result;
  };
  const runJson = async (args: string[], store = env, person?: TerminalUser) => {
    const { code, stdout, stderr } = await run([...args, "--json"], store, person);
    assert.equal(code, 0, stderr);
    const lines = parseJsonLines(stdout);
    return lines[lines.length - 1];
  };
  const deposit = (pool: string, store = env) => runJson(["deposit", pool, ...at, ...payer, "--yes"], store);
  const notesOf = async (store: typeof env) => (await runJson(["note", "show"], store)).notes;
  const deposited: string[] = [];
  const open = stack.move();
  return {
    dir,
    runJson,
    run,
    deposited,
    deposit,
    payer,
    at,
    phone,
    notesOf,
    net,
    env,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado note seed and recover", async (t) => {
  await using scene = await openScene();
  await recoversFromSeed(t, scene);
  await sharesSeed(t, scene);
  await t.step(
    "a backup restores the seed, unless the store has another one",
    () => restoresSeedFromBackup(scene),
  );
  await t.step("mistakes are reported without the seed, and change nothing", () => refusesMistakes(scene));
});

async function recoversFromSeed(
  t: Deno.TestContext,
  { dir, state, runJson, run, deposited, deposit, payer, at, phone, notesOf }: Scene,
): Promise<void> {
  await t.step("the seed is created once, and printed with a QR code of the same text", async () => {
    const qr = `${dir}/seed.svg`;
    ({ seed: state.seed } = await runJson(["note", "seed", "show", "--qr", qr]));
    assert.match(state.seed, /^tonado-seed(-[0-9a-hjkmnp-tv-z]{4}){14}$/);
    assert.equal((await run(["note", "seed", "show", "--quiet"])).stdout, `${state.seed}\n`);
    assert.deepEqual(decodeQrCodes(await Deno.readTextFile(qr)), [state.seed]);
  });

  await t.step("deposits into pools of both versions, one of them withdrawn", async () => {
    for (const pool of ["native-1", "native-1", "native-0.1", "native-10-v2"]) {
      deposited.push((await deposit(pool)).id);
    }
    const to = ["--to", `0:${"5a".repeat(32)}`, "--self", ...payer, "--yes"];
    const { code, stderr } = await run(["withdraw", deposited[1], ...at, ...to]);
    assert.equal(code, 0, stderr);
  });

  await t.step("recovery finds every note of the seed in every pool, with its state", async () => {
    const known = { secrets: [state.seed.toUpperCase().replaceAll("-", " ")] };
    const { notes, pools } = await runJson(["note", "recover", ...at], phone, known);
    assert.ok(pools > 3);
    const order = ({ id }: { id: string }) => deposited.indexOf(id);
    notes.sort((a: { id: string }, b: { id: string }) => order(a) - order(b));
    assert.deepEqual(
      notes.map((
        { id, state, pool, index, isNew }: Record<string, unknown>,
      ) => [id, state, pool, index, isNew]),
      [
        [deposited[0], "deposited", "native-1", 0, true],
        [deposited[1], "withdrawn", "native-1", 1, true],
        [deposited[2], "deposited", "native-0.1", 0, true],
        [deposited[3], "deposited", "native-10-v2", 0, true],
      ],
    );
    const again = await runJson(["note", "recover", ...at], phone);
    assert.deepEqual(again.notes.map(({ isNew }: { isNew: boolean }) => isNew), [false, false, false, false]);
    const found = await notesOf(phone);
    assert.equal(found.length, 4);
    for (const { createdAt, depositedAt } of found) {
      assert.equal(Date.parse(createdAt), Date.parse(depositedAt), "a note is as old as its deposit");
    }
  });

  await t.step("a recovered note is withdrawn from the other device", async () => {
    const to = ["--to", `0:${"5b".repeat(32)}`, "--self", ...payer, "--yes"];
    const { code, stderr } = await run(["withdraw", deposited[0], ...at, ...to], phone);
    assert.equal(code, 0, stderr);
  });
}

async function sharesSeed(
  t: Deno.TestContext,
  { state, deposit, phone, deposited, runJson, at, net, payer }: Scene,
): Promise<void> {
  await t.step(
    "two devices with one seed deposit in turn, and neither deposits the other's note",
    async () => {
      state.theirs = (await deposit("native-1", phone)).id;
      const mine = (await deposit("native-1")).id;
      assert.ok(state.theirs !== mine && !deposited.includes(state.theirs) && !deposited.includes(mine));
    },
  );

  await t.step("a note that the other device has deposited is found before anything is paid", async () => {
    const { id } = await runJson(["note", "create", "native-1", ...at]);
    assert.equal(
      id,
      state.theirs,
      "without the pool, the store cannot know that the other device deposited it",
    );
    const before = await net.user.balance();
    const result = await runJson(["deposit", "--note", state.theirs, ...at, ...payer, "--yes"]);
    assert.equal(result.event, "deposited");
    assert.equal(await net.user.balance(), before, "nothing is paid");
  });
}

async function restoresSeedFromBackup({ dir, runJson, env, state, run }: Scene): Promise<void> {
  const file = `${dir}/backup.age`;
  await runJson(["note", "backup", file]);
  const fresh = { ...env, TONADO_NOTES: `${dir}/fresh.age` };
  await runJson(["note", "restore", file], fresh);
  assert.equal((await runJson(["note", "seed", "show"], fresh)).seed, state.seed);
  const busy = { ...env, TONADO_NOTES: `${dir}/busy.age` };
  const { seed: own } = await runJson(["note", "seed", "show"], busy);
  const { code, stderr } = await run(["note", "restore", file], busy);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /another seed than the backup/);
  assert.equal((await runJson(["note", "seed", "show"], busy)).seed, own);
}

async function refusesMistakes({ state, env, dir, runJson, at }: Scene): Promise<void> {
  const wrong = state.seed.slice(0, -1) + (state.seed.endsWith("0") ? "1" : "0");
  const other = { ...env, TONADO_NOTES: `${dir}/other.age` };
  const { seed: foreign } = await runJson(["note", "seed", "show"], other);
  const file = `${dir}/seed.txt`;
  await Deno.writeTextFile(file, `${state.seed}\n`);
  const cases: [string[], typeof env, TerminalUser | undefined, RegExp][] = [
    [["note", "seed", "restore"], other, { secrets: [wrong] }, /invalid_seed/],
    [["note", "seed", "restore"], env, { secrets: [foreign] }, /seed_conflict/],
    [["note", "seed", "restore", file], other, undefined, /seed_conflict/],
    [["note", "recover", ...at], { ...env, TONADO_NOTES: `${dir}/none.age` }, undefined, /no terminal/],
  ];
  for (const [args, store, person, message] of cases) {
    const { code, stdout, stderr } = await runCli(args, store, person);
    assert.match(stderr, message);
    assert.deepEqual([code === 0, stdout], [false, ""]);
    assert.ok(![state.seed, wrong, foreign].some((text) => stderr.includes(text.slice(20, 40))), stderr);
  }
  assert.equal((await runJson(["note", "seed", "show"])).seed, state.seed);
  assert.equal((await runJson(["note", "seed", "restore", file])).restored, true);
}
