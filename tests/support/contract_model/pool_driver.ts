/**
 * Runs scenarios on a pool of either asset. The driver predicts each message's outcome from contracts/SPEC.md before
 * it sends the message, to the nano and the exit code, and compares afterwards.
 */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { opCodes, storeAdmin, storeRecoverStuck } from "../../../src/core/protocol/messages.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/jetton_messages.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { FREEZE_DEBT, PoolLedger } from "./pool_ledger.ts";
import {
  codesCheckedAfterProof,
  invalidWithdrawals,
  provenWithdrawal,
  type WithdrawFields,
} from "./invalid_messages.ts";
import { CAPACITY, maxStorageSize, type PoolModel } from "./pool_model.ts";
import { PartyAddresses } from "./parties.ts";
import { emptyBody, type Outcome, type PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import type { OutcomeCounts } from "./coverage.ts";
import {
  DAY,
  type OfferedValue,
  type Scenario,
  type Step,
  type WithdrawalChoice,
  YEAR,
} from "./scenarios.ts";

/** Of more unspent notes, not every one is withdrawn by a message in the end. */
const MOST_PAID_ALL = 200;

/** The value that a withdrawal needs. */
export interface WithdrawalCost {
  /** The smallest value that is accepted. One nano less is rejected. */
  readonly minValue: bigint;
  /** What stays in the pool. */
  readonly retained: bigint;
}

/** A quote that a note holder received. */
interface Quote {
  readonly value: bigint;
  readonly refund: bigint;
  readonly at: number;
}

export const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);

/** Returns a reader of the constants of a Tolk source. */
export function tolkConstant(file: string): (name: string) => bigint {
  const source = Deno.readTextFileSync(new URL(`../../../contracts/${file}`, import.meta.url));
  return (name) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(source)![1]);
}

export abstract class PoolDriver {
  readonly parties: PartyAddresses;
  readonly ledger: PoolLedger;
  #quotes: Quote[] = [];
  /** Seconds that an unattended pool was left alone, times the ratio of prices. */
  #idled = 0;

  constructor(
    readonly pool: PoolSandbox,
    readonly model: PoolModel,
    readonly history: Scenario,
    readonly counts: OutcomeCounts,
    /** Cells and bits of a pool without its keys. */
    readonly fixed: { readonly cells: bigint; readonly bits: bigint },
  ) {
    this.ledger = new PoolLedger(pool, history.prices);
    this.parties = new PartyAddresses(pool);
  }

  /** Puts the pool in the state that the scenario starts with. */
  async setUp(): Promise<void> {
    const { model, pool, history: { covered, spare, unattended } } = this;
    const owed = this.coinsOwed();
    model.touched = this.ledger.now;
    await this.parties.deploy();
    const balance = unattended ? this.promisedBalance() : owed * BigInt(covered) / 1_000n + spare;
    await pool.setState({ data: model.data(), balance });
  }

  /** Runs every step, then pays everything that is owed: the pool must always hold the money. */
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

