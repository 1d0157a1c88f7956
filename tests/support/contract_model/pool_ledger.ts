/**
 * The balances of a pool in the emulator: storage fees, conservation of money, time and prices. It has no
 * rule of the pool, except that its keeper never lets it freeze.
 */
import assert from "node:assert/strict";
import { type Address, Cell, type Transaction } from "@ton/core";
import { internal } from "@ton/sandbox";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { configWithScaledPrices } from "../contracts/network_configs.ts";
import { type ChainPrices, chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { emptyBody, type Outcome, type PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

/** Network prices: today's, the sandbox's old ones, and six times today's. */
const configs = {
  mainnet: mainnetConfig(),
  old: Cell.fromBase64(defaultConfig),
  sixfold: configWithScaledPrices(6n),
} as const;
export type PriceName = keyof typeof configs;
export const priceNames = Object.keys(configs) as PriceName[];

/** The end of 32-bit Unix time, in 2106. */
const MAX_UNIX_TIME = 2 ** 32 - 2 * 86_400;

/** Due storage fees, in nano, at which an account without balance freezes. */
export const FREEZE_DEBT = 100_000_000n;

const max = (a: bigint, b: bigint) => a > b ? a : b;

export class PoolLedger {
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

  /**
   * Returns the balance, the storage fees that are due at this time, and the account's size.
   */
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

  /** Returns the storage fees that the pool's balance does not cover now. */
  async unpaidStorage(): Promise<bigint> {
    const { balance, due } = await this.account();
    return max(0n, due - balance);
  }

  /** Returns the balance that the next message finds in addition to its own value. */
  async spendableBalance(): Promise<bigint> {
    const { balance, due } = await this.account();
    return max(0n, balance - due);
  }

  /**
   * Asserts that the pool's transactions neither create nor lose money, to the nano.
   * @returns the balance that the contract found without the message's value, that value, the balance after
   * the message, and the pool's later transactions, with the change of the balance by each without storage
   * fees
   */
  audit(
    { tx, transactions, balanceBefore: before, balanceAfter: after }: Outcome,
  ): {
    spendableBalance: bigint;
    value: bigint;
    balanceAfter: bigint;
    later: { readonly tx: Transaction; readonly gain: bigint }[];
  } {
    const changes = transactions.filter(({ address }) => address === tx.address)
      .map((each) => ({ tx: each, ...balanceChange(each) }));
    assert.equal(changes[0].tx, tx);
    assert.equal(
      after,
      changes.reduce((sum, { change }) => sum + change, before),
      "money appeared or was lost",
    );
    const [{ coins, bounce, storage, change }, ...rest] = changes;
    const total = before + coins - storage;
    const value = bounce || coins < total ? coins : total;
    const later = rest.map((each) => ({ tx: each.tx, gain: each.change + each.storage }));
    return { spendableBalance: total - value, value, balanceAfter: before + change, later };
  }

  /**
   * Advances the clock. The pool's keeper tops it up to `brink` nano of unpaid storage fees before it would
   * freeze, and does the same with the accounts in `besides`. An `unattended` pool has no keeper.
   */
  async advanceTime(
    seconds: number,
    brink: bigint,
    besides: readonly Address[] = [],
    unattended = false,
  ): Promise<Outcome | undefined> {
    assert.ok(brink < FREEZE_DEBT);
    const { pool } = this;
    const then = Math.min(this.now + seconds, MAX_UNIX_TIME);
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
    const rescue = own > 0n && !unattended ? await this.topUp(own) : undefined;
    pool.chain.now = then;
    return rescue;
  }

  /** Adds an amount to the pool with a message that does not bounce. */
  topUp(amount: bigint): Promise<Outcome> {
    return this.pool.send(emptyBody, amount + this.prices.gas(2_000n), { bounce: false });
  }

  /** Changes the prices. Storage fees due at the old prices are paid first. */
  async setPrices(prices: PriceName): Promise<Outcome> {
    const settled = await this.topUp(0n);
    this.pool.chain.setConfig(configs[prices]);
    this.prices = chainPrices(configs[prices]);
    return settled;
  }
}

/** Returns the change of an account's balance by an ordinary transaction, in nano. */
function balanceChange({ description, inMessage, totalFees, outMessages }: Transaction) {
  assert.ok(description.type === "generic" && inMessage?.info.type === "internal");
  const { bounce, value: { coins } } = inMessage.info;
  const left = outMessages.values().reduce(
    (sum, { info }) => info.type === "internal" ? sum + info.value.coins + info.forwardFee : sum,
    0n,
  );
  const storage = description.storagePhase?.storageFeesCollected ?? 0n;
  return { coins, bounce, storage, change: coins - totalFees.coins - left };
}
