/** An endpoint that lies about the root: the pool that has news is not served until the lies end; the other one is. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Random } from "../simulation/random.ts";
import { startFaultProxy } from "../../support/fault_proxy.ts";
import { freshDatabase, postgresServer } from "../../support/services.ts";
import { until } from "../../support/until.ts";
import { Fleet } from "./fleet.ts";
import { ChaosNetwork } from "./network.ts";

const PATIENCE_MS = 600_000;
const [NEWS, QUIET] = ["native-1", "native-10"];
const noPostgres = !await postgresServer();

for (const { store, ignore } of [{ store: "kv", ignore: false }, { store: "postgres", ignore: noPostgres }]) {
  Deno.test({
    name:
      `lying root (${store}): the pool is not ready, /withdraw and /tree answer 503; it comes back with the truth`,
    ignore,
    async fn() {
      await using net = await ChaosNetwork.start({ random: new Random(5), pools: [NEWS, QUIET] });
      await using database = store === "postgres" ? await freshDatabase() : undefined;
      await using proxy = startFaultProxy({ target: net.localnet.url, seed: 6 });
      await using fleet = new Fleet(net, proxy, 1, database && { DATABASE_URL: database.url });
      const [relayer] = fleet.replicas;
      await net.deposit(QUIET, 1);
      const [note] = await net.deposit(NEWS, 2);
      await fleet.startAll();
      await until("ready", () => fleet.isReady(net), PATIENCE_MS);

      proxy.lying = true;
      await net.deposit(NEWS, 1);
      await until("the lie is noticed", async () => {
        const body = (await relayer.ask("/readyz"))?.body;
        return body?.pools[NEWS].ready === false;
      }, PATIENCE_MS);
      const { status, body } = (await relayer.ask("/readyz"))!;
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
        const answer = await relayer.ask(path);
        deepEqual([answer?.status, answer?.body.code], [503, "not_ready"], path);
      }
      const refused = await relayer.ask("/withdraw", net.withdrawal(note));
      deepEqual([refused?.status, refused?.body.code], [503, "not_ready"]);
      equal((await relayer.ask(`/tree/root?${of(QUIET)}`))?.status, 200);
      ok((proxy.counts.get("lying root") ?? 0) > 0);

      proxy.lying = false;
      await until("ready again", () => fleet.isReady(net), PATIENCE_MS);
      equal((await relayer.ask("/withdraw", net.withdrawal(note)))?.status, 200);
      await until("paid", async () => {
        return (await relayer.ask("/withdraw/status", net.query(note)))?.body?.state === "confirmed";
      }, PATIENCE_MS);
    },
  });
}
