/** Runs the documentation's blocks that are marked `sh run`. They name a public network, a server or system folders, which the test replaces; everything else runs unchanged. tests/guides/newcomer.sh runs the blocks marked `sh play`. */
import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { parse } from "yaml";
import { buildContext } from "../compiled/deployment_files.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { listRepositoryFiles } from "../support/docs/repository_files.ts";
import { findCodeBlock } from "../support/docs/code_blocks.ts";
import { createShellFolder } from "../support/docs/shell_blocks.ts";
import { runCli } from "../support/cli/run_cli.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { hasProgram } from "../support/system/requirements.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { omit } from "../../src/core/omit.ts";
import { answers, run } from "../support/docs/guide_runs.ts";
import metadata from "../../deno.json" with { type: "json" };

const root = new URL("../../", import.meta.url).pathname;

/** Starts a localnet without pools, and a shell folder with an operator's wallet. */
async function openScene(dir: string) {
  await using stack = new AsyncDisposableStack();
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  stack.defer(() => net.close());
  const env = { INDEXER_URL: net.url };
  const testnet = ["--network testnet", "--network localnet"] as const;
  const mainnet = ["--network mainnet", "--network localnet"] as const;
  const confirmed = ["tonado deploy", "tonado deploy --yes"] as const; // no user is there to confirm
  const folder = async (name: string) => {
    await Deno.mkdir(`${dir}/${name}`);
    await Deno.writeTextFile(`${dir}/${name}/wallet.txt`, net.wallets[0].mnemonic);
    return await createShellFolder(`${dir}/${name}`);
  };
  const operator = await folder("operator");
  const readPools = async (): Promise<Record<string, { address: string }>> =>
    JSON.parse(await Deno.readTextFile(`${operator.dir}/deployments/localnet.json`)).pools;
  const open = stack.move();
  return {
    net,
    operator,
    env,
    testnet,
    confirmed,
    readPools,
    mainnet,
    folder,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("docs/operating.md, docs/migration.md: pools of coins and jettons, their audits and successors", (t) =>
  withTempDirectory(async (dir) => {
    await using scene = await openScene(dir);
    await t.step("a pool, its successor, and a pool of jettons", () => deploysPools(scene));
    await audits(t, scene);
    await t.step(
      "a successor without an owner, and its audit through another endpoint",
      () => deploysSuccessor(scene),
    );
  }));

async function deploysPools({ net, operator, env, testnet, confirmed, readPools }: Scene): Promise<void> {
  const first = await findCodeBlock(
    "docs/operating.md",
    "tonado deploy --network testnet --amount 10 --mnemonic",
  );
  const second = await findCodeBlock(
    "docs/operating.md",
    "tonado deploy --network testnet --amount 10 --gen",
  );
  const jettons = await findCodeBlock(
    "docs/operating.md",
    "tonado deploy --network testnet --asset EQ...",
  );
  const master = net.jetton.master.toString({ testOnly: true });
  for (const block of [first, second]) await operator.run(block, env, [testnet, confirmed]);
  await operator.run(jettons, env, [testnet, confirmed, ["EQ...", master]]);
  assert.deepEqual(Object.keys(await readPools()).sort(), ["jet-100", "native-10", "native-10-g1"]);
}

async function audits(
  t: Deno.TestContext,
  { operator, env, testnet, mainnet, readPools }: Scene,
): Promise<void> {
  await t.step("the audit, by name and by address", async () => {
    const block = await findCodeBlock(
      "docs/operating.md",
      "tonado pool inspect native-10 --network testnet",
    );
    const output = await operator.run(block, env, [
      ...[testnet, mainnet],
      ["deployments/testnet.json", "deployments/localnet.json"],
      ["EQ...", (await readPools())["jet-100"].address],
    ]);
    assert.match(output, /accepts exactly 10 GRAM/);
    const json = output.slice(output.indexOf("\n{") + 1);
    assert.equal(JSON.parse(json.split("\n", 1)[0]).facts.asset, "jetton");
  });

  await t.step("the paid storage of a pool, and a top-up", async () => {
    const block = await findCodeBlock(
      "docs/operating.md",
      "tonado pool rescue native-10 --network testnet",
    );
    const output = await operator.run(block, env, [
      ["--network testnet", "--network localnet --registry deployments/localnet.json"],
      ["--amount 1", "--amount 1 --yes"],
    ]);
    assert.match(output, /^Storage is paid for \d+\.\d years: nothing to send\.$/m);
    assert.match(output, /^Rescued: the pool is active and holds 3\.\d+ GRAM$/m);
  });
}

async function deploysSuccessor({ folder, env, mainnet, confirmed, net }: Scene): Promise<void> {
  const migrant = await folder("migrant");
  const deploy = await findCodeBlock(
    "docs/migration.md",
    "tonado deploy --network mainnet --amount 10 --burn",
  );
  await migrant.run(deploy, env, [
    ...[mainnet, confirmed],
    ["deployments/mainnet.json", "deployments/localnet.json"],
  ]);
  const { pools } = JSON.parse(await Deno.readTextFile(`${migrant.dir}/deployments/localnet.json`));
  const inspect = await findCodeBlock(
    "docs/migration.md",
    "tonado pool inspect EQ... --network mainnet --end",
  );
  const output = await migrant.run(inspect, {}, [
    ...[mainnet],
    ["EQ...", pools["native-10-g1"].address],
    ["https://toncenter.com/api/v2/jsonRPC", net.url],
  ]);
  assert.match(output, /ok +origin .*generation 1$/m);
  assert.match(output, /ok +owner +none/);
}

Deno.test("docs/operating.md: with only a mnemonic, the relayer starts, and reports that no pools are listed", () =>
  withTempDirectory(async (dir) => {
    const net = await startLocalnet({ pools: [] });
    const { mnemonic } = net.wallets[0];
    await net.close();
    const folder = omit(await createShellFolder(dir), "run");
    await Deno.writeTextFile(`${dir}/mnemonic`, mnemonic);
    const block = await findCodeBlock(
      "docs/operating.md",
      "RELAYER_WALLET_MNEMONIC_FILE=/run/secrets/mnemonic",
    );
    const port = freePort();
    const env = { RELAYER_PORT: `${port}`, INDEXER_URL: `http://127.0.0.1:${freePort()}` }; // needs no network
    await folder.runWhile(block, env, [["/run/secrets", dir]], async () => {
      await waitUntil("it responds", () => answers(`http://127.0.0.1:${port}/livez`));
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /lists no pools/);
      assert.equal((await Deno.stat(`${dir}/data`)).isDirectory, true);
    });
  }));

Deno.test("docs/operating.md: the files for Compose are where compose.yaml reads them", () =>
  withTempDirectory(async (dir) => {
    const folder = await createShellFolder(dir);
    await Deno.writeTextFile(`${dir}/wallet.txt`, "24 words");
    for (const name of ["tonado", "SHA256SUMS"]) await Deno.writeTextFile(`${dir}/${name}`, "released");
    const block = await findCodeBlock(
      "docs/operating.md",
      "install -D -t dist tonado SHA256SUMS",
    );
    const asRoot = Deno.uid() === 0;
    await folder.run(block, {}, [
      ["docker compose up --build --detach\n", ""], // needs a container engine
      ...asRoot ? [] : [["-o 65532 ", ""] as const], // only root may change owners
    ]);
    for (const path of await buildContext()) await Deno.stat(`${dir}/${path}`);
    const compose = await Deno.readTextFile(`${root}compose.yaml`);
    const { mode, uid } = await Deno.stat(`${dir}/${parse(compose).secrets.mnemonic.file}`);
    assert.equal(mode! & 0o777, 0o400);
    if (asRoot) assert.equal(uid, 65532);
    const [, name] = (await Deno.readTextFile(`${dir}/.env`)).match(/^([A-Z_]+)=[0-9a-f]{48}\n$/)!;
    assert.ok(compose.includes(`\${${name}:?`), name);
  }));

Deno.test({
  name:
    "docs/operating.md: the files of the systemd unit are installed where it reads them, and systemd enables it",
  ignore: !await hasProgram("systemctl"),
  fn: () =>
    withTempDirectory(async (dir) => {
      const folder = await createShellFolder(dir);
      const system = `${dir}/root`;
      for (const path of ["usr/local/bin", "etc/systemd/system"]) {
        await Deno.mkdir(`${system}/${path}`, { recursive: true });
      }
      await Deno.writeTextFile(`${dir}/tonado`, "the binary");
      await Deno.writeTextFile(`${dir}/wallet.txt`, "24 words");
      await Deno.copyFile(`${root}docs/operating/tonado.service`, `${dir}/tonado.service`);
      const block = await findCodeBlock("docs/operating.md", "install -m 755 tonado /usr/local/bin/tonado");
      await folder.run(block, {}, [
        [" /usr/local", ` ${system}/usr/local`],
        [" /etc", ` ${system}/etc`],
        ["systemctl enable --now", `systemctl --root=${system} enable`], // the test starts no unit
      ]);
      const unit = await Deno.readTextFile(`${system}/etc/systemd/system/tonado.service`);
      const [, binary] = unit.match(/^ExecStart=(\S+)/m)!;
      const [, mnemonic] = unit.match(/^LoadCredential=mnemonic:(\S+)/m)!;
      assert.equal((await Deno.stat(system + binary)).mode! & 0o777, 0o755);
      assert.equal((await Deno.stat(system + mnemonic)).mode! & 0o777, 0o400);
      await Deno.lstat(`${system}/etc/systemd/system/multi-user.target.wants/tonado.service`);
    }),
});

Deno.test({
  name: "docs/ceremony.md: snarkjs verifies a key of the folder, and a checkout uses the resulting keys",
  ignore: !await hasProgram("npm"),
  fn: (t) =>
    withTempDirectory(async (dir) => {
      await run(
        dir,
        Deno.execPath(),
        "run",
        "-A",
        `${root}tests/support/ceremony/write_tiny_ceremony.ts`,
        dir,
      );
      const began = ["--powers", `${dir}/bls12381_14.ptau`, "--circuits", `${dir}/dist/circuits`];
      await Deno.writeTextFile(`${dir}/dice`, "6253614");
      for (
        const [step, ...flags] of [
          ["init", ...began],
          ["announce", "--source", "a clock", "--round", "1", "--exponent", "10"],
          ["contribute", "--name", "Alice", "--entropy-file", `${dir}/dice`],
          ["beacon", "--value", "00".repeat(32)],
          [
            "finalize",
            ...began,
            "--few-contributors",
            "--plan",
            `${dir}/plan.json`,
            "--output",
            `${dir}/keys`,
          ],
        ]
      ) {
        if (step === "finalize") {
          const hash = async (circuit: string) => {
            const key = await Deno.readFile(`${dir}/ceremony/${circuit}.0.zkey`);
            return bytesToHex(sha256(key));
          };
          const initialKeys = { withdraw: await hash("withdraw"), deposit: await hash("deposit") };
          await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify({ initialKeys, contributors: [] }));
        }
        const { code, stderr } = await runCli(["ceremony", step, `${dir}/ceremony`, ...flags]);
        assert.equal(code, 0, stderr);
      }
      const folder = await createShellFolder(dir, [`${dir}/node_modules/.bin`]);

      await t.step("snarkjs verifies a key on Node", async () => {
        const spec = metadata.imports.snarkjs.replace("npm:", "");
        await run(dir, "npm", "install", "--no-audit", "--no-fund", "--silent", spec);
        const block = await findCodeBlock("docs/ceremony.md", "snarkjs zkey verify");
        assert.match(await folder.run(block, {}, [["withdraw.N.zkey", "withdraw.2.zkey"]]), /ZKey Ok!/);
      });

      await t.step("a checkout's contracts are compiled with the keys", async () => {
        const files = await listRepositoryFiles();
        await Deno.mkdir(`${dir}/checkout`);
        await run(root, "cp", "--parents", ...files, `${dir}/checkout`);
        await run(dir, "cp", "-r", "keys", "checkout/keys");
        const checkout = await createShellFolder(`${dir}/checkout`);
        const block = await findCodeBlock("docs/ceremony.md", "cp -r keys/. .");
        // The check rejects keys of other than the real circuits. CI runs it on the committed keys.
        const output = await checkout.run(block, {}, [["deno task keys:check\n", ""]]);
        const hashes = [...output.matchAll(/code hash ([0-9a-f]{64})/g)].map(([, hash]) => hash);
        const contracts = files.filter((path) => path.startsWith("artifacts/contracts/"));
        assert.equal(hashes.length, contracts.length);
        const verifier = "contracts/v1/generated/verifier_withdraw.tolk";
        const [compiled, final] = await Promise.all(
          [`checkout/${verifier}`, `keys/${verifier}`].map((path) => Deno.readTextFile(`${dir}/${path}`)),
        );
        assert.equal(compiled, final);
        assert.notEqual(compiled, await Deno.readTextFile(root + verifier));
      });
    }),
});
