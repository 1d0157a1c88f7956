/**
 * Notes that share a short id or a nullifier: each has its own state, and `deposit` refuses a note that
 * cannot be withdrawn.
 */
import assert from "node:assert/strict";
import { createNoteSeed, deriveNote, formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";

/** Starts a local network whose pool of 0.1 GRAM has two deposits. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await startCliFixture({ relayer: false }));
  const { net, directory, networkFlags: at, payerFlags: payer } = fixture;
  const deposited = await net.deposit("native-0.1");
  const other = formatNote(await net.deposit("native-0.1"));
  const storeEnv = (name: string) => ({ ...fixture.env, TONADO_NOTES: `${directory}/${name}.age` });
  const run = async (env: Record<string, string>, args: string[], user?: TerminalUser) => {
    const { code, stdout, stderr } = await runCli(args, env, user);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const states = async (env: Record<string, string>) =>
    JSON.parse((await run(env, ["note", "show", "--json"])).stdout).notes.map(
      ({ id, pool, state }: Record<string, string>) => [id, pool, state],
    );
  const open = stack.move();
  return {
    storeEnv,
    net,
    run,
    at,
    states,
    payer,
    deposited,
    other,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("notes that share a short id or a nullifier", async (t) => {
  await using scene = await openScene();
  await t.step(
    "a derived note is skipped if the store has its secrets for another pool",
    () => skipsKnownSecrets(scene),
  );
  await t.step(
    "deposit names and changes the given note, not the earlier one with the same id",
    () => depositsNamedNote(scene),
  );
  await reportsSharedNullifier(t, scene);
});

async function skipsKnownSecrets({ storeEnv, net, run, at, states }: Scene): Promise<void> {
  const env = storeEnv("create");
  const seed = createNoteSeed();
  const first = deriveNote(seed, "localnet", net.localnet.deployments.pools.get("native-0.1")!, 0);
  await run(env, ["note", "seed", "restore"], { secrets: [formatNoteSeed(seed).reveal()] });
  await run(env, ["note", "restore"], { secrets: [formatNote(first).replace("native-0.1", "native-1")] });
  const create = async (...args: string[]) => (await run(env, ["note", "create", ...args, ...at])).stdout;
  const second = (await create("native-0.1", "--quiet")).trim();
  const third = JSON.parse(await create("native-0.1", "--json")).id;
  assert.match(await create("native-0.1"), /Deposit it: tonado deposit --note [0-9a-f]{12} /);
  assert.deepEqual((await states(env)).slice(0, 3), [
    [noteId(first), "native-1", "created"],
    [second, "native-0.1", "created"],
    [third, "native-0.1", "created"],
  ]);
  assert.equal(new Set([noteId(first), second, third]).size, 3);
}

async function depositsNamedNote({ storeEnv, run, at, payer, states }: Scene): Promise<void> {
  const env = storeEnv("deposit");
  const note = createNote({ asset: "native", amount: "1", network: "localnet" });
  const id = noteId(note);
  for (const each of [note, { ...note, amount: "0.1" }]) {
    await run(env, ["note", "restore"], { secrets: [formatNote(each)] });
  }
  const flags = [...at, ...payer, "--yes", "--json"];
  const { stdout } = await run(env, ["deposit", "--note", `${id}-2`, ...flags]);
  const events = parseJsonLines(stdout).filter(({ event }) => event === "kept" || event === "deposited");
  assert.ok(events.length > 0);
  assert.deepEqual(events.map(({ id }) => id), Array(events.length).fill(`${id}-2`));
  assert.deepEqual(await states(env), [
    [id, "native-1", "created"],
    [`${id}-2`, "native-0.1", "deposited"],
  ]);
}

async function reportsSharedNullifier(
  t: Deno.TestContext,
  { deposited, storeEnv, other, run, states, at, net, payer }: Scene,
): Promise<void> {
  const text = formatNote(deposited);
  const twin = text.slice(0, -62) + "33".repeat(31); // the same nullifier, another secret
  const env = storeEnv("twins");
  const restored: { readonly stderr: string }[] = [];
  for (const secrets of [[text], [other], [twin]]) {
    restored.push(await run(env, ["note", "restore"], { secrets }));
  }
  const [[id], [unrelated], [twinId]] = await states(env);
  const warning = `warning: notes ${
    [id, twinId].sort().join(" and ")
  } have the same nullifier: only one of them can ever be paid\n`;

  await t.step("restore warns of a shared nullifier", () => {
    assert.equal(id, noteId(deposited));
    assert.deepEqual(restored.map(({ stderr }) => stderr.includes(warning)), [false, false, true]);
  });

  await t.step(
    "show and check report a shared nullifier for both notes, and for no other",
    async () => {
      const network = at;
      for (const args of [["note", "show"], ["note", "check", ...network]]) {
        const { stdout, stderr } = await run(env, [...args, "--json"]);
        const shared = JSON.parse(stdout).notes.map((note: Record<string, unknown>) => note.sameNullifier);
        assert.deepEqual(shared, [[twinId], undefined, [id]]);
        assert.ok(stderr.includes(JSON.stringify({ notice: warning.trim() })), stderr);
        assert.ok((await run(env, [...args, id])).stderr.includes(warning));
        assert.doesNotMatch((await run(env, [...args, unrelated])).stderr, /nullifier/);
      }
    },
  );

  await t.step(
    "deposit refuses a note that shares its nullifier with a deposited note, and sends nothing",
    async () => {
      await run(env, ["note", "check", ...at]);
      const leaves = await net.contract("native-0.1").getNextIndex();
      for (const args of [[...payer, "--yes"], ["--json"]]) {
        const { code, stdout, stderr } = await runCli(["deposit", "--note", twinId, ...at, ...args], env);
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(
          stderr,
          new RegExp(
            `note ${twinId} has the same nullifier as note ${id}, which is deposited: only one of them can ever be paid`,
          ),
        );
      }
      assert.equal(await net.contract("native-0.1").getNextIndex(), leaves);
    },
  );

  await t.step(
    "deposit accepts a note that shares its nullifier only with a note that was never deposited",
    async () => {
      const pair = storeEnv("pair");
      for (const secret of ["44", "55"]) {
        const note = text.slice(0, -124) + "66".repeat(31) + secret.repeat(31);
        await run(pair, ["note", "restore"], { secrets: [note] });
      }
      const [[first], [second]] = await states(pair);
      const { stdout } = await run(pair, ["deposit", "--note", second, ...at, ...payer, "--yes", "--quiet"]);
      assert.equal(stdout, `${second}\n`);
      assert.equal((await runCli(["deposit", "--note", first, ...at, ...payer, "--yes"], pair)).code, 1);
    },
  );
}
