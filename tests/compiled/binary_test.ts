/**
 * The compiled binary as an operator runs it: served from its own embedded workers, WASM and artifacts. Skipped where no
 * runtime to embed can be had: DENORT_BIN and TONADO_COMPILER are unset and Deno's download site is out of reach.
 */
import assert from "node:assert/strict";
import { formatDeployments } from "../../src/core/deployments.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import {
  buildWithdrawArgs,
  connect,
  createNote,
  createProver,
  depositNative,
  fromRelayer,
  openWallet,
  Pool,
  RelayerClient,
  Secret,
} from "../../src/mod.ts";
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { Address } from "@ton/core";
import { freePort, start } from "../support/program.ts";
import { storedDeposits } from "../support/stored_deposits.ts";
import { freshDatabase, postgresServer } from "../support/services.ts";
import { until } from "../support/until.ts";

const ignore = Deno.env.get("DENORT_BIN") === undefined && !await canDownload();
const directory = await Deno.makeTempDir({ prefix: "tonado-compiled-" });
const binary = `${directory}/tonado`;

Deno.test({ name: "compiled: `deno task compile` makes the binary and its checksum", ignore, fn: compile });

Deno.test({
  name: "compiled: the binary serves, and a withdrawal goes through it from deposit to payout",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const registry = `${directory}/localnet.json`;
    await Deno.writeTextFile(registry, formatDeployments(localnet.deployments));
    const port = freePort();
    const relayer = start([binary], ["serve"], {
      RELAYER_NETWORK: "localnet",
      RELAYER_WALLET_MNEMONIC: localnet.relayer.mnemonic,
      RELAYER_WALLET_VERSION: localnet.relayer.version,
      RELAYER_DEPLOYMENTS: registry,
      RELAYER_DATA_DIR: `${directory}/data`,
      RELAYER_PORT: String(port),
      RELAYER_HOST: "127.0.0.1",
      INDEXER_URL: localnet.url,
    });
    assert.match(await relayer.line(), new RegExp(`listens on http://127.0.0.1:${port}$`));
    const client = new RelayerClient(`http://127.0.0.1:${port}`);
    const { network, feeBps, relayerAddress } = await client.status();
    assert.deepEqual([network, feeBps], ["localnet", 50]);
    assert.ok(relayerAddress.equals(localnet.relayer.address));

    const script = await fetch(`http://127.0.0.1:${port}/docs/swagger-ui.js`);
    assert.ok(
      script.ok && (await script.text()).includes("SwaggerUIBundle"),
      "the page of /docs is embedded",
    );

    const chain = connect({ endpoint: localnet.url });
    const prover = await createProver({ workers: 2 });
    const { address } = localnet.deployments.pools.get("native-1")!;
    const pool = new Pool(chain, address);
    const note = createNote({ asset: "native", amount: "1", network: "localnet" });
    const { mnemonic, version } = localnet.wallets[0];
    const wallet = await openWallet(new Secret(mnemonic), { version, network: "localnet", chain });
    await depositNative({ chain, pool, network: "localnet", wallet, note, prover, pollMs: 50 });
    const root = await pool.getCurrentRoot();
    await until(
      "the relayer has indexed the deposit",
      async () => await client.treeRoot(address).catch(() => 0n) === root,
    );

    const recipient = Address.parse(`0:${"5a".repeat(32)}`);
    const fee = await client.feeFloor("native-1");
    const args = await buildWithdrawArgs({
      pool,
      network: "localnet",
      note,
      source: fromRelayer(client, address),
      recipient,
      relayer: relayerAddress,
      fee,
      prover,
    });
    prover.close();
    assert.equal((await client.withdraw(args)).state, "sent");
    await until(
      "the withdrawal is confirmed",
      async () => (await client.withdrawStatus(address, note.nullifierHash)).state === "confirmed",
    );
    await until(
      "the recipient is paid",
      async () => (await chain.account(recipient)).balance === 1_000_000_000n - fee,
    );

    assert.equal((await relayer.stop()).code, 0, "SIGTERM ends it in good order");
  },
});

