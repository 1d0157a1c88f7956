/** Notes derived from the seed: deposited on one device, recovered on another one from the seed alone. */
import assert from "node:assert/strict";
import { decodeQrCodes } from "../../support/cli/qr_codes.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";

Deno.test("tonado note seed and recover", async (t) => {
  await using scene = await startCliFixture({ relayer: false });
  const { directory: dir, networkFlags: at, env, payerFlags: payer, net } = scene;
  const phone = { ...env, TONADO_NOTES: `${dir}/phone.age`, TONADO_PASSPHRASE: "another passphrase" };
  let seed = "";
  const run = async (args: string[], of = env, person?: TerminalUser) => {
    const result = await runCli(args, of, person);
    assert.ok(seed === "" || !(result.stderr + result.stdout).includes(seed) || args[1] === "seed");
    return result;
  };
  const json = async (args: string[], of = env, person?: TerminalUser) => {
    const { code, stdout, stderr } = await run([...args, "--json"], of, person);
    assert.equal(code, 0, stderr);
    const lines = parseJsonLines(stdout);
    return lines[lines.length - 1];
  };
  const deposit = (pool: string, of = env) => json(["deposit", pool, ...at, ...payer, "--yes"], of);
  const notesOf = async (of: typeof env) => (await json(["note", "show"], of)).notes;
  const deposited: string[] = [];
  let theirs = "";

  await t.step("the seed is created once, and printed with a QR code that says the same", async () => {
    const qr = `${dir}/seed.svg`;
    ({ seed } = await json(["note", "seed", "show", "--qr", qr]));
    assert.match(seed, /^tonado-seed(-[0-9a-hjkmnp-tv-z]{4}){14}$/);
    assert.equal((await run(["note", "seed", "show", "--quiet"])).stdout, `${seed}\n`);
    assert.deepEqual(decodeQrCodes(await Deno.readTextFile(qr)), [seed]);
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
    const known = { secrets: [seed.toUpperCase().replaceAll("-", " ")] };
    const { notes, pools } = await json(["note", "recover", ...at], phone, known);
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
    const again = await json(["note", "recover", ...at], phone);
    assert.deepEqual(again.notes.map(({ isNew }: { isNew: boolean }) => isNew), [false, false, false, false]);
    assert.equal((await notesOf(phone)).length, 4);
  });

  await t.step("a recovered note is withdrawn from the other device", async () => {
    const to = ["--to", `0:${"5b".repeat(32)}`, "--self", ...payer, "--yes"];
    const { code, stderr } = await run(["withdraw", deposited[0], ...at, ...to], phone);
    assert.equal(code, 0, stderr);
  });

  await t.step("two devices with one seed take turns: neither deposits the other's note", async () => {
    theirs = (await deposit("native-1", phone)).id;
    const mine = (await deposit("native-1")).id;
    assert.ok(theirs !== mine && !deposited.includes(theirs) && !deposited.includes(mine));
  });

  await t.step("a note that the other device has deposited is found before anything is paid", async () => {
    const { id } = await json(["note", "create", "native-1", ...at]);
    assert.equal(id, theirs, "without the pool, the store cannot know that the other device deposited it");
    const before = await net.user.balance();
    const result = await json(["deposit", "--note", theirs, ...at, ...payer, "--yes"]);
    assert.equal(result.event, "deposited");
    assert.equal(await net.user.balance(), before, "nothing is paid");
  });

  await t.step("a backup brings the seed back, unless the store has another one", async () => {
    const file = `${dir}/backup.age`;
    await json(["note", "backup", file]);
    const fresh = { ...env, TONADO_NOTES: `${dir}/fresh.age` };
    await json(["note", "restore", file], fresh);
    assert.equal((await json(["note", "seed", "show"], fresh)).seed, seed);
    const busy = { ...env, TONADO_NOTES: `${dir}/busy.age` };
    const { seed: own } = await json(["note", "seed", "show"], busy);
    const { code, stderr } = await run(["note", "restore", file], busy);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /another seed than the backup/);
    assert.equal((await json(["note", "seed", "show"], busy)).seed, own);
  });

  await t.step("mistakes are reported without the seed, and change nothing", async () => {
    const wrong = seed.slice(0, -1) + (seed.endsWith("0") ? "1" : "0");
    const other = { ...env, TONADO_NOTES: `${dir}/other.age` };
    const { seed: foreign } = await json(["note", "seed", "show"], other);
    const file = `${dir}/seed.txt`;
    await Deno.writeTextFile(file, `${seed}\n`);
    const cases: [string[], typeof env, TerminalUser | undefined, RegExp][] = [
      [["note", "seed", "restore"], other, { secrets: [wrong] }, /invalid_seed/],
      [["note", "seed", "restore"], env, { secrets: [foreign] }, /seed_conflict/],
      [["note", "seed", "restore", file], other, undefined, /seed_conflict/],
      [["note", "recover", ...at], { ...env, TONADO_NOTES: `${dir}/none.age` }, undefined, /no terminal/],
    ];
    for (const [args, of, person, says] of cases) {
      const { code, stdout, stderr } = await runCli(args, of, person);
      assert.match(stderr, says);
      assert.deepEqual([code === 0, stdout], [false, ""]);
      assert.ok(![seed, wrong, foreign].some((text) => stderr.includes(text.slice(20, 40))), stderr);
    }
    assert.equal((await json(["note", "seed", "show"])).seed, seed);
    assert.equal((await json(["note", "seed", "restore", file])).restored, true);
  });
});
