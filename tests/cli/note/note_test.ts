/** `tonado note` as a depositor runs it, with a local network and a relayer. */
import assert from "node:assert/strict";
import { resolveDeployment } from "../../../src/cli/options/note_pools.ts";
import { depositNative } from "../../../src/client/deposit/deposit_native.ts";
import { createNoteRecord, noteId } from "../../../src/client/notes/note_store.ts";
import { type Deployments, formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { createNote, formatNote, type Note } from "../../../src/core/protocol/note.ts";
import { deployPool } from "../../../src/ops/deploy/deploy.ts";
import { Pool } from "../../../src/ton/pool/pool.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";

/** Starts a local network without a relayer, with an empty note store. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const dir = net.directory;
  const registry = `${dir}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const at = ["--network", "localnet", "--registry", registry];
  const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" };
  const runJson = async (args: string[], more = {}, person?: TerminalUser) => {
    const { code, stdout, stderr } = await runCli([...args, "--json"], { ...env, ...more }, person);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const state = { id: "" };
  const open = stack.move();
  return { at, env, runJson, net, registry, dir, state, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado note creates, stores, checks, backs up and restores notes", async (t) => {
  await using scene = await openScene();
  await createsAndChecks(t, scene);
  await t.step("with a successor, each note is found in its own pool", () => findsNotesOfSuccessor(scene));
  await t.step(
    "a backup restores every note elsewhere, under a passphrase of its own",
    () => restoresBackup(scene),
  );
  await refusesMistakes(t, scene);
});

async function createsAndChecks(t: Deno.TestContext, { at, env, state, runJson, net }: Scene): Promise<void> {
  await t.step("a note is created without sending anything, and named by its commitment", async () => {
    const { stdout, code, stderr } = await runCli(["note", "create", "native-1", ...at, "--quiet"], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /If you lose its passphrase, you lose its notes/, "a warning, and no progress");
    state.id = stdout.trim();
    assert.match(state.id, /^[0-9a-f]{12}$/);
    const { notes } = await runJson(["note", "show"]);
    assert.deepEqual([notes[0].id, notes[0].state, notes[0].pool], [state.id, "created", "native-1"]);
  });

  await t.step("the note itself is printed only with --reveal", async () => {
    const shown = await runCli(["note", "show", state.id], env);
    assert.ok(!shown.stdout.includes("0x"));
    const { notes: [{ note }] } = await runJson(["note", "show", state.id.slice(0, 6), "--reveal"]);
    assert.match(note, /^tonado-native-1-localnet-0x[0-9a-f]{124}$/);
  });

  await t.step(
    "check finds notes in the pool's history, with the number of deposits before and after",
    async () => {
      await net.deposit("native-1");
      const mine = await net.deposit("native-1");
      await net.deposit("native-1");
      const typed = { secrets: [formatNote(mine)] };
      assert.deepEqual(await runJson(["note", "restore"], {}, typed), { found: 1, added: 1 });
      const { notes } = await runJson(["note", "check", ...at, "--endpoint", net.localnet.url]);
      for (const note of notes) {
        for (const [name, value] of Object.entries(note)) {
          if (/At$/.test(name)) assert.match(String(value), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, name);
        }
      }
      assert.deepEqual(
        notes.map(({ state, deposits, since, leafIndex }: Record<string, unknown>) => [
          state,
          deposits,
          since,
          leafIndex,
        ]),
        [["created", 3, 3, undefined], ["deposited", 3, 1, 1]],
      );
    },
  );

  await t.step("check --quiet prints id, state and pool", async () => {
    const endpointFlags = [...at, "--endpoint", net.localnet.url];
    const { stdout } = await runCli(["note", "check", state.id, ...endpointFlags, "--quiet"], env);
    assert.equal(stdout, `${state.id}  created     native-1\n`);
  });
}

async function findsNotesOfSuccessor({ net, registry, dir, runJson, at }: Scene): Promise<void> {
  const first = net.pool("native-1");
  const successor = await deployPool({
    chain: net.chain,
    wallet: net.user,
    network: "localnet",
    asset: "native",
    amount: "1",
    owner: null,
    generation: 1,
    pollIntervalMs: 50,
  });
  const pools = new Map([...net.localnet.deployments.pools, ["native-1-g1", successor]]);
  const both: Deployments = { network: "localnet", pools };
  await Deno.writeTextFile(registry, formatDeployments(both));
  const own = { TONADO_NOTES: `${dir}/successor.age` };
  const poolOf = (text: Note, pool?: string) => {
    const record = { ...createNoteRecord(formatNote(text), 0), ...pool === undefined ? {} : { pool } };
    return resolveDeployment(record, both).address;
  };
  const { id: createdId } = await runJson(["note", "create", "native-1-g1", ...at], own);
  const older = await net.deposit("native-1");
  const newer = createNote({ asset: "native", amount: "1", network: "localnet" });
  const pool = new Pool(net.chain, successor.address);
  const { chain, user: wallet, prover } = net;
  await depositNative({
    chain,
    pool,
    network: "localnet",
    wallet,
    note: newer,
    prover,
    pollIntervalMs: 50,
  });
  for (const each of [older, newer]) {
    await runJson(["note", "restore"], own, { secrets: [formatNote(each)] });
    assert.throws(() => poolOf(each), { code: "wrong_pool", message: /native-1 or native-1-g1/ });
  }
  const { notes } = await runJson(["note", "check", ...at, "--endpoint", net.localnet.url], own);
  assert.deepEqual(
    notes.map((
      { id, state, pool, poolAddress }: Record<string, unknown>,
    ) => [id, state, pool, poolAddress]),
    [
      [createdId, "created", "native-1-g1", successor.address.toRawString()],
      [noteId(older), "deposited", "native-1", first.address.toRawString()],
      [noteId(newer), "deposited", "native-1-g1", successor.address.toRawString()],
    ],
  );
  const stored = await runJson(["note", "show"], own);
  assert.equal(stored.notes[1].poolAddress, first.address.toRawString());
  assert.ok(poolOf(older, stored.notes[1].poolAddress).equals(first.address));
  assert.ok(poolOf(newer, stored.notes[2].poolAddress).equals(successor.address));
  assert.throws(() => poolOf(newer, `0:${"0f".repeat(32)}`), { code: "wrong_pool" });
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
}

async function restoresBackup({ dir, runJson, env }: Scene): Promise<void> {
  const copy = `${dir}/copy.age`;
  assert.deepEqual(await runJson(["note", "backup", copy]), { file: copy, notes: 2 });
  const there = { TONADO_NOTES: `${dir}/other/notes.age` };
  assert.deepEqual(await runJson(["note", "restore", copy], there), { found: 2, added: 2 });
  assert.deepEqual(await runJson(["note", "restore", copy], there), { found: 2, added: 0 });
  const again = await runCli(["note", "backup", copy], env);
  assert.equal(again.code, 2, "an existing backup is not replaced");
}

async function refusesMistakes(t: Deno.TestContext, { dir, at, env }: Scene): Promise<void> {
  const mistakes: [string, string[], Record<string, string>, TerminalUser | undefined, number, RegExp][] = [
    [
      "a wrong passphrase",
      ["note", "show"],
      { TONADO_PASSPHRASE: "wrong horse battery" },
      undefined,
      1,
      /wrong_passphrase/,
    ],
    [
      "no passphrase, no terminal",
      ["note", "show"],
      { TONADO_PASSPHRASE: "" },
      undefined,
      2,
      /TONADO_PASSPHRASE_FILE/,
    ],
    ["no store", ["note", "show"], { TONADO_NOTES: `${dir}/none` }, undefined, 1, /there is no note store/],
    ["an unknown note", ["note", "show", "zz"], {}, undefined, 1, /tonado note show/],
    ["an unknown pool", ["note", "create", "native-7", ...at], {}, undefined, 2, /native-1,/],
    [
      "a short passphrase for a new store",
      ["note", "create", "native-1", ...at],
      {
        TONADO_NOTES: `${dir}/new`,
        TONADO_PASSPHRASE: "short",
      },
      undefined,
      2,
      /10 characters/,
    ],
    [
      "two passphrases that differ",
      ["note", "create", "native-1", ...at],
      {
        TONADO_NOTES: `${dir}/new`,
        TONADO_PASSPHRASE: "",
      },
      { secrets: Array(3).fill(["a passphrase", "another one."]).flat() },
      2,
      /not the same/,
    ],
    [
      "half a note",
      ["note", "restore"],
      {},
      { secrets: ["tonado-native-1-localnet-0x12"] },
      1,
      /invalid_note/,
    ],
  ];
  for (const [mistake, args, more, person, status, message] of mistakes) {
    await t.step(`${mistake} is reported with the next step`, async () => {
      const { code, stderr, stdout } = await runCli(args, { ...env, ...more }, person);
      assert.match(stderr, message);
      assert.deepEqual([code, stdout], [status, ""]);
      for (const secret of Object.values(more)) {
        if (secret && !secret.includes("/")) assert.ok(!stderr.includes(secret));
      }
    });
  }
}
