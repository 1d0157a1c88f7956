/**
 * INDEXER_VERIFY_URL: a second endpoint runs the get methods, so an independent source checks the first one's
 * history. Each of the two returns false data in turn.
 */
import { match } from "node:assert/strict";
import { connect } from "../../src/ton/endpoint/toncenter.ts";
import type { Chain, TransactionId } from "../../src/ton/chain.ts";
import { withVerifier } from "../../src/ton/endpoint/verified_chain.ts";
import { startFaultProxy } from "../../testkit/servers/fault_proxy.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness, withMethods } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";

Deno.test("a second endpoint detects forgeries of the first one", async (t) => {
  await using net = await RelayerHarness.start({ relayer: false });
  await using proxy = startFaultProxy({ target: net.localnet.url, seed: 1 });
  const lying = () => connect({ endpoint: proxy.url("relayer"), attempts: 1 });
  proxy.altersRoots = true;
  await net.deposit(KEY);
  const reason = async (): Promise<string> => (await net.get("/readyz")).body.pools[KEY].reason ?? "";

  await t.step(
    "false roots of the first endpoint change nothing, because it is not queried for roots",
    async () => {
      await net.startRelayer({ chain: (honest) => withVerifier(lying(), honest) });
      await net.untilIndexed(KEY);
      await net.relayer.close();
    },
  );

  await t.step(
    "false roots of the second endpoint make the pool not ready, because the two endpoints differ",
    async () => {
      await net.startRelayer({ chain: (honest) => withVerifier(honest, lying()) });
      await waitUntil("the pool is stopped", async () => (await reason()).includes("not on chain"));
      match(await reason(), /the root of 1 indexed leaves is not on chain/);
      proxy.altersRoots = false;
      await net.untilIndexed(KEY);
      await net.relayer.close();
    },
  );

  await t.step(
    "a first endpoint that omits the newest deposits is detected, although its history is consistent",
    async () => {
      const { address } = net.pool(KEY);
      let end: TransactionId | undefined;
      const leavingOut = (chain: Chain) =>
        withMethods(chain, {
          transactions: (of, options) =>
            chain.transactions(
              of,
              of.equals(address) && end && !options.from ? { ...options, from: end } : options,
            ),
        });
      await net.startRelayer({ chain: (honest) => withVerifier(leavingOut(honest), honest) });
      await net.untilIndexed(KEY);
      end = (await net.chain.transactions(address, { limit: 1 }))[0].id;
      await net.deposit(KEY);
      await waitUntil(
        "the pool is stopped",
        async () => /deposits that the endpoint's history does not show/.test(await reason()),
      );
      end = undefined;
      await net.untilIndexed(KEY);
    },
  );
});
