/** `tonado store` without a store: commands that only read do not create one. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mnemonicNew } from "@ton/crypto";
import { decodeValue, encodeValue, storeKeys } from "../../../src/store/kv/codec.ts";
import { openKvStore, STORE_VERSION } from "../../../src/store/kv/kv_store.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { postgresQuery } from "../../../testkit/servers/postgres_query.ts";
import { sourceCommand } from "../../../testkit/programs/program.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { serveCommand } from "../../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

/** Runs the program in the folder `cwd`. */
async function startStore(args: string[], cwd: string, env: Record<string, string> = {}) {
  const [program, ...before] = sourceCommand();
  const { code, stdout, stderr } = await childCommand(program, {
    args: [...before, "store", ...args],
    cwd,
    env,
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs the command in this process. */
const store = (args: string[], env?: Record<string, string>) => runCli(["store", ...args], env);

const look = [["check"], ["check", "--data-dir", "nowhere"], ["export", "relayer.jsonl"]];

for (const args of look) {
  Deno.test(`store ${args.join(" ")} in an empty folder writes nothing, and names the flag to set`, () =>
    withTempDirectory(async (dir) => {
      const { code, stdout, stderr } = await startStore(args, dir);
      assert.deepEqual([code, stdout], [1, ""], stderr);
      assert.match(stderr, /there is no store in \S+ \[unknown_store\]\nName one with --data-dir, /);
      assert.deepEqual(Deno.readDirSync(dir).toArray(), []);
    }));
}

Deno.test("an imported store exists, and a refused import leaves nothing behind", () =>
  withTempDirectory(async (dir) => {
    const at = ["--data-dir", `${dir}/kv`];
    const names = () => Deno.readDirSync(dir).toArray().map(({ name }) => name).sort();
    assert.equal((await store(["import", "/dev/null", ...at])).code, 2);
    assert.deepEqual(names(), []);
    const head = `${JSON.stringify({ format: "tonado-store", version: 1, exportedAt: "2026-01-01" })}\n`;
    const sha256 = createHash("sha256").update(head).digest("hex");
    await Deno.writeTextFile(`${dir}/empty.jsonl`, `${head}${JSON.stringify({ rows: 0, sha256 })}\n`);
    assert.equal((await store(["import", `${dir}/empty.jsonl`, ...at])).code, 0);
    assert.deepEqual(names(), ["empty.jsonl", "kv"]);
    const { code, stdout } = await store(["check", ...at]);
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}ok +\S/);
    const { sound, checks } = JSON.parse((await store(["check", ...at, "--json"])).stdout);
    assert.deepEqual([sound, checks.every(({ holds }: { holds: boolean }) => holds)], [true, true]);
    assert.equal(checks.length, stdout.trim().split("\n").length);
  }));

Deno.test({
  name: "a refused import creates no tables in an empty database",
  ignore: !await postgresServer(),
  fn: () =>
    withTempDirectory(async (dir) => {
      await using database = await freshDatabase();
      const env = { DATABASE_URL: database.url };
      assert.equal((await startStore(["import", "/dev/null"], dir, env)).code, 2);
      await assert.rejects(openPostgresStore(database.url, { create: false }), { code: "unknown_store" });
    }),
});

Deno.test({
  name: "store check creates no tables in an empty database, and names the upgrade for old ones",
  ignore: !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    const env = { DATABASE_URL: database.url };
    for (const _ of [1, 2]) {
      const { code, stderr } = await store(["check"], env);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /there is no store in the database \[unknown_store\]/);
      await assert.rejects(openPostgresStore(database.url, { create: false }), { code: "unknown_store" });
    }
    assert.equal((await store(["migrate"], env)).code, 0);
    assert.equal((await store(["check"], env)).code, 0);
    await postgresQuery(
      database.url,
      "delete from schema_version where version = (select max(version) from schema_version)",
    );
    const old = await store(["check"], env);
    assert.equal(old.code, 2, old.stderr);
    assert.match(
      old.stderr,
      /its schema has version \d+, not \d+ .*\nFor an older schema run `tonado store migrate`/,
    );
  },
});

Deno.test("a newer layout of the embedded store is refused by serve and store check, and not changed", () =>
  withTempDirectory(async (dir) => {
    await (await openKvStore(`${dir}/data`)).close();
    const written = async (value?: number) => {
      using kv = await Deno.openKv(`${dir}/data/tonado.kv`);
      if (value !== undefined) await kv.set(storeKeys.version, encodeValue(value));
      const entries = await Array.fromAsync(kv.list({ prefix: [] }));
      return entries.map(({ key, value }) => [key, value]);
    };
    const before = await written(STORE_VERSION + 1);
    const { code, stderr } = await startStore(["check"], dir);
    assert.equal(code, 2);
    const refusal = `has version ${STORE_VERSION + 1}, but this release supports version ${STORE_VERSION}`;
    assert.ok(stderr.includes(`${refusal}: use a newer release`), stderr);
    const served = await childCommand(Deno.execPath(), {
      args: serveCommand(),
      cwd: dir,
      env: {
        RELAYER_WALLET_MNEMONIC: (await mnemonicNew()).join(" "),
        RELAYER_NETWORK: "testnet",
        INDEXER_URL: "http://127.0.0.1:1",
        RELAYER_PORT: "0",
      },
    }).output();
    assert.equal(served.code, 2);
    assert.ok(new TextDecoder().decode(served.stderr).includes(refusal));
    assert.deepEqual(await written(), before);
  }));

Deno.test("an older layout of the embedded store is upgraded when it is opened", () =>
  withTempDirectory(async (dir) => {
    await (await openKvStore(dir)).close();
    const version = async (value?: number) => {
      using kv = await Deno.openKv(`${dir}/tonado.kv`);
      if (value !== undefined) await kv.set(storeKeys.version, encodeValue(value));
      return decodeValue((await kv.get<Uint8Array>(storeKeys.version)).value!);
    };
    assert.equal(await version(1), 1);
    await (await openKvStore(dir)).close();
    assert.equal(await version(), STORE_VERSION);
  }));
