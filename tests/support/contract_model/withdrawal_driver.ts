/** The withdrawals of a scenario: valid ones, ones that must be refused, and ones at a quoted price. */
import assert from "node:assert/strict";
import type { Address } from "@ton/core";
import { CheckedPool } from "./checked_pool.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import {
  codesCheckedAfterProof,
  invalidWithdrawals,
  provenWithdrawal,
  type WithdrawFields,
} from "./invalid_messages.ts";
import { maxStorageSize } from "./pool_model.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";
import { DAY, type OfferedValue, type WithdrawalChoice } from "./scenarios.ts";

/** The value that a withdrawal needs. */
export interface WithdrawalCost {
  /** The smallest value that the pool accepts. It rejects one nano less. */
  readonly minValue: bigint;
  /** The coins that stay in the pool. */
  readonly retained: bigint;
}

/** A quote that a note holder received. */
interface Quote {
  readonly value: bigint;
  readonly refund: bigint;
  readonly at: number;
}

export abstract class WithdrawalDriver extends CheckedPool {
  protected quotes: Quote[] = [];

  /** Returns the exit code of a withdrawal that would otherwise fail with `code`, or be paid. */
  withdrawalCode(code?: ExitCodeName): ExitCodeName | undefined {
    return code;
  }
  /**
   * Returns the value that a withdrawal needs if the pool has `ground` in addition to the message's value,
   * and owes `unpaid` for storage.
   */
  abstract demand(fields: WithdrawFields, from: Address, ground: bigint, unpaid: bigint): WithdrawalCost;
  /**
   * Returns the expected result of get_withdraw_value. The emulator runs get methods without the storage that
   * the chain has recorded as due, so the quotes must be sufficient without it.
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

  /** Returns the value that a withdrawal needs now. */
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
   * Sends a withdrawal. The pool must accept it if a note is left and both parties can be paid. From a
   * message that does not bounce, the chain first deducts the storage fees that the balance does not cover.
   */
  async submit(fields: WithdrawFields, value: bigint, from: Address, flag = true): Promise<void> {
    const { model, pool, ledger: books } = this;
    const foretold = await books.spendableBalance();
    const unpaid = await books.unpaidStorage();
    const bounce = flag || value - unpaid < books.prices.gas(400_000n); // too low to run at all
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
      this.quotes.push({ value, refund, at: this.ledger.now });
    }
    this.count("quote");
  }

  /**
   * Returns whether the getter can know the due storage fees: it counts from the last deposit or withdrawal
   * (SPEC.md, condition 4).
   */
  async canQuote(): Promise<boolean> {
    const { model, ledger: books } = this;
    const seconds = BigInt(books.now - model.touched);
    return (await books.account()).due <=
      books.prices.storage({ ...maxStorageSize(model, this.fixed), seconds });
  }

  /** Withdraws with exactly the value that was quoted at most a day ago, even if the pool has changed. */
  async withdrawAtQuote(choice: WithdrawalChoice): Promise<void> {
    this.quotes = this.quotes.filter(({ at }) => at + DAY >= this.ledger.now);
    if (this.model.unspent === 0) return;
    const quote = this.quotes.shift();
    if (!quote) return;
    const fields = this.fields({ ...choice, refund: quote.refund });
    if (!this.canPay(fields)) return;
    await this.submit(fields, quote.value, this.parties.of(choice.sender));
    if (this.withdrawalCode() === undefined) this.count("landed as quoted");
  }
}