Deno.test({
  name: "compiled: the binary hashes a stored tree on its embedded workers",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const registry = `${directory}/stored.json`;
    await Deno.writeTextFile(registry, formatDeployments(localnet.deployments));
    const dataDir = `${directory}/stored`;
    const count = 600;
    const store = await openKvStore(dataDir);
    await store.restore(storedDeposits({
      pool: localnet.deployments.pools.get("native-1")!.address.toRawString(),
      wallet: localnet.relayer.address.toRawString(),
      commitments: Array.from({ length: count }, (_, i) => BigInt(i)),
      cursor: { lt: 1n, hash: "01".repeat(32) },
    }));
    await store.close();
    const port = freePort();
    const relayer = start([binary], ["serve"], {
      RELAYER_NETWORK: "localnet",
      RELAYER_WALLET_MNEMONIC: localnet.relayer.mnemonic,
      RELAYER_WALLET_VERSION: localnet.relayer.version,
      RELAYER_DEPLOYMENTS: registry,
      RELAYER_DATA_DIR: dataDir,
      RELAYER_PORT: String(port),
      RELAYER_HOST: "127.0.0.1",
      INDEXER_URL: localnet.url,
    });
    await relayer.line();
    // Nobody deposited these on chain, so the pool is not offered; but they are in the tree before that is seen.
    await until("the stored leaves are in the tree", async () => {
      const { pools } = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
      return pools["native-1"].leaves === count;
    });
    assert.equal((await relayer.stop()).code, 0);
  },
});

Deno.test({
  name: "compiled: the binary makes the tables of a PostgreSQL database and finds them sound",
  ignore: ignore || !await postgresServer(),
  async fn() {
    await using database = await freshDatabase();
    const store = async (command: string) => {
      const env = { DATABASE_URL: database.url };
      const { stdout } = await new Deno.Command(binary, {
        args: ["store", command, "--json"],
        clearEnv: true,
        env,
      })
        .output();
      return JSON.parse(new TextDecoder().decode(stdout));
    };
    const { found, now } = await store("migrate");
    assert.deepEqual([found, now > 0], [0, true]);
    assert.equal((await store("check")).sound, true);
  },
});

Deno.test({
  name: "compiled: a wrong configuration starts nothing, lists every fault and ends with 2",
  ignore,
  async fn() {
    const { code, stderr } = await new Deno.Command(binary, {
      args: ["serve"],
      clearEnv: true,
      env: {
        RELAYER_PORT: "many",
        RELAYER_FEE_BPS: "-1",
        DATABASE_URL: "x",
        RELAYER_DATA_DIR: directory,
      },
    }).output();
    const text = new TextDecoder().decode(stderr);
    for (const name of ["RELAYER_WALLET_MNEMONIC", "RELAYER_PORT", "RELAYER_FEE_BPS", "DATABASE_URL"]) {
      assert.ok(text.includes(name), `${name} is named in: ${text}`);
    }
    assert.equal(code, 2);
  },
});

Deno.test({
  name: "compiled: leaves nothing behind",
  ignore,
  fn: () => Deno.remove(directory, { recursive: true }),
});

async function compile(): Promise<void> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "tools/compile.ts", "--output", binary],
    cwd: new URL("../../", import.meta.url),
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const [sum] = (await Deno.readTextFile(`${directory}/SHA256SUMS`)).split(" ");
  const bytes = await Deno.readFile(binary);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  assert.equal(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""), sum);
}

async function canDownload(): Promise<boolean> {
  try {
    const response = await fetch(`https://dl.deno.land/release/v${Deno.version.deno}/`, {
      method: "HEAD",
      signal: AbortSignal.timeout(3000),
    });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

function disposable<T extends { close(): Promise<void> }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: () => resource.close() });
}
