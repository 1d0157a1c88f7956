/** Runs scenarios on a native pool and compares its balance with contracts/v1/SPEC.md after each message. */
import assert from "node:assert/strict";
import type { Address } from "@ton/core";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { PoolLedger } from "./pool_ledger.ts";
import { invalidDeposits, provenDeposit, type WithdrawFields } from "./invalid_messages.ts";
import { type KeyPlacement, maxStorageSize, PoolModel } from "./pool_model.ts";
import { PoolDriver } from "./pool_driver.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { max } from "./checked_pool.ts";
import type { WithdrawalCost } from "./withdrawal_driver.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { type Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { DAY, type Scenario, YEAR } from "./scenarios.ts";
import type { OutcomeCounts } from "./coverage.ts";

const constant = await contractConstants(1);
const HIGHEST_GAS = constant("GAS_HIGHEST_PATH");
const FIXED = { cells: constant("FIXED_CELLS"), bits: constant("FIXED_BITS") };
const TWO_DECADES = 631_152_000n;
const RESERVE = 10_000_000n;
const ACCRUAL = 5_000_000n;
const SWEEP_FLOOR = 2_500_000_000n;
const LOG = { cells: 1n, bits: 534n };
/** The gas that the pool may charge beyond what it used. */
const GAS_TOLERANCE = 300n;

const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;

export class NativePoolDriver extends PoolDriver {
  static async open(
    history: Scenario,
    tally: OutcomeCounts,
    code?: Parameters<typeof PoolSandbox.open>[0],
  ): Promise<NativePoolDriver> {
    const { start, prices } = history;
    const pool = await PoolSandbox.open({
      config: PoolLedger.config(prices),
      denomination: start.denomination,
      owner: start.owner === "burned" ? "burned" : undefined,
      ...code,
    });
    const owner = start.owner === "burned" ? null : pool.owner.address;
    const run = new NativePoolDriver(
      pool,
      new PoolModel(start.denomination, owner, start),
      history,
      tally,
      FIXED,
    );
    const each = run.ledger.prices.gas(HIGHEST_GAS) * BigInt(history.owed) / 1_000n;
    run.model.debt = max(0n, each * BigInt(start.unspent) - 1n); // not divisible by the number of notes
    return run;
  }

  /**
   * Returns the value of the notes without the gas of their deposits, the deployer's 2.5, and what each
   * withdrawal left.
   */
  promisedBalance(): bigint {
    const left = BigInt(this.model.withdrawals) * this.#accrual();
    return this.coinsOwed() - this.model.debt + SWEEP_FLOOR + left;
  }

  /** Returns 17 years at mainnet's prices, for any size of the pool (docs/security.md). */
  promisedSeconds(): number {
    const year = { cells: 1n, bits: 102n, seconds: BigInt(YEAR) };
    const mainnet = chainPrices(PoolLedger.config("mainnet")).storage(year);
    const start = chainPrices(PoolLedger.config(this.history.prices)).storage(year);
    return 17 * YEAR * Number(mainnet) / Number(start);
  }

  async skipWithdrawals(count: number): Promise<void> {
    const { model, pool, ledger } = this;
    let balance = await ledger.spendableBalance();
    for (let i = 0; i < count; i++) {
      const { share, total } = this.#keep(balance);
      balance += total - model.denomination;
      model.debt -= share;
      model.withdraw(model.key("even", model.nullifiers), ledger.now);
    }
    await pool.setState({ data: model.data(), balance });
  }

  coinsOwed(): bigint {
    return BigInt(this.model.unspent) * this.model.denomination;
  }

  async deposit(key: KeyPlacement, bounce: boolean): Promise<void> {
    const { model, pool, ledger: books } = this;
    const [commitment, newRoot, leafIndex] = [
      model.key(key, model.commitments),
      model.element(),
      model.deposits,
    ];
    const body = provenDeposit({ queryId: 0n, commitment, newRoot, leafIndex }, model.root);
    const code = await this.#code(undefined, bounce);
    if (code) return await this.expectRejected(code, body, model.denomination, pool.user.address, bounce);

    const outcome = await pool.send(body, model.denomination, { bounce });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid deposit was refused");
    const { spendableBalance: ground, value } = books.audit(outcome);
    assert.equal(value, model.denomination);
    assert.deepEqual(outcome.logs, [{ kind: "deposit", commitment, leafIndex, timestamp: books.now }]);
    assert.equal(outcome.sent.length, 0);
    const charged = (await pool.getPoolInfo()).debt - model.debt;
    const burned = ground + value - outcome.balanceAfter;
    assert.ok(charged >= burned, `a deposit burned ${burned} and owes ${charged}`);
    assert.ok(
      charged - burned <= books.prices.gas(GAS_TOLERANCE),
      `a deposit burned ${burned} and owes ${charged}`,
    );
    model.debt += charged;
    model.deposit(commitment, newRoot, books.now);
    this.count("deposit taken");
  }

