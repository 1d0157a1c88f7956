/**
 * An endpoint with a false root: the relayer does not serve the pool with new leaves until the root is
 * correct, and serves the other pool.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { SeededRandom } from "../../../testkit/random/seeded_random.ts";
import { startFaultProxy } from "../../../testkit/servers/fault_proxy.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { Fleet } from "../../../testkit/chaos/fleet.ts";
import { TrapdoorNetwork } from "../../../testkit/localnet/trapdoor_network.ts";

const TIMEOUT_MS = 600_000;
const [NEWS, QUIET] = ["native-1", "native-10"];
const noPostgres = !await postgresServer();

for (const { store, ignore } of [{ store: "kv", ignore: false }, { store: "postgres", ignore: noPostgres }]) {
  Deno.test({
    name:
      `false root (${store}): the pool is not ready, and /withdraw and /tree answer 503, until the root is correct`,
    ignore,
    async fn() {
      await using net = await TrapdoorNetwork.start({ random: new SeededRandom(5), pools: [NEWS, QUIET] });
      await using database = store === "postgres" ? await freshDatabase() : undefined;
      await using proxy = startFaultProxy({ target: net.localnet.url, seed: 6 });
      await using fleet = new Fleet(net, proxy, 1, database && { DATABASE_URL: database.url });
      const [relayer] = fleet.replicas;
      await net.deposit(QUIET, 1);
      const [note] = await net.deposit(NEWS, 2);
      await fleet.startAll();
      await waitUntil("ready", () => fleet.isReady(net), TIMEOUT_MS);

      proxy.altersRoots = true;
      await net.deposit(NEWS, 1);
      await waitUntil("the lie is noticed", async () => {
        const body = (await relayer.request("/readyz"))?.body;
        return body?.pools[NEWS].ready === false;
      }, TIMEOUT_MS);
      const { status, body } = (await relayer.request("/readyz"))!;
      equal(status, 503);
      match(body.pools[NEWS].reason, /root/);
      equal(body.pools[QUIET].ready, true, "the other pool goes on");
      const of = (key: string) => `pool=${encodeURIComponent(net.pool(key).address.toString())}`;
      const commitment = `0x${note.note.commitment.toString(16).padStart(64, "0")}`;
      for (
        const path of [
          `/tree/root?${of(NEWS)}`,
          `/tree/commitments?${of(NEWS)}`,
          `/tree/path?${of(NEWS)}&commitment=${commitment}`,
        ]
      ) {
        const answer = await relayer.request(path);
        deepEqual([answer?.status, answer?.body.code], [503, "not_ready"], path);
      }
      const refused = await relayer.request("/withdraw", net.withdrawalBody(note));
      deepEqual([refused?.status, refused?.body.code], [503, "not_ready"]);
      equal((await relayer.request(`/tree/root?${of(QUIET)}`))?.status, 200);
      ok((proxy.counts.get("false root") ?? 0) > 0);

      proxy.altersRoots = false;
      await waitUntil("ready again", () => fleet.isReady(net), TIMEOUT_MS);
      equal((await relayer.request("/withdraw", net.withdrawalBody(note)))?.status, 200);
      await waitUntil("paid", async () => {
        return (await relayer.request("/withdraw/status", net.statusQuery(note)))?.body?.state ===
          "confirmed";
      }, TIMEOUT_MS);
    },
  });
}
