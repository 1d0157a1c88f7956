import { deepEqual, equal, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { MAX_SNAPSHOT_BYTES } from "../../tree/snapshot_codec.ts";
import { createTreeSnapshotFiles } from "./tree_snapshot_files.ts";
import { childCommand } from "../../../testkit/programs/child_command.ts";

const pool = `0:${"ab".repeat(32)}`;
const other = `0:${"cd".repeat(32)}`;
const name = `tree-0_${"ab".repeat(32)}.bin`;
const key = new Uint8Array(32);
const namesIn = async (directory: string) =>
  (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name).sort();

const saving = (directory: string) =>
  childCommand(Deno.execPath(), {
    args: [
      "eval",
      "--no-check",
      `import { createTreeSnapshotFiles } from ${
        JSON.stringify(new URL("tree_snapshot_files.ts", import.meta.url).href)
      };
       const files = createTreeSnapshotFiles(${JSON.stringify(directory)}, new Uint8Array(32), 1e9);
       for (;;) await files.save(${JSON.stringify(pool)}, new Uint8Array(30_000_000));`,
    ],
    stdin: "null",
  }).spawn();

Deno.test("the drafts of a process that was killed while saving are removed at the next start", () =>
  withTempDirectory(async (directory) => {
    const leftovers = async () => (await namesIn(directory)).filter((found) => found !== name);
    while ((await leftovers()).length === 0) { // a kill may come between two files
      const process = saving(directory);
      while ((await leftovers()).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      process.kill("SIGKILL");
      await process.status;
    }
    const kept = ["tonado.kv", `${name}.old`, `tree-0_${"cd".repeat(32)}.bin.${crypto.randomUUID()}`].sort();
    for (const each of kept) await Deno.writeTextFile(`${directory}/${each}`, "");
    await createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES).load(pool);
    deepEqual(await leftovers(), kept);
    await createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES).load(other);
    deepEqual(await leftovers(), kept.filter((each) => !each.includes("cd")));
  }));

Deno.test("a directory that is not there has no tree", () =>
  withTempDirectory(async (directory) => {
    equal(await createTreeSnapshotFiles(`${directory}/none`, key, MAX_SNAPSHOT_BYTES).load(pool), undefined);
    deepEqual(await namesIn(directory), []);
  }));

const odd: [what: string, make: (path: string, elsewhere: string) => Promise<void>][] = [
  ["a link to a file", (path, elsewhere) => Deno.symlink(elsewhere, path)],
  ["a link to nothing", (path) => Deno.symlink("/nowhere/at/all", path)],
  ["a directory", (path) => Deno.mkdir(path)],
  ["a pipe", async (path) => {
    const { success } = await childCommand("mkfifo", { args: [path] }).output();
    equal(success, true);
  }],
];
for (const [what, make] of odd) {
  Deno.test(`tree files: ${what} is neither read nor replaced`, () =>
    withTempDirectory(async (directory) => {
      const elsewhere = `${directory}/elsewhere`;
      await Deno.writeTextFile(elsewhere, "somebody else's");
      await make(`${directory}/${name}`, elsewhere);
      const before = await Deno.lstat(`${directory}/${name}`);
      const files = createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES);
      await rejects(files.load(pool), /not a regular file/);
      await rejects(files.save(pool, new Uint8Array(1)), /not a regular file/);
      equal((await Deno.lstat(`${directory}/${name}`)).ino, before.ino);
      equal(await Deno.readTextFile(elsewhere), "somebody else's");
      deepEqual(await namesIn(directory), ["elsewhere", name].sort());
    }));
}

Deno.test("a file above the maximum size is not read", () =>
  withTempDirectory(async (directory) => {
    const files = createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES);
    await files.save(pool, new Uint8Array([7]));
    deepEqual(await files.load(pool), new Uint8Array([7]));
    await Deno.truncate(`${directory}/${name}`, MAX_SNAPSHOT_BYTES + 1);
    await rejects(files.load(pool), /larger than any tree/);
    await files.save(pool, new Uint8Array([8]));
    deepEqual(await files.load(pool), new Uint8Array([8]));
  }));

Deno.test("files of several chunks are written and read whole", () =>
  withTempDirectory(async (directory) => {
    const files = createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES);
    const bytes = Uint8Array.from({ length: 2 ** 21 + 3 }, (_, i) => i % 251);
    await files.save(pool, bytes);
    equal(Buffer.compare((await files.load(pool))!, bytes), 0);
  }));