  /** Withdraws all remaining notes. Of many, those in the middle are withdrawn in the model alone. */
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
      if (i === 2 && this.model.unspent > MOST_PAID_ALL) await this.skipWithdrawals(this.model.unspent - 3);
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
        this.#quotes = [];
        this.expectTopUp(await this.ledger.setPrices(step.prices));
        // What the other accounts owe for the time before counts at the new prices.
        await this.ledger.advanceTime(0, 0n, this.otherAccounts, true);
        return;
      case "sweep":
        return await this.sweep(step);
      case "pause":
        return await this.pause(step);
    }
  }

  /**
   * Lets time pass. An unattended pool is left alone for as long as SPEC.md promises that it lives: the period that its
   * endowment pays, divided by the highest ratio of prices to those at the start.
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

  /** Asserts that the chain has not frozen the pool, and would not at its next message. */
  async expectFunded(): Promise<void> {
    const { balance, due } = await this.ledger.account();
    assert.ok(due - balance < FREEZE_DEBT, `storage is unpaid: ${due} due, ${balance} there`);
  }

  /** Returns how many times the prices of the start storage costs now, at least 1. */
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

  /** Accounts that are kept from freezing, beside the pool. */
  get otherAccounts(): readonly Address[] {
    return [];
  }

  /** Returns what SPEC.md says that a pool in this state has, if prices were always those of the start. */
  abstract promisedBalance(): bigint;
  /** Returns the seconds that SPEC.md promises an unattended pool at the prices of the start. */
  abstract promisedSeconds(): number;
  /** Withdraws so many notes in the model, and puts the pool in that state with what each of them leaves. */
  abstract skipWithdrawals(count: number): Promise<void>;
  /** Changes what the pool's wallet asks of a transfer. A native pool has no wallet. */
  gateWallet(_minValue: bigint): Promise<void> {
    return Promise.resolve();
  }
  /** Pays a refused payout again. A native pool has none. */
  retryClaim(_step: Step & { do: "retry" }): Promise<void> {
    return Promise.resolve();
  }
  /** Pays every refused payout. */
  payClaims(): Promise<void> {
    return Promise.resolve();
  }
  /** Returns the code with which a withdrawal is refused that fails with `code`, or would be paid. */
  withdrawalCode(code?: ExitCodeName): ExitCodeName | undefined {
    return code;
  }
  /** Coins that the unspent notes are worth. */
  abstract coinsOwed(): bigint;
  abstract deposit(key: WithdrawalChoice["key"], bounce: boolean): Promise<void>;
  abstract invalidDeposit(fault: string, bounce: boolean): Promise<void>;
  abstract wrongDenomination(amount: bigint): Promise<void>;
  /**
   * Returns what a withdrawal needs if the pool has `ground` beside the message's value, and owes `unpaid` for storage.
   */
  abstract demand(fields: WithdrawFields, from: Address, ground: bigint, unpaid: bigint): WithdrawalCost;
  /**
   * Returns the expected result of get_withdraw_value. The emulator runs get methods without the storage that the chain
   * has recorded as due, so the quotes have to suffice without it.
   */
  abstract expectedQuote(refund: bigint, balance: bigint): bigint;
  /** Asserts the payouts of an accepted withdrawal. */
  abstract assertPaid(
    fields: WithdrawFields,
    from: Address,
    outcome: Outcome,
    demand: WithdrawalCost,
    ground: bigint,
  ): Promise<void>;
  /** Balance that the owner cannot withdraw. */
  abstract reservedBalance(): bigint;
  /** Returns whether this pool may pay both parties. */
  abstract canPay(fields: WithdrawFields): boolean;

  /** Returns the fields of a valid withdrawal. */
  fields({ key, root, fee, edge, refund, recipient, relayer }: WithdrawalChoice): WithdrawFields {
    const { model, parties } = this;
    const { known, denomination } = model;
    const exact = fee === null ? 0n : denomination * BigInt(fee) / 1_000n + BigInt(edge);
    return {
      queryId: 0n,
      root: known[root % known.length],
      nullifierHash: model.key(key, model.nullifiers),
      fee: fee === null || exact < 0n ? 0n : exact > denomination ? denomination : exact,
      refund,
      recipient: parties.of(recipient),
      relayer: fee === null ? null : parties.of(relayer),
    };
  }

  /** Returns the exit code of a deposit with the right amount and at most one `fault`. */
  depositCode(fault?: ExitCodeName): ExitCodeName | undefined {
    const { paused, deposits } = this.model;
    return paused ? "ERR_PAUSED" : deposits >= CAPACITY ? "ERR_POOL_FULL" : fault;
  }

  /** Returns what a withdrawal needs now. */
  async currentDemand(fields: WithdrawFields, from: Address): Promise<WithdrawalCost> {
    const { ledger } = this;
    return this.demand(fields, from, await ledger.spendableBalance(), await ledger.unpaidStorage());
  }

  async withdraw(choice: WithdrawalChoice, offer: OfferedValue, bounce = true): Promise<void> {
    const fields = this.fields(choice);
    const from = this.parties.of(choice.sender);
    const { minValue: least } = await this.currentDemand(fields, from);
    const value = offer === "quote" && await this.canQuote()
      ? await this.pool.withdrawValue(fields.refund)
      : least + (offer === "ample" ? 1_234_567_890n : 0n);
    await this.submit(fields, value, from, bounce);
  }

  /**
   * Sends a withdrawal. It must be accepted if a note is left and both parties can be paid. From a message that does not
   * bounce, the chain first deducts the storage fees that the balance does not cover.
   */
  async submit(fields: WithdrawFields, value: bigint, from: Address, flag = true): Promise<void> {
    const { model, pool, ledger: books } = this;
    const foretold = await books.spendableBalance();
    const unpaid = await books.unpaidStorage();
    const bounce = flag || value - unpaid < books.prices.gas(400_000n); // too little to run at all
    const demand = this.demand(fields, from, foretold, bounce ? unpaid : 0n);
    const body = provenWithdrawal(fields);
    const isShort = !bounce && value - unpaid < demand.minValue;
    const code = this.withdrawalCode(
      model.unspent === 0
        ? "ERR_PROOF_INVALID"
        : !this.canPay(fields)
        ? "ERR_BAD_ADDRESS"
        : isShort
        ? "ERR_INSUFFICIENT_VALUE"
        : undefined,
    );
    if (code) return await this.expectRejected(code, body, value, from, bounce);
    const outcome = await pool.send(body, value, { from, bounce });
    if (!bounce) this.count("withdrawal without the bounce flag");
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid withdrawal was not paid");
    const { spendableBalance: ground } = books.audit(outcome);
    assert.equal(ground, foretold, "storage took another fee");
    const { nullifierHash, fee, refund, recipient, relayer } = fields;
    assert.deepEqual(
      outcome.logs.map((log) => ({ ...log, recipient: undefined, relayer: undefined })),
      [{ kind: "withdrawal", nullifierHash, fee, refund, recipient: undefined, relayer: undefined }],
    );
    const [log] = outcome.logs;
    assert.ok(log?.kind === "withdrawal" && log.recipient.equals(recipient));
    assert.equal(String(log.relayer), String(relayer));
    await this.assertPaid(fields, from, outcome, demand, ground);
    model.withdraw(nullifierHash, books.now);
    this.count("withdrawal paid");
  }

  async invalidWithdrawal(choice: WithdrawalChoice, fault: string): Promise<void> {
    const { model, pool } = this;
    const wrong = invalidWithdrawals[fault](this.fields(choice), model, pool.address);
    if (wrong === undefined) return;
    const [body, code] = wrong;
    const none = model.unspent === 0 && codesCheckedAfterProof.includes(code);
    const value = await pool.withdrawValue(choice.refund);
    const expected = this.withdrawalCode(none ? "ERR_PROOF_INVALID" : code)!;
    await this.expectRejected(expected, body, value, this.parties.of(choice.sender));
  }

  async underfundedWithdrawal(choice: WithdrawalChoice): Promise<void> {
    const { model } = this;
    const fields = this.fields(choice);
    if (model.unspent === 0 || !this.canPay(fields)) return;
    const from = this.parties.of(choice.sender);
    const { minValue: least } = await this.currentDemand(fields, from);
    const code = this.withdrawalCode("ERR_INSUFFICIENT_VALUE")!;
    await this.expectRejected(code, provenWithdrawal(fields), least - 1n, from);
  }

  /** A note holder requests a quote and stores it. */
  async quote(refund: bigint): Promise<void> {
    const { balance } = await this.ledger.account();
    const value = await this.pool.withdrawValue(refund);
    assert.equal(value, this.expectedQuote(refund, balance), "another quote than SPEC.md's");
    if (this.model.unspent > 0 && await this.canQuote()) {
      this.#quotes.push({ value, refund, at: this.ledger.now });
    }
    this.count("quote");
  }

  /**
   * Returns whether the getter can know the due storage fees: it counts from the last deposit or withdrawal (SPEC.md,
   * condition 4).
   */
  async canQuote(): Promise<boolean> {
    const { model, ledger: books } = this;
    const seconds = BigInt(books.now - model.touched);
    return (await books.account()).due <=
      books.prices.storage({ ...maxStorageSize(model, this.fixed), seconds });
  }

  /** Withdraws with exactly the value that was quoted at most a day ago, whatever has happened since. */
  async withdrawAtQuote(choice: WithdrawalChoice): Promise<void> {
    this.#quotes = this.#quotes.filter(({ at }) => at + DAY >= this.ledger.now);
    if (this.model.unspent === 0) return;
    const quote = this.#quotes.shift();
    if (!quote) return;
    const fields = this.fields({ ...choice, refund: quote.refund });
    if (!this.canPay(fields)) return;
    await this.submit(fields, quote.value, this.parties.of(choice.sender));
    if (this.withdrawalCode() === undefined) this.count("landed as quoted");
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
    if (amount <= books.prices.forward(0)) return; // too little to pay for its own transfer
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

  /**
   * Sends a message that must be rejected: it pays for itself, and the rest of its value bounces if it may. The pool
   * returns a deposit itself, whether or not it may bounce.
   */
  async expectRejected(
    code: ExitCodeName,
    body: Cell,
    value: bigint,
    from: Address,
    bounce = true,
  ): Promise<void> {
    const outcome = await this.pool.send(body, value, { from, bounce });
    assert.equal(outcome.exitCode, exitCodes[code], code);
    const { spendableBalance: ground, value: seen } = this.ledger.audit(outcome);
    assert.deepEqual(outcome.logs, []);
    const isDeposit = opCodeOf(body) === opCodes.deposit;
    if (bounce || isDeposit) {
      const [{ info, body: back }] = outcome.sent;
      assert.equal(outcome.balanceAfter, ground, "a message that is refused moved the pool's money");
      assert.ok(outcome.sent.length === 1 && info.type === "internal" && info.bounced !== isDeposit);
      if (isDeposit) assert.equal(loadDepositRefusal(back), code);
    } else {
      assert.equal(outcome.sent.length, 0);
      assert.ok(outcome.balanceAfter >= ground && outcome.balanceAfter <= ground + seen);
    }
    this.count(code);
  }

  /** Asserts that the pool keeps a message's value, less its cost. */
  expectValueKept(outcome: Outcome): void {
    this.ledger.audit(outcome);
    assert.deepEqual([outcome.sent.length, outcome.logs.length], [0, 0]);
  }

  expectTopUp(rescue: Outcome | undefined): void {
    if (rescue === undefined) return;
    this.expectValueKept(rescue);
    this.count("topped up");
  }

  /** Compares state, size and debt after a step. */
  async compareState(): Promise<void> {
    const { model, pool, ledger: books } = this;
    assert.ok((await pool.data()).equals(model.data()), "the pool's state is not the model's");
    const bound = maxStorageSize(model, this.fixed);
    const { cells, bits } = await books.account();
    assert.ok(cells <= bound.cells && bits <= bound.bits, `${cells} cells, ${bits} bits`);
    assert.ok(model.unspent > 0 || model.debt === 0n, "something is owed by nobody");
  }

  async compareGetters(): Promise<void> {
    const { model, pool } = this;
    const { deposits, withdrawals, debt, touched, paused } = await pool.getPoolInfo();
    assert.deepEqual(
      { deposits, withdrawals, debt, touched, paused },
      {
        deposits: model.deposits,
        withdrawals: model.withdrawals,
        debt: model.debt,
        touched: model.touched,
        paused: model.paused,
      },
    );
    assert.equal(await pool.nextIndex(), model.deposits);
    assert.equal((await pool.get("getCurrentRoot")).readBigNumber(), model.root);
    const history = (await pool.get("get_root_history")).readTuple();
    const told = Array.from({ length: history.remaining }, () => history.readBigNumber());
    assert.deepEqual(told.filter((root) => root !== 0n), model.known);
    for (
      const [getter, keys, set] of [
        ["getIsSpent", model.spent, model.nullifiers],
        ["getIsDeposited", model.deposited, model.commitments],
      ] as const
    ) {
      for (const key of [...keys.slice(0, 2), model.key("even", set), model.key("crowded", set)]) {
        assert.equal((await pool.get(getter, key)).readBoolean(), set.has(key));
      }
    }
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
