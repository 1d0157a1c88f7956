/** The money, when everything has come to rest: what was paid out, what the pools hold, what the relayer has. To the nano. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { ChainReading } from "./chain_reading.ts";
import type { ChaosNetwork, PlacedNote } from "./network.ts";

/** The relayer's wallet, in nano: start + fees - refunds - costs = end. */
export interface Books {
  readonly start: bigint;
  /** Earned in coins. */
  readonly fees: bigint;
  /** Given to recipients. */
  readonly refunds: bigint;
  /** What the way through the chain took. */
  readonly costs: bigint;
  readonly end: bigint;
  /** Earned of the jetton, in its smallest unit. */
  readonly jettons: bigint;
}

/**
 * Judges one pool and the recipients of its notes.
 *
 * @param paid the pool's notes that were withdrawn
 * @param deposits notes that it took, withdrawn or not
 */
export async function judgePayouts(
  { net, chain, key }: { net: ChaosNetwork; chain: ChainReading; key: string },
  paid: readonly PlacedNote[],
  deposits: number,
): Promise<void> {
  const { address, denomination, jettonMaster } = net.pool(key);
  for (const { recipient, fee, refund } of paid) {
    const coins = await chain.balance(recipient);
    if (!jettonMaster) {
      equal(coins, denomination - fee + refund, `a recipient of ${key} has its note, to the nano`);
      continue;
    }
    equal(coins, refund, `a recipient of ${key} has its refund, to the nano`);
    equal(await chain.jettons(jettonMaster, recipient), denomination - fee, "and all of its jettons");
  }
  const left = denomination * BigInt(deposits - paid.length);
  if (jettonMaster) {
    equal(await chain.jettons(jettonMaster, address), left, `${key} holds what is not withdrawn`);
  } else ok(await chain.balance(address) >= left, `${key} can pay what is not withdrawn`);
}

/** Judges the relayer's wallet, whose costs are what its own transactions say. */
export async function judgeBooks(
  { net, chain }: { net: ChaosNetwork; chain: ChainReading },
  { start, paid, messages }: { start: bigint; paid: readonly PlacedNote[]; messages: number },
): Promise<Books> {
  const pools = net.keys.map((key) => net.pool(key).address.toRawString());
  const { balance, sum, sentTo, received } = await chain.books(net.relayer);
  equal(balance, sum, "the relayer's balance is what its transactions add up to");
  deepEqual([...sentTo.keys()].filter((to) => !pools.includes(to)), [], "it paid nobody but the pools");
  equal(
    [...sentTo.values()].reduce((all, count) => all + count, 0),
    messages,
    "every message that it paid arrived",
  );
  const total = (of: (note: PlacedNote) => bigint) => paid.reduce((all, note) => all + of(note), 0n);
  const fees = total(({ key, fee }) => net.isJetton(key) ? 0n : fee);
  const jettons = total(({ key, fee }) => net.isJetton(key) ? fee : 0n);
  equal(
    await chain.jettons(net.localnet.jetton.master, net.relayer),
    jettons,
    "its fees in jettons are all there",
  );
  const fromPools = [...received].reduce(
    (all, [from, value]) => pools.includes(from) ? all + value : all,
    0n,
  );
  ok(fromPools >= fees, "the fees came");
  const refunds = total(({ refund }) => refund);
  const costs = start + fees - refunds - balance;
  ok(costs > 0n, "a withdrawal costs something");
  return { start, fees, refunds, costs, end: balance, jettons };
}
