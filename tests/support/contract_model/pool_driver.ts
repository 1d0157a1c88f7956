/**
 * Runs scenarios on a pool of either asset. The driver predicts each message's outcome from contracts/v1/SPEC.md before
 * it sends the message, to the nano and the exit code, and compares afterwards.
 */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { max } from "./checked_pool.ts";
import { WithdrawalDriver } from "./withdrawal_driver.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { storeAdmin, storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { PoolLedger } from "./pool_ledger.ts";
import { CAPACITY } from "./pool_model.ts";
import { emptyBody } from "../../../testkit/chain/pool_sandbox.ts";
import { type Step, type WithdrawalChoice, YEAR } from "./scenarios.ts";

/**
 * The maximum number of unspent notes that messages withdraw at the end. Of more notes, the model alone
 * withdraws some.
 */
const MAX_PAID_ALL = 200;

export abstract class PoolDriver extends WithdrawalDriver {
  /** The seconds for which an unattended pool was left alone, times the ratio of prices. */
  #idled = 0;

  /** Puts the pool into the initial state of the scenario. */
  async setUp(): Promise<void> {
    const { model, pool, history: { covered, spare, unattended } } = this;
    const owed = this.coinsOwed();
    model.touched = this.ledger.now;
    await this.parties.deploy();
    const balance = unattended ? this.promisedBalance() : owed * BigInt(covered) / 1_000n + spare;
    await pool.setState({ data: model.data(), balance });
  }

  /** Runs every step, then pays everything that the pool owes: it must always hold the money. */
  async run(): Promise<void> {
    await this.setUp();
    for (const step of this.history.steps) {
      await this.step(step);
      await this.compareState();
    }
    await this.payClaims();
    await this.compareState();
    await this.withdrawAll();
    assert.equal(this.model.debt, 0n, "something is owed by nobody");
    await this.compareGetters();
  }

