/** Concurrent runs of `tonado ceremony` on one folder: one succeeds, the others are refused, and existing files are kept. */
import assert from "node:assert/strict";
import { circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import { diskFolder } from "../../../src/ops/ceremony/files/disk_folder.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";
import { insecurePowersOfTau } from "../../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../../src/ops/ceremony/rehearsal/tiny_circuits.ts";

/** Writes the inputs of a ceremony, and returns its commands. */
async function openScene(folder: string) {
  const at = (name: string) => `${folder}/${name}`;
  await Deno.writeFile(at("powers.ptau"), insecurePowersOfTau(TINY_POWER));
  for (const circuit of circuitsOfVersion[1]) await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
  await Deno.writeTextFile(at("dice"), "6 2 5 1 3");
  const init = ["init", at("c"), "--powers", at("powers.ptau"), "--circuits", folder];
  const contribute = (
    name: string,
  ) => ["contribute", at("c"), "--name", name, "--entropy-file", at("dice")];
  const beacon = ["beacon", at("c"), "--value", "ab".repeat(32)];
  const ceremony = (args: string[]) => runCli(["ceremony", ...args]);
  const listing = () => [...Deno.readDirSync(at("c"))].map(({ name }) => name).sort();
  const refuses = ({ code, stdout, stderr }: Awaited<ReturnType<typeof runCli>>) => {
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, /another run uses this folder.*\[folder_in_use\]/);
  };
  return { at, ceremony, init, listing, contribute, refuses, beacon };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("tonado ceremony: one run at a time works on a folder", (t) =>
  withTempDirectory(async (folder) => {
    const scene = await openScene(folder);
    await t.step("init leaves a foreign key unchanged, and resumes its own", () => keepsForeignKey(scene));
    await locksFolder(t, scene);
    await handlesOddLocks(t, scene);
  }));

async function keepsForeignKey({ at, ceremony, init, listing }: Scene): Promise<void> {
  await Deno.mkdir(at("c"));
  await Deno.writeTextFile(at("c/withdraw.0.zkey"), "another program's file");
  const { code, stderr } = await ceremony(init);
  assert.equal(code, 1, stderr);
  assert.match(
    stderr,
    /withdraw\.0\.zkey already exists in this folder with another key and is not replaced/,
  );
  assert.equal(await Deno.readTextFile(at("c/withdraw.0.zkey")), "another program's file");
  assert.deepEqual(listing(), ["withdraw.0.zkey"]);
  await Deno.remove(at("c/withdraw.0.zkey"));
  assert.equal((await ceremony(init)).code, 0);
  await Deno.remove(at("c/transcript.json")); // as after an interrupted run
  assert.equal((await ceremony(init)).code, 0);
}

async function locksFolder(
  t: Deno.TestContext,
  { ceremony, contribute, refuses, at, listing, init, beacon }: Scene,
): Promise<void> {
  await t.step("one of three concurrent contributions succeeds, and the folder verifies", async () => {
    const runs = await Promise.all(["Alice", "Bob", "Carol"].map((name) => ceremony(contribute(name))));
    assert.deepEqual(runs.map(({ code }) => code).sort(), [0, 1, 1]);
    for (const run of runs.filter(({ code }) => code !== 0)) refuses(run);
    const { code, stdout } = await ceremony(["verify", at("c"), "--json"]);
    assert.equal(code, 0, stdout);
    assert.equal(JSON.parse(await Deno.readTextFile(at("c/transcript.json"))).entries.length, 1);
    const keys = ["deposit.0.zkey", "deposit.1.zkey", "withdraw.0.zkey", "withdraw.1.zkey"];
    assert.deepEqual(listing(), [...keys.slice(0, 2), "transcript.json", ...keys.slice(2)]);
  });

  await t.step(
    "init, contribute and beacon fail at once while the folder is locked; reading needs no lock",
    async () => {
      {
        using _ = await diskFolder(at("c")).lock();
        const before = await Deno.readTextFile(at("c/transcript.json"));
        for (const args of [init, contribute("Dave"), beacon]) refuses(await ceremony(args));
        assert.equal((await ceremony(["verify", at("c")])).code, 0);
        assert.equal(await Deno.readTextFile(at("c/transcript.json")), before);
      }
      assert.equal((await ceremony(contribute("Dave"))).code, 0, "the lock is released");
    },
  );
}

async function handlesOddLocks(
  t: Deno.TestContext,
  { at, ceremony, contribute, beacon }: Scene,
): Promise<void> {
  await t.step(
    "the lock of a crashed process is ignored, and a lock that is not a file is not opened",
    async () => {
      await Deno.writeTextFile(at("c/.ceremony.lock"), "");
      assert.equal((await ceremony(contribute("Erin"))).code, 0);
      await Deno.symlink(at("dice"), at("c/.ceremony.lock"));
      const { code, stderr } = await ceremony(contribute("Frank"));
      assert.match(stderr, /cannot be written: the lock file .*\.ceremony\.lock is not a regular file/);
      assert.equal(code, 1);
      await Deno.remove(at("c/.ceremony.lock"));
    },
  );

  await t.step("no lock is created in a folder without a ceremony", async () => {
    const { code } = await ceremony(["beacon", at("none"), ...beacon.slice(2)]);
    assert.equal(code, 1);
    await assert.rejects(Deno.stat(at("none")), Deno.errors.NotFound);
  });
}

Deno.test("a run whose lock file another run replaced has no lock", () =>
  withTempDirectory(async (folder) => {
    const { open } = Deno;
    Deno.open = async (path, options) => {
      const file = await open(path, options);
      await Deno.remove(path);
      await Deno.writeTextFile(path, "another run's lock");
      return file;
    };
    try {
      await assert.rejects(diskFolder(folder).lock(), { code: "folder_in_use" });
    } finally {
      Deno.open = open;
    }
    using _lock = await diskFolder(folder).lock();
  }));
