/** The money of a native pool through a history of steps, by contracts/SPEC.md. */
import assert from "node:assert/strict";
import type { Address } from "@ton/core";
import type { ExitCodeName } from "../../src/core/errors.ts";
import { PoolBooks } from "./pool_books.ts";
import { depositFaults, provenDeposit, type WithdrawFields } from "./pool_faults.ts";
import { type KeyKind, PoolModel, sizeBound } from "./pool_model.ts";
import { type Demand, max, PoolRun, tolkConstant } from "./pool_run.ts";
import { type Outcome, PoolSandbox } from "./pool_sandbox.ts";
import { DAY, type History } from "./pool_steps.ts";
import type { Tally } from "./pool_tally.ts";

const constant = tolkConstant("fees.tolk");
const HIGHEST_GAS = constant("GAS_HIGHEST_PATH");
const FIXED = { cells: constant("FIXED_CELLS"), bits: constant("FIXED_BITS") };
const TWO_DECADES = 631_152_000n;
const RESERVE = 10_000_000n;
const ACCRUAL = 5_000_000n;
const SWEEP_FLOOR = 2_500_000_000n;
const LOG = { cells: 1n, bits: 534n };
/** Gas that may be charged beyond what was burned. */
const ROOM = 300n;

const divCeil = (a: bigint, b: bigint) => (a + b - 1n) / b;

export class NativeRun extends PoolRun {
  static async open(
    history: History,
    tally: Tally,
    code?: Parameters<typeof PoolSandbox.open>[0],
  ): Promise<NativeRun> {
    const { start, prices } = history;
    const pool = await PoolSandbox.open({
      config: PoolBooks.config(prices),
      denomination: start.denomination,
      owner: start.owner === "burned" ? "burned" : undefined,
      ...code,
    });
    const owner = start.owner === "burned" ? null : pool.owner.address;
    const run = new NativeRun(pool, new PoolModel(start.denomination, owner, start), history, tally, FIXED);
    const each = run.books.prices.gas(HIGHEST_GAS) * BigInt(history.owed) / 1_000n;
    run.model.debt = max(0n, each * BigInt(start.notes) - 1n); // which the notes do not divide
    return run;
  }

  owedInCoins(): bigint {
    return BigInt(this.model.unspent) * this.model.denomination;
  }

  async deposit(key: KeyKind, bounce: boolean): Promise<void> {
    const { model, pool, books } = this;
    const [commitment, newRoot, leafIndex] = [
      model.key(key, model.commitments),
      model.element(),
      model.deposits,
    ];
    const body = provenDeposit({ queryId: 0n, commitment, newRoot, leafIndex }, model.root);
    const code = await this.#code(undefined, bounce);
    if (code) return await this.refused(code, body, model.denomination, pool.user.address, bounce);

    const outcome = await pool.send(body, model.denomination, { bounce });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid deposit was refused");
    const { ground, value } = books.audit(outcome);
    assert.equal(value, model.denomination);
    assert.deepEqual(outcome.logs, [{ kind: "deposit", commitment, leafIndex, timestamp: books.now }]);
    assert.equal(outcome.sent.length, 0);
    const charged = (await pool.info()).debt - model.debt;
    const burned = ground + value - outcome.after;
    assert.ok(charged >= burned, `a deposit burned ${burned} and owes ${charged}`);
    assert.ok(charged - burned <= books.prices.gas(ROOM), `a deposit burned ${burned} and owes ${charged}`);
    model.debt += charged;
    model.deposit(commitment, newRoot, books.now);
    this.count("deposit taken");
  }

  async wrongDeposit(fault: string, bounce: boolean): Promise<void> {
    const { model, pool } = this;
    const honest = {
      queryId: 0n,
      commitment: model.key("even", model.commitments),
      newRoot: model.element(),
      leafIndex: model.deposits,
    };
    const wrong = depositFaults[fault](honest, model, pool.address);
    if (wrong === undefined) return;
    const code = await this.#code(wrong[1], bounce);
    await this.refused(code!, wrong[0], model.denomination, pool.user.address, bounce);
  }

  async wrongAmount(amount: bigint): Promise<void> {
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
    await this.refused("ERR_WRONG_DENOMINATION", body, value, pool.user.address);
  }

  /** What is not bounceable pays what the pool owes for storage before anything else, and arrives short then. */
  async #code(fault: ExitCodeName | undefined, bounce: boolean): Promise<ExitCodeName | undefined> {
    const { balance, due } = await this.books.account();
    return !bounce && due > balance ? "ERR_WRONG_DENOMINATION" : this.depositCode(fault);
  }

  #keep(ground: bigint): { share: bigint; total: bigint } {
    const { model, books: { prices } } = this;
    const unspent = BigInt(model.unspent);
    const payers = max(1n, unspent);
    const share = divCeil(model.debt, payers);
    const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: TWO_DECADES });
    const solvency = divCeil(max(0n, unspent * model.denomination - ground), payers);
    return { share, total: max(RESERVE, share + max(ACCRUAL, endowment), solvency) };
  }

  demand({ fee, refund, recipient, relayer }: WithdrawFields, from: Address, ground: bigint): Demand {
    const { model, books: { prices } } = this;
    const payout = model.denomination - fee + refund;
    const keep = this.#keep(ground).total;
    const fees = prices.forward(0, LOG) + (payout > 0n ? prices.forward(recipient.workChain) : 0n) +
      (fee > 0n ? prices.forward(relayer!.workChain) : 0n) + prices.forward(from.workChain);
    return { keep, least: prices.gas(HIGHEST_GAS) + fees + refund + keep };
  }

  fairQuote(refund: bigint, balance: bigint): bigint {
    const { model, books: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...sizeBound(model, FIXED), seconds: BigInt(seconds) });
    const keep = this.#keep(max(0n, balance - storage(now - model.touched))).total;
    return 2n * prices.gas(HIGHEST_GAS) + 3n * prices.forward(-1) + prices.forward(0, LOG) + refund + keep +
      storage(DAY);
  }

  async assertPaid(
    { fee, refund, recipient, relayer }: WithdrawFields,
    from: Address,
    outcome: Outcome,
    { keep }: Demand,
    ground: bigint,
  ): Promise<void> {
    const { model, pool, books: { prices } } = this;
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
    const beside = outcome.after - (ground + keep - model.denomination);
    const nobody = prices.forward(0, LOG) - prices.forward(0, { cells: 1n, bits: LOG.bits - 265n });
    assert.ok(beside >= 0n, `the pool lacks ${-beside} of what it keeps`);
    assert.ok(beside <= prices.gas(ROOM) + nobody, `the pool keeps ${beside} too much`);
    model.debt -= this.#keep(ground).share;
  }

  reserved(): bigint {
    const { model, books: { prices } } = this;
    const storage = prices.storage({ ...sizeBound(model, FIXED), seconds: TWO_DECADES });
    return BigInt(model.unspent) * model.denomination + model.debt + max(SWEEP_FLOOR, storage);
  }

  mayPay(): boolean {
    return true;
  }
}