  async invalidDeposit(fault: string, bounce: boolean): Promise<void> {
    const { model, pool } = this;
    const honest = {
      queryId: 0n,
      commitment: model.key("even", model.commitments),
      newRoot: model.element(),
      leafIndex: model.deposits,
    };
    const wrong = invalidDeposits[fault](honest, model, pool.address);
    if (wrong === undefined) return;
    const code = await this.#code(wrong[1], bounce);
    await this.expectRejected(code!, wrong[0], model.denomination, pool.user.address, bounce);
  }

  async wrongDenomination(amount: bigint): Promise<void> {
    const { model, pool } = this;
    const honest = {
      queryId: 0n,
      commitment: model.key("even", model.commitments),
      newRoot: model.element(),
      leafIndex: model.deposits,
    };
    const near = model.denomination + amount - 1_000_000_000n;
    const value = near === model.denomination ? near + 1n : max(near, 100_000_000n);
    const body = provenDeposit(honest, model.root);
    await this.expectRejected("ERR_WRONG_DENOMINATION", body, value, pool.user.address);
  }

  /**
   * Returns the exit code. The value of a message that does not bounce first pays the due storage fees, and
   * may then be too low.
   */
  async #code(fault: ExitCodeName | undefined, bounce: boolean): Promise<ExitCodeName | undefined> {
    const { balance, due } = await this.ledger.account();
    return !bounce && due > balance ? "ERR_WRONG_DENOMINATION" : this.depositCode(fault);
  }

  /** Returns the coins that each withdrawal leaves in the pool permanently. */
  #accrual(): bigint {
    return max(ACCRUAL, this.ledger.prices.storage({ cells: 1n, bits: 1023n, seconds: TWO_DECADES }));
  }

  #keep(ground: bigint): { share: bigint; total: bigint } {
    const { model } = this;
    const unspent = BigInt(model.unspent);
    const payers = max(1n, unspent);
    const share = divCeil(model.debt, payers);
    const solvency = divCeil(max(0n, unspent * model.denomination - ground), payers);
    return { share, total: max(RESERVE, share + this.#accrual(), solvency) };
  }

  demand({ fee, refund, recipient, relayer }: WithdrawFields, from: Address, ground: bigint): WithdrawalCost {
    const { model, ledger: { prices } } = this;
    const payout = model.denomination - fee + refund;
    const keep = this.#keep(ground).total;
    const fees = prices.forward(0, LOG) + (payout > 0n ? prices.forward(recipient.workChain) : 0n) +
      (fee > 0n ? prices.forward(relayer!.workChain) : 0n) + prices.forward(from.workChain);
    return { retained: keep, minValue: prices.gas(HIGHEST_GAS) + fees + refund + keep };
  }

  expectedQuote(refund: bigint, balance: bigint): bigint {
    const { model, ledger: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...maxStorageSize(model, FIXED), seconds: BigInt(seconds) });
    const keep = this.#keep(max(0n, balance - storage(now - model.touched))).total;
    return 2n * prices.gas(HIGHEST_GAS) + 3n * prices.forward(-1) + prices.forward(0, LOG) + refund + keep +
      storage(DAY);
  }

  async assertPaid(
    { fee, refund, recipient, relayer }: WithdrawFields,
    from: Address,
    outcome: Outcome,
    { retained: keep }: WithdrawalCost,
    ground: bigint,
  ): Promise<void> {
    const { model, pool, ledger: { prices } } = this;
    const payout = model.denomination - fee + refund;
    const paid = outcome.sent.map(({ info }) => {
      assert.ok(info.type === "internal" && !info.bounce && !info.bounced);
      return [String(info.dest), info.value.coins] as const;
    });
    const due = [[String(recipient), payout], [String(relayer), fee]].filter(([, amount]) => amount !== 0n);
    assert.deepEqual(paid.slice(0, -1), due, "recipient and relayer to the nano");
    assert.equal(paid.at(-1)![0], String(from), "what is left goes to the sender");
    if (payout > 0n && this.parties.isFresh(recipient)) {
      assert.equal((await pool.chain.getContract(recipient)).balance, payout);
    }
    const beside = outcome.balanceAfter - (ground + keep - model.denomination);
    const nobody = prices.forward(0, LOG) - prices.forward(0, { cells: 1n, bits: LOG.bits - 265n });
    assert.ok(beside >= 0n, `the pool lacks ${-beside} of what it keeps`);
    assert.ok(beside <= prices.gas(GAS_TOLERANCE) + nobody, `the pool keeps ${beside} too much`);
    model.debt -= this.#keep(ground).share;
  }

  reservedBalance(): bigint {
    const { model, ledger: { prices } } = this;
    const storage = prices.storage({ ...maxStorageSize(model, FIXED), seconds: TWO_DECADES });
    return BigInt(model.unspent) * model.denomination + model.debt + max(SWEEP_FLOOR, storage);
  }

  canPay(): boolean {
    return true;
  }
}
