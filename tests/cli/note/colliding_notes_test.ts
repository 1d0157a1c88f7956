/** Notes that share a short id or a nullifier: each keeps its own state, and no one pays for a note that cannot be paid. */
import assert from "node:assert/strict";
import { createNoteSeed, deriveNote, formatNoteSeed } from "../../../src/core/protocol/seed/note_seed.ts";
import { createNote, formatNote } from "../../../src/core/protocol/note.ts";
import { noteId } from "../../../src/client/notes/note_store.ts";
import { parseJsonLines, startCliFixture } from "../../support/cli/cli_fixture.ts";
import { runCli, type TerminalUser } from "../../support/cli/run_cli.ts";

Deno.test("notes that share a short id or a nullifier", async (t) => {
  await using scene = await startCliFixture({ relayer: false });
  const { net, directory, networkFlags: at, payerFlags: payer } = scene;
  const deposited = await net.deposit("native-0.1");
  const other = formatNote(await net.deposit("native-0.1"));
  const storeEnv = (name: string) => ({ ...scene.env, TONADO_NOTES: `${directory}/${name}.age` });
  const run = async (env: Record<string, string>, args: string[], user?: TerminalUser) => {
    const { code, stdout, stderr } = await runCli(args, env, user);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const states = async (env: Record<string, string>) =>
    JSON.parse((await run(env, ["note", "show", "--json"])).stdout).notes.map(
      ({ id, pool, state }: Record<string, string>) => [id, pool, state],
    );

  await t.step("a derived note whose secrets the store has for another pool is skipped", async () => {
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
  });

  await t.step(
    "deposit names and changes the note that it was given, not the earlier one with its id",
    async () => {
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
    },
  );

  const text = formatNote(deposited);
  const twin = text.slice(0, -62) + "33".repeat(31); // another secret
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
    "show and check report a shared nullifier for each of both notes, and for no other",
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

  await t.step("deposit refuses a note whose nullifier a deposited note has, and sends nothing", async () => {
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
  });

  await t.step(
    "deposit accepts a note whose nullifier only a note has that was never deposited",
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
});
