/**
 * The metrics of earned fees and spent gas equal what the chain paid to and took from the relayer's wallet.
 */
import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const fee = 61_000_003n;

/** Returns the value of a metric with these labels, or 0. */
async function valueOf(metrics: ReturnType<typeof createMetrics>, series: string): Promise<bigint> {
  const line = (await metrics.text()).split("\n").find((each) => each.startsWith(`${series} `));
  return BigInt(line?.split(" ")[1] ?? 0);
}

Deno.test("books: fees and gas of withdrawals equal the wallet's gains and losses to the nano, each once", async () => {
  await using net = await RelayerHarness.start({ relayer: false });
  const metrics = createMetrics();
  await net.startRelayer({ metrics });
  const notes = [await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const { address } = net.localnet.relayer;
  const before = await net.chain.account(address);
  const refund = 7_000_001n;
  for (const [i, note] of notes.entries()) {
    const recipient = Address.parse(`0:${`4${i}`.repeat(32)}`);
    const body = await net.withdrawal(KEY, note, { recipient, fee, refund });
    equal((await net.post("/withdraw", body)).body.code, undefined);
    await net.untilState({ pool: body.pool, nullifierHash: fieldToHex(note.nullifierHash) }, "confirmed");
  }
  await waitUntil("the last transfer has ended", async () => await net.store.transfer() === undefined);
  const wanted = 3 * notes.length; // for each: a transfer, its fee, and the rest of its value
  // deno-lint-ignore no-explicit-any
  let since: any[] = [];
  await waitUntil("the pool's answers have arrived", async () => {
    const all = await net.chain.transactions(address, { limit: 20 });
    since = all.filter(({ id }) => id.lt > (before.last?.lt ?? 0n));
    return since.length === wanted;
  });
  const after = await net.chain.account(address);
  const received = since.filter(({ raw }) => raw.inMessage.info.type === "internal");
  const receiving = received.reduce((sum, { raw }) => sum + raw.totalFees.coins, 0n);
  const earned = await valueOf(metrics, `tonado_fees_earned_nano_total{pool="${KEY}",asset="native"}`);
  const spent = await valueOf(metrics, `tonado_gas_spent_nano_total{pool="${KEY}"}`);
  const refunds = await valueOf(metrics, `tonado_refunds_paid_nano_total{pool="${KEY}"}`);
  equal(earned, 2n * fee);
  equal(refunds, 2n * refund);
  equal(earned - spent - refunds - receiving, after.balance - before.balance);
  const booked = await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER));
  const sum = (member: "fee" | "gas" | "refund") => booked.reduce((all, entry) => all + entry[member], 0n);
  deepEqual([sum("fee"), sum("gas"), sum("refund")], [earned, spent, refunds]);

  await net.relayer.close();
  const again = createMetrics();
  await net.startRelayer({ metrics: again });
  await net.untilIndexed(KEY);
  deepEqual(await Array.fromAsync(net.store.ledger(0, Number.MAX_SAFE_INTEGER)), booked);
  equal(await valueOf(again, `tonado_fees_earned_nano_total{pool="${KEY}",asset="native"}`), 0n);
  equal(await valueOf(again, `tonado_gas_spent_nano_total{pool="${KEY}"}`), 0n);
});
