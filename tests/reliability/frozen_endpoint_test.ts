/** A stalled endpoint is consistent with itself, but the relayer must not serve its data. */
import { deepEqual, equal, match } from "node:assert/strict";
import { Address } from "@ton/core";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";

Deno.test("a stalled endpoint makes the relayer not ready, with the reason, until the chain's head advances", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  let frozenAt: number | undefined;
  await net.startRelayer({
    chain: (chain) =>
      withMethods(chain, {
        masterchainSeqno: async (options) => frozenAt ?? await chain.masterchainSeqno(options),
      }),
  });
  const note = await net.deposit(KEY);
  await net.untilIndexed(KEY);
  const body = await net.withdrawal(KEY, note, { recipient: Address.parse(`0:${"42".repeat(32)}`) });

  frozenAt = await net.chain.masterchainSeqno();
  await waitUntil("the pool is not ready", async () => (await net.get("/readyz")).status === 503);
  const { body: health } = await net.get("/readyz");
  equal(health.dependencies.chain.state, "down");
  match(health.dependencies.chain.reason, /no new blocks/);
  match(health.pools[KEY].reason, /no new blocks/);
  const refused = await net.post("/withdraw", body);
  deepEqual([refused.status, refused.body.code], [503, "not_ready"]);

  frozenAt = undefined;
  await net.untilIndexed(KEY);
  equal((await net.post("/withdraw", body)).status, 200);
});
