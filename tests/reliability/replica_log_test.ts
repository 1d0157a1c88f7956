/**
 * Replicas that start together, pay, and change the leader on PostgreSQL and Redis: no follower logs an
 * error.
 */
import { deepEqual, equal } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Address } from "@ton/core";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import { type RelayerProcess, startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer, redisServer } from "../../testkit/servers/services.ts";

const KEY = "native-1";
const redis = await redisServer();
const ignore = !redis || !await postgresServer();

const leads = async (replica: RelayerProcess) => (await replica.request("/readyz")).leads === true;
const indexed = (replica: RelayerProcess, leaves: number) =>
  waitUntil(`${leaves} leaves are served`, async () => {
    const { ready, pools } = await replica.request("/readyz");
    return ready && pools[KEY].leaves === leaves;
  });

/** Returns lines of level ERROR, and lines that are not JSON. */
function faults(replica: RelayerProcess): string[] {
  return replica.log().split("\n").filter((line) => line !== "").filter((line) => {
    try {
      return ["ERROR", "FATAL"].includes(JSON.parse(line).level);
    } catch {
      return true;
    }
  });
}

Deno.test({
  name: "replicas on PostgreSQL and Redis log no error while they start, pay and change the leader",
  ignore,
  async fn() {
    await using database = await freshDatabase();
    await using net = await RelayerHarness.start({ relayer: false, blockTimeMs: 300 });
    const registry = `${net.directory}/registry.json`;
    await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
    const replicas: RelayerProcess[] = [];
    const replica = async () => {
      const started = await startRelayerProcess({
        RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
        RELAYER_NETWORK: "localnet",
        INDEXER_URL: net.localnet.url,
        RELAYER_DEPLOYMENTS: registry,
        RELAYER_DATA_DIR: `${net.directory}/replica-${replicas.length}`,
        RELAYER_PORT: "0",
        DATABASE_URL: database.url,
        CACHE_URL: redis!,
      });
      replicas.push(started);
      return started;
    };
    try {
      const notes = [await net.deposit(KEY), await net.deposit(KEY), await net.deposit(KEY)];
      const started = await Promise.all([replica(), replica()]);
      for (const each of started) await indexed(each, notes.length);
      const [first, second] = await leads(started[0]) ? started : [started[1], started[0]];
      let mark = 0x91;
      const pay = async (through: RelayerProcess, look: RelayerProcess) => {
        const note = notes.pop()!;
        const recipient = new Address(0, Buffer.alloc(32, mark++));
        const body = await net.withdrawal(KEY, note, { recipient });
        equal((await through.request("/withdraw", body)).code, undefined);
        const query = { pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) };
        await waitUntil(
          "confirmed",
          async () => (await look.request("/withdraw/status", query)).state === "confirmed",
        );
      };
      await pay(second, first);
      await first.stop("SIGTERM");
      await waitUntil("the second leads", () => leads(second));
      const third = await replica();
      await indexed(third, 3);
      await pay(third, third);
      second.signal("SIGSTOP");
      await waitUntil("the third leads", () => leads(third));
      second.signal("SIGCONT");
      await indexed(second, 3);
      await pay(second, second);
      deepEqual(replicas.map(faults), [[], [], []]);
    } finally {
      for (const each of replicas) await each.stop("SIGKILL").catch(() => {});
    }
  },
});
