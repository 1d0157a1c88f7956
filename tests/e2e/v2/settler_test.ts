/** A relayer settles the deposits of a version 2 pool on a localnet. */
import { equal, ok } from "node:assert/strict";
import type { Chain } from "../../../src/ton/chain.ts";
import { settleDeposits } from "../../../src/client/settlement/settle_deposits.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { settlementDueAt } from "../../../src/ton/pool/v2/settlement_terms.ts";
import { waitUntil } from "../../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../../support/relayer/relayer_harness.ts";
import { newNote, Version2Harness } from "../../support/relayer/version2_harness.ts";

Deno.test("a relayer settles eagerly, each deposit once, also after a restart in between and beside a rival", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const v2 = new Version2Harness(net);
  const metrics = createMetrics();
  await net.startRelayer({ settle: "eager", metrics });
  const value = await v2.pool.getDenomination();
  const commitments = Array.from({ length: 40 }, () => newNote().commitment);
  const pay = async (part: readonly bigint[]) => {
    const before = await v2.pool.getNextIndex();
    for (let i = 0; i < part.length; i += 4) {
      const messages = part.slice(i, i + 4).map((commitment) =>
        v2.pool.buildDepositMessage({ commitment, value })
      );
      await net.user.send(messages);
      await waitUntil("queued", async () => await v2.pool.getNextIndex() >= before + i + messages.length);
    }
  };
  await pay(commitments.slice(0, 18));
  await waitUntil("a chunk is settled", async () => await v2.pool.getSettled() >= 16);
  await net.relayer.close();
  await net.startRelayer({ settle: "eager", metrics });
  await pay(commitments.slice(18));
  await settleDeposits({ pool: v2.pool, wallet: net.user, prover: net.prover, maxBatches: 1 }, {
    pollIntervalMs: 50,
    clock: net.clock.sleepless(),
  });
  await v2.untilSettled(commitments.length);
  await v2.untilLeaves(commitments.length);
  v2.tree.appendMany(commitments);
  equal(await v2.pool.getCurrentRoot(), v2.tree.root);
  const entries = await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER));
  ok(entries.some(({ kind }) => kind === "settlement"), "the relayer's settlements are booked");
  const samples = (await metrics.text()).split("\n");
  const sample = (name: string) =>
    Number(samples.find((line) => line.startsWith(`${name}{pool="native-10-v2"} `))?.split(" ").at(-1));
  equal(sample("tonado_pool_settlement_deposits_sum"), commitments.length, "the leader saw each settlement");
});

for (const key of ["native-10-v2", "jet-10-v2"]) {
  Deno.test(`a relayer waits until the reward of ${key} pays for a settlement, and earns by it`, async () => {
    await using net = await RelayerHarness.start({ relayer: false });
    const v2 = new Version2Harness(net, key);
    const dueMs = settlementDueAt(await v2.pool.getSettleInfo(), 1) * 1000;
    let reads = 0;
    const chain = (own: Chain): Chain => ({
      ...own,
      runGetMethod: (address, method, ...rest) => {
        if (method === "get_settle_info" && net.clock.now() >= dueMs) reads++;
        return own.runGetMethod(address, method, ...rest);
      },
    });
    await net.startRelayer({ settle: "profitable", chain });
    await v2.deposit(v2.note().commitment);
    await waitUntil("the deposit is indexed", async () => {
      const { body } = await net.get(`/tree/commitments?pool=${encodeURIComponent(v2.address)}`);
      return body.pending?.length === 1;
    });
    const earlier = reads;
    // If the pool accepts part of a chunk, the settler decides again only if it has not decided to settle
    // before.
    await waitUntil("the settler has asked the pool twice", () => Promise.resolve(reads >= earlier + 2));
    equal(await v2.pool.getSettled(), 0, "the reward is an eighth of the cost");
    const balance = async () => (await net.chain.account(net.relayerAddress)).balance;
    const before = await balance();
    for (let i = 0; i < 11; i++) await v2.deposit(v2.note().commitment);
    await waitUntil("twelve deposits pay for it", async () => await v2.pool.getSettled() > 0);
    await waitUntil("the reward exceeds all fees of the wallet", async () => await balance() > before);
  });
}
