/** `tonado store` where there is no store: what only looks makes none. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { openPostgresStore } from "../../src/store/postgres/postgres_store.ts";
import { inDirectory } from "../support/directory.ts";
import { postgresCommand } from "../support/postgres_command.ts";
import { fromSources } from "../support/program.ts";
import { freshDatabase, postgresServer } from "../support/services.ts";

async function store(args: string[], cwd: string, env: Record<string, string> = {}) {
  const [program, ...before] = fromSources;
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...before, "store", ...args],
    cwd,
    env,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
const look = [["check"], ["check", "--data-dir", "nowhere"], ["export", "relayer.jsonl"]];

for (const args of look) {
  Deno.test(`store ${args.join(" ")} in an empty folder writes nothing, and says what to name`, () =>
    inDirectory(async (dir) => {
      const { code, stdout, stderr } = await store(args, dir);
      assert.deepEqual([code, stdout], [1, ""], stderr);
      assert.match(stderr, /there is no store in \S+ \[unknown_store\]\nName one with --data-dir, /);
      assert.deepEqual(Deno.readDirSync(dir).toArray(), []);
    }));
}

Deno.test("a store that an import made is there, and a refused import leaves nothing behind", () =>
  inDirectory(async (dir) => {
    const names = () => Deno.readDirSync(dir).toArray().map(({ name }) => name).sort();
    assert.equal((await store(["import", "/dev/null", "--data-dir", "kv"], dir)).code, 2);
    assert.deepEqual(names(), []);
    const head = `${JSON.stringify({ format: "tonado-store", version: 1, exportedAt: "2026-01-01" })}\n`;
    const sha256 = createHash("sha256").update(head).digest("hex");
    await Deno.writeTextFile(`${dir}/empty.jsonl`, `${head}${JSON.stringify({ rows: 0, sha256 })}\n`);
    assert.equal((await store(["import", "empty.jsonl", "--data-dir", "kv"], dir)).code, 0);
    assert.deepEqual(names(), ["empty.jsonl", "kv"]);
    assert.equal((await store(["check", "--data-dir", "kv"], dir)).code, 0);
  }));

Deno.test({
  name: "a refused import makes no tables in an empty database",
  ignore: !await postgresServer(),
  fn: () =>
    inDirectory(async (dir) => {
      await using database = await freshDatabase();
      const env = { DATABASE_URL: database.url };
      assert.equal((await store(["import", "/dev/null"], dir, env)).code, 2);
      await assert.rejects(openPostgresStore(database.url, { create: false }), { code: "unknown_store" });
    }),
});

Deno.test({
  name: "store check of an empty database makes no tables, and of old ones says what brings them up to date",
  ignore: !await postgresServer(),
  fn: () =>
    inDirectory(async (dir) => {
      await using database = await freshDatabase();
      const env = { DATABASE_URL: database.url };
      for (const _ of [1, 2]) {
        const { code, stderr } = await store(["check"], dir, env);
        assert.equal(code, 1, stderr);
        assert.match(stderr, /there is no store in the database \[unknown_store\]/);
        await assert.rejects(openPostgresStore(database.url, { create: false }), { code: "unknown_store" });
      }
      assert.equal((await store(["migrate"], dir, env)).code, 0);
      assert.equal((await store(["check"], dir, env)).code, 0);
      await postgresCommand(
        database.url,
        "delete from schema_version where version = (select max(version) from schema_version)",
      );
      const old = await store(["check"], dir, env);
      assert.equal(old.code, 2, old.stderr);
      assert.match(old.stderr, /its tables are of version \d+, not \d+ .*\n`tonado store migrate`/);
    }),
});
