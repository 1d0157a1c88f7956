/** A pool with its model, and the checks after each message. */
import assert from "node:assert/strict";
import type { Address, Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { FREEZE_DEBT, PoolLedger } from "./pool_ledger.ts";
import { maxStorageSize, type PoolModel } from "./pool_model.ts";
import { PartyAddresses } from "./parties.ts";
import type { Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import type { OutcomeCounts } from "./coverage.ts";
import type { Scenario } from "./scenarios.ts";

export const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);

export abstract class CheckedPool {
  readonly parties: PartyAddresses;
  readonly ledger: PoolLedger;

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

  /**
   * Sends a message that must be rejected: it pays for itself, and the rest of its value bounces if the
   * message may bounce. The pool itself returns a deposit, with either bounce flag.
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

  /** Asserts that the chain has not frozen the pool, and would not freeze it at its next message. */
  async expectFunded(): Promise<void> {
    const { balance, due } = await this.ledger.account();
    assert.ok(due - balance < FREEZE_DEBT, `storage is unpaid: ${due} due, ${balance} there`);
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
    const listed = Array.from({ length: history.remaining }, () => history.readBigNumber());
    assert.deepEqual(listed.filter((root) => root !== 0n), model.known);
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