  /** Withdraws all remaining notes. If there are many, the model alone withdraws those in the middle. */
  async withdrawAll(): Promise<void> {
    const sure: WithdrawalChoice = {
      key: "even",
      root: 7,
      fee: 10,
      edge: 0,
      refund: 5n,
      recipient: "fresh",
      relayer: "fresh",
      sender: "fresh",
    };
    for (let i = 0; this.model.unspent > 0; i++) {
      await this.withdraw(sure, i % 2 === 0 ? "least" : "quote");
      await this.compareState();
      if (i === 2 && this.model.unspent > MAX_PAID_ALL) await this.skipWithdrawals(this.model.unspent - 3);
    }
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case "deposit":
        return await this.deposit(step.key, step.bounce);
      case "wrong deposit":
        return await this.invalidDeposit(step.fault, step.bounce);
      case "wrong amount":
        return await this.wrongDenomination(step.amount);
      case "withdraw":
        return await this.withdraw(step.choice, step.offer, step.bounce);
      case "wrong withdrawal":
        return await this.invalidWithdrawal(step.choice, step.fault);
      case "one nano short":
        return await this.underfundedWithdrawal(step.choice);
      case "quote":
        return await this.quote(step.refund);
      case "as quoted":
        return await this.withdrawAtQuote(step.choice);
      case "stray":
        return await this.otherMessage(step);
      case "idle":
        return await this.idle(step);
      case "gate":
        return await this.gateWallet(step.minValue);
      case "retry":
        return await this.retryClaim(step);
      case "reprice":
        this.quotes = [];
        this.expectTopUp(await this.ledger.setPrices(step.prices));
        // The new prices also apply to the storage that the other accounts owe for the time before.
        await this.ledger.advanceTime(0, 0n, this.otherAccounts, true);
        return;
      case "sweep":
        return await this.sweep(step);
      case "pause":
        return await this.pause(step);
    }
  }

  /**
   * Lets time pass. An unattended pool is left alone for the whole time that SPEC.md promises: the period
   * that its endowment pays, divided by the highest ratio of prices to those at the start.
   */
  async idle({ seconds, brink }: Step & { do: "idle" }): Promise<void> {
    const { ledger, history: { unattended } } = this;
    if (!unattended) {
      return this.expectTopUp(await ledger.advanceTime(seconds, brink, this.otherAccounts));
    }
    const left = (this.promisedSeconds() - this.#idled) / this.#priceRatio();
    const before = ledger.now;
    await ledger.advanceTime(Math.floor(Math.min(seconds, left)), 0n, this.otherAccounts, true);
    this.#idled += (ledger.now - before) * this.#priceRatio();
    await this.expectFunded();
    if (ledger.now - before > 10 * YEAR) this.count("left alone for a decade");
  }

  /** Returns the ratio of the storage price to that at the start, at least 1. */
  #priceRatio(): number {
    const start = chainPrices(PoolLedger.config(this.history.prices));
    const sizes = [{ cells: 2n, bits: 204n }, { cells: 2_860n, bits: 70_000n }];
    return Math.max(
      1,
      ...sizes.map((size) => {
        const [now, then] = [this.ledger.prices, start].map((prices) =>
          Number(prices.storage({ ...size, seconds: 1_000_000_000n }))
        );
        return now / then;
      }),
    );
  }

  /** Returns the accounts beside the pool that must not freeze. */
  get otherAccounts(): readonly Address[] {
    return [];
  }

  /** Returns the balance that SPEC.md promises for this state at the prices of the start. */
  abstract promisedBalance(): bigint;
  /** Returns the seconds that SPEC.md promises an unattended pool at the prices of the start. */
  abstract promisedSeconds(): number;
  /**
   * Withdraws `count` notes in the model, and puts the pool into that state with the coins that each
   * withdrawal leaves.
   */
  abstract skipWithdrawals(count: number): Promise<void>;
  /** Changes the value that the pool's wallet requires of a transfer. A native pool has no wallet. */
  gateWallet(_minValue: bigint): Promise<void> {
    return Promise.resolve();
  }
  /** Retries a refused payout. A native pool has none. */
  retryClaim(_step: Step & { do: "retry" }): Promise<void> {
    return Promise.resolve();
  }
  /** Pays every refused payout. */
  payClaims(): Promise<void> {
    return Promise.resolve();
  }
  /** Returns the coins that the unspent notes are worth. */
  abstract coinsOwed(): bigint;
  abstract deposit(key: WithdrawalChoice["key"], bounce: boolean): Promise<void>;
  abstract invalidDeposit(fault: string, bounce: boolean): Promise<void>;
  abstract wrongDenomination(amount: bigint): Promise<void>;
  /** Returns the balance that the owner cannot withdraw. */
  abstract reservedBalance(): bigint;
  /** Returns the exit code of a deposit with the right amount and at most one `fault`. */
  depositCode(fault?: ExitCodeName): ExitCodeName | undefined {
    const { paused, deposits } = this.model;
    return paused ? "ERR_PAUSED" : deposits >= CAPACITY ? "ERR_POOL_FULL" : fault;
  }

  async otherMessage({ form, value }: Step & { do: "stray" }): Promise<void> {
    const bodies: Record<typeof form, Cell> = {
      empty: emptyBody,
      short: beginCell().storeUint(opCodes.withdraw >>> 1, 31).endCell(),
      "unknown op": beginCell().storeUint(0x7e57ab1e, 32).storeUint(7, 64).storeRef(emptyBody).endCell(),
      excesses: beginCell().storeUint(opCodes.excesses, 32).storeUint(7, 64).endCell(),
      bounced: beginCell().storeUint(0xffffffff, 32).storeUint(opCodes.withdraw, 32).endCell(),
    };
    const bounced = form === "bounced";
    const outcome = await this.pool.send(bodies[form], value, { bounced, bounce: !bounced });
    assert.equal(outcome.exitCode, 0);
    this.expectValueKept(outcome);
    this.count("stray kept");
  }

  async sweep({ owner, permille, beyond }: Step & { do: "sweep" }): Promise<void> {
    const { model, pool, parties, ledger: books } = this;
    const surplus = await books.spendableBalance() - this.reservedBalance();
    const from = owner ? pool.owner.address : pool.user.address;
    const amount = beyond ? max(0n, surplus) + 1n : max(0n, surplus) * BigInt(permille) / 1_000n;
    const body = storeRecoverStuck(amount, parties.of("fresh"));
    const value = 200_000_000n;
    if (!owner || model.owner === null) return await this.expectRejected("ERR_NOT_OWNER", body, value, from);
    if (amount > surplus) return await this.expectRejected("ERR_NOT_SURPLUS", body, value, from);
    if (amount <= books.prices.forward(0)) return; // too low for its own transfer
    const outcome = await pool.send(body, value, { from });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
    const { spendableBalance: ground } = books.audit(outcome);
    assert.ok(outcome.balanceAfter >= ground - amount, "more than the amount went");
    assert.ok(outcome.balanceAfter >= this.reservedBalance(), "the owner swept what is not surplus");
    this.count("surplus swept");
  }

  async pause({ owner, paused }: Step & { do: "pause" }): Promise<void> {
    const { model, pool } = this;
    const from = owner ? pool.owner.address : pool.user.address;
    const body = storeAdmin(paused ? "admin_pause" : "admin_unpause");
    if (!owner || model.owner === null) {
      return await this.expectRejected("ERR_NOT_OWNER", body, 200_000_000n, from);
    }
    const outcome = await pool.send(body, 200_000_000n, { from });
    assert.equal(outcome.exitCode, 0);
    this.expectValueKept(outcome);
    model.paused = paused;
    this.count(paused ? "paused" : "unpaused");
  }
}
