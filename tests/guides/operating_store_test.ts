/** Runs the blocks of docs/operating.md about stores, on a real PostgreSQL server. */
import assert from "node:assert/strict";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import { withTempDirectory } from "../../testkit/programs/temp_directory.ts";
import { findCodeBlock } from "../support/docs/code_blocks.ts";
import { createShellFolder } from "../support/docs/shell_blocks.ts";
import { freePort } from "../../testkit/programs/program.ts";
import { hasProgram } from "../support/system/requirements.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { answers, deposit } from "../support/docs/guide_runs.ts";

Deno.test({
  name: "docs/operating.md: a relayer's store moves to PostgreSQL, and the relayer is ready on it",
  ignore: !await postgresServer(),
  fn: () =>
    withTempDirectory(async (dir) => {
      await using database = await freshDatabase();
      const net = await startLocalnet({ blockTimeMs: 100, pools: ["1"] });
      try {
        const registry = `${dir}/localnet.json`;
        await Deno.writeTextFile(registry, formatDeployments(net.deployments));
        const port = freePort();
        const env = {
          RELAYER_NETWORK: "localnet",
          INDEXER_URL: net.url,
          RELAYER_DEPLOYMENTS: registry,
          RELAYER_WALLET_MNEMONIC: net.wallets[1].mnemonic,
          RELAYER_WALLET_VERSION: net.wallets[1].version,
          RELAYER_PORT: `${port}`,
        };
        await deposit(net);
        const url = `http://127.0.0.1:${port}`;
        const before = await startRelayerProcess({ ...env, RELAYER_DATA_DIR: `${dir}/data` });
        await waitUntil("the embedded store has the deposit", () => answers(`${url}/readyz`));
        await before.stop("SIGTERM");

        const folder = await createShellFolder(dir);
        const block = await findCodeBlock("docs/operating.md", "# with the relayer stopped");
        const output = await folder.runWhile(
          block,
          env,
          [["postgres://tonado:...@db/tonado", database.url]],
          () => waitUntil("the relayer is ready on PostgreSQL", () => answers(`${url}/readyz`)),
        );
        const moved = [
          ...output.matchAll(/\(1 deposit, .* sha256 ([0-9a-f]{64}), in (relayer\.jsonl|the database)$/gm),
        ];
        assert.deepEqual(moved.map(([, , where]) => where), ["relayer.jsonl", "the database"], output);
        assert.equal(moved[0][1], moved[1][1]);
      } finally {
        await net.close();
      }
    }),
});

Deno.test({
  name:
    "docs/operating.md: a PostgreSQL store is backed up, upgraded and restored, and the relayer is ready on it",
  ignore: !await postgresServer() || !await hasProgram("pg_dump"),
  fn: () =>
    withTempDirectory(async (dir) => {
      await using database = await freshDatabase();
      await using restored = await freshDatabase();
      const net = await startLocalnet({ blockTimeMs: 100, pools: ["1"] });
      try {
        await Deno.writeTextFile(`${dir}/localnet.json`, formatDeployments(net.deployments));
        const port = freePort();
        const url = `http://127.0.0.1:${port}`;
        const env = {
          RELAYER_NETWORK: "localnet",
          INDEXER_URL: net.url,
          RELAYER_DEPLOYMENTS: `${dir}/localnet.json`,
          RELAYER_WALLET_MNEMONIC: net.wallets[1].mnemonic,
          RELAYER_WALLET_VERSION: net.wallets[1].version,
          RELAYER_PORT: `${port}`,
        };
        await deposit(net);
        const running = await startRelayerProcess({
          ...env,
          DATABASE_URL: database.url,
          RELAYER_DATA_DIR: `${dir}/first`,
        });
        const folder = await createShellFolder(dir);
        const stead = [["postgres://tonado:...@db/tonado", database.url]] as const;
        try {
          await waitUntil("the database has the deposit", () => answers(`${url}/readyz`));
          const backup = await findCodeBlock(
            "docs/operating.md",
            "# back up; replicas may run",
          );
          assert.match(await folder.run(backup, {}, stead), /\(1 deposit, /);
        } finally {
          await running.stop("SIGTERM");
        }
        const upgrade = await findCodeBlock(
          "docs/operating.md",
          "# with the new release's program",
        );
        await folder.run(upgrade, {}, stead);
        await deposit(net); // the chain grows after the backup
        const restore = await findCodeBlock(
          "docs/operating.md",
          "# with every replica stopped, into an empty",
        );
        await folder.runWhile(
          restore,
          { ...env, RELAYER_DATA_DIR: `${dir}/second` },
          [["postgres://tonado:...@db/tonado_restored", restored.url]],
          () =>
            waitUntil("the restored relayer has both deposits", async () => {
              if (!await answers(`${url}/readyz`)) return false;
              const { pools } = await (await fetch(`${url}/readyz`)).json();
              return pools["native-1"].leaves === 2;
            }),
        );
      } finally {
        await net.close();
      }
    }),
});
