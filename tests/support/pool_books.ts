/**
 * The books of a pool in the emulator: what storage takes, that no nano appears or is lost, time and prices. Nothing here
 * knows a rule of the pool but that its keeper never lets it freeze.
 */
import assert from "node:assert/strict";
import { type Address, Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { mainnetConfig } from "../../src/localnet/mainnet_prices.ts";
import { dearBasechain } from "./chain_configs.ts";
import { type ChainPrices, chainPrices } from "./chain_prices.ts";
import { emptyBody, type Outcome, type PoolSandbox } from "./pool_sandbox.ts";

/** Networks' prices: today's, the sandbox's old ones, and six times today's. */
const configs = {
  mainnet: mainnetConfig(),
  old: Cell.fromBase64(defaultConfig),
  sixfold: dearBasechain(6n),
} as const;
export type PriceName = keyof typeof configs;
export const priceNames = Object.keys(configs) as PriceName[];

/** The last second that 32 bits can tell is in 2106. */
const END_OF_TIME = 2 ** 32 - 2 * 86_400;

/** What is due from which an account without balance freezes. */
const FREEZES_AT = 100_000_000n;

const max = (a: bigint, b: bigint) => a > b ? a : b;

export class PoolBooks {
  prices: ChainPrices;

  constructor(readonly pool: PoolSandbox, prices: PriceName) {
    this.prices = chainPrices(configs[prices]);
  }

  static config(prices: PriceName): Cell {
    return configs[prices];
  }

  get now(): number {
    return this.pool.chain.now!;
  }

  /** Balance, what storage will take of it at this time, and what the account measures. */
  async account(
    at = this.now,
    address = this.pool.address,
  ): Promise<{ balance: bigint; due: bigint; cells: bigint; bits: bigint }> {
    const { account, balance } = await this.pool.chain.getContract(address);
    if (!account.account) return { balance, due: 0n, cells: 0n, bits: 0n };
    const { used, lastPaid, duePayment } = account.account.storageStats;
    const { cells, bits } = used;
    const due = this.prices.storage({ cells, bits, seconds: BigInt(at - lastPaid) }) + (duePayment ?? 0n);
    return { balance, due, cells, bits };
  }

  /** What the next message finds beside its own value. */
  async ground(): Promise<bigint> {
    const { balance, due } = await this.account();
    return max(0n, balance - due);
  }

  /**
   * Holds a transaction to its own fees, to the nano.
   *
   * @returns the balance without the message's value as the contract found it, and the value that it found
   */
  audit({ tx, before, after }: Outcome): { ground: bigint; value: bigint } {
    const [{ description, inMessage, totalFees }, out] = [tx, tx.outMessages.values()];
    assert.ok(description.type === "generic" && inMessage?.info.type === "internal");
    const { bounce, value: { coins } } = inMessage.info;
    const left = out.reduce(
      (sum, { info }) => info.type === "internal" ? sum + info.value.coins + info.forwardFee : sum,
      0n,
    );
    assert.equal(after, before + coins - totalFees.coins - left, "money appeared or was lost");
    const total = before + coins - (description.storagePhase?.storageFeesCollected ?? 0n);
    const value = bounce || coins < total ? coins : total;
    return { ground: total - value, value };
  }

  /**
   * Lets time pass. Where the pool would freeze its keeper tops it up before, up to `brink` nano of storage that is due and
   * not there; and so with accounts that it cannot do without.
   */
  async idle(seconds: number, brink: bigint, besides: readonly Address[] = []): Promise<Outcome | undefined> {
    assert.ok(brink < FREEZES_AT);
    const { pool } = this;
    const then = Math.min(this.now + seconds, END_OF_TIME);
    const missing = async (address: Address) => {
      const { balance, due } = await this.account(then, address);
      return due - brink - balance;
    };
    for (const to of besides) {
      const value = await missing(to) + this.prices.gas(20_000n);
      if (await missing(to) > 0n) {
        await pool.chain.sendMessage(
          internal({ from: pool.user.address, to, value, bounce: false, body: emptyBody }),
        );
      }
    }
    const own = await missing(pool.address);
    const rescue = own > 0n ? await this.topUp(own) : undefined;
    pool.chain.now = then;
    return rescue;
  }

  /** So much more in the pool, by a message that does not bounce. */
  topUp(amount: bigint): Promise<Outcome> {
    return this.pool.send(emptyBody, amount + this.prices.gas(2_000n), { bounce: false });
  }

  /** Other prices from now on; what is due by the old ones is paid before. */
  async reprice(prices: PriceName): Promise<Outcome> {
    const settled = await this.topUp(0n);
    this.pool.chain.setConfig(configs[prices]);
    this.prices = chainPrices(configs[prices]);
    return settled;
  }
}
