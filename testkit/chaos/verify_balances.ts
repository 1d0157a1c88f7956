/** Verifies payouts, pools and the relayer's wallet to the nano after a campaign. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { ChainReader } from "./chain_reader.ts";
import type { DepositedNote, TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

/** The relayer's wallet, in nano: start + fees - refunds - costs = end. */
export interface WalletTotals {
  readonly start: bigint;
  /** Fees earned in coins. */
  readonly fees: bigint;
  /** Coins given to recipients. */
  readonly refunds: bigint;
  /** Fees paid to the chain. */
  readonly costs: bigint;
  readonly end: bigint;
  /** Fees earned in jettons, in the smallest unit. */
  readonly jettons: bigint;
}

/**
 * Verifies a pool and the recipients of its notes.
 *
 * @param paid the pool's withdrawn notes
 * @param deposits all of its notes
 */
export async function verifyPayouts(
  { net, chain, key }: { net: TrapdoorNetwork; chain: ChainReader; key: string },
  paid: readonly DepositedNote[],
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

/** Verifies the relayer's wallet. Its costs are those of its own transactions. */
export async function verifyWallet(
  { net, chain }: { net: TrapdoorNetwork; chain: ChainReader },
  { start, paid, messages }: { start: bigint; paid: readonly DepositedNote[]; messages: number },
): Promise<WalletTotals> {
  const pools = net.keys.map((key) => net.pool(key).address.toRawString());
  const { balance, sum, sentTo, received } = await chain.accountTotals(net.relayer);
  equal(balance, sum, "the relayer's balance is what its transactions add up to");
  deepEqual([...sentTo.keys()].filter((to) => !pools.includes(to)), [], "it paid nobody but the pools");
  equal(
    [...sentTo.values()].reduce((all, count) => all + count, 0),
    messages,
    "every message that it paid arrived",
  );
  const total = (of: (note: DepositedNote) => bigint) => paid.reduce((all, note) => all + of(note), 0n);
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
