/** Runs scenarios on a jetton pool and compares jettons and coins with contracts/v1/SPEC.md after each message. */
import assert from "node:assert/strict";
import type { Address, Cell } from "@ton/core";
import { FIXED, GAS_TOLERANCE, MAX_OPEN_CLAIMS, RESERVE, RETRY, RETRY_GAS } from "./jetton_costs.ts";
import type { WithdrawalCost } from "./withdrawal_driver.ts";
import { JettonDeposits } from "./jetton_deposits.ts";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { loadPoolLog, opCodes, storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox, opCodeOf } from "../../../testkit/chain/jetton_sandbox.ts";
import { PoolLedger } from "./pool_ledger.ts";
import type { WithdrawFields } from "./invalid_messages.ts";
import { PoolModel } from "./pool_model.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";
import type { Scenario, Step } from "./scenarios.ts";
import { LOCKED, setWalletGate } from "./wallet_gate.ts";
import type { OutcomeCounts } from "./coverage.ts";

export class JettonPoolDriver extends JettonDeposits {
  static async open(history: Scenario, tally: OutcomeCounts, code?: Cell): Promise<JettonPoolDriver> {
    const { start, prices } = history;
    const jettons = await JettonSandbox.open({
      config: PoolLedger.config(prices),
      denomination: start.denomination,
      owner: start.owner === "burned" ? "burned" : undefined,
      code,
    });
    const { pool } = jettons;
    const owner = start.owner === "burned" ? null : pool.owner.address;
    const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet };
    const model = new PoolModel(start.denomination, owner, start, jetton);
    const run = new JettonPoolDriver(pool, model, history, tally, FIXED);
    run.jettons = jettons;
    for (let i = 1; i <= (start.claims ?? 0); i++) {
      model.claims.set(BigInt(i) * 1_000_003n, { amount: BigInt(i), destination: run.parties.of("fresh") });
    }
    const worth = BigInt(model.unspent) * model.denomination + model.claimed;
    if (worth > 0n) await jettons.mint(pool.address, worth);
    return run;
  }

  override get otherAccounts(): readonly Address[] {
    // Payouts of a frozen pool's wallet become claims (idle_test.ts), and a frozen payee's wallet receives
    // nothing. No scenario models either case.
    const payees = [this.parties.of("wallet"), this.parties.of("refusing")];
    return [this.jettons.poolWallet, ...payees.map((payee) => this.jettons.walletOf(payee))];
  }

  async skipWithdrawals(count: number): Promise<void> {
    const { model, pool, ledger } = this;
    const balance = await ledger.spendableBalance() + BigInt(count) * this.keep();
    for (let i = 0; i < count; i++) {
      model.withdraw(model.key("even", model.nullifiers), ledger.now);
    }
    await pool.setState({ data: model.data(), balance });
    this.gifts += BigInt(count) * model.denomination; // no payee received these
  }

  override async gateWallet(minValue: bigint): Promise<void> {
    const { pool: { chain }, minter, poolWallet } = this.jettons;
    if (!await setWalletGate(chain, poolWallet, minter.walletCode, minValue)) return;
    this.gate = minValue;
    this.count(minValue === LOCKED ? "wallet locked" : minValue === 0n ? "wallet unlocked" : "wallet dearer");
  }

  override withdrawalCode(code?: ExitCodeName): ExitCodeName | undefined {
    return this.model.claims.size + 2 > MAX_OPEN_CLAIMS ? "ERR_PAYOUTS_BLOCKED" : code;
  }

  override async retryClaim({ which, offer, bounce }: Step & { do: "retry" }): Promise<void> {
    const { model, pool, ledger } = this;
    const from = pool.user.address;
    if (offer === "unknown") {
      return await this.expectRejected(
        "ERR_UNKNOWN_CLAIM",
        storeRetryPayout(1n),
        1_000_000_000n,
        from,
        bounce,
      );
    }
    const id = [...model.claims.keys()][which % Math.max(1, model.claims.size)];
    if (id === undefined) return;
    const least = ledger.prices.gas(RETRY_GAS) + this.transferValue() + ledger.prices.forward(0, RETRY) +
      await ledger.unpaidStorage();
    const body = storeRetryPayout(id);
    if (offer === "short") {
      return await this.expectRejected("ERR_INSUFFICIENT_VALUE", body, least - 1n, from, bounce);
    }
    const { amount, destination } = model.claims.get(id)!;
    const held = await this.jettons.balanceOf(destination);
    const outcome = await pool.send(body, offer === "least" ? least : 2n * least, { from, bounce });
    assert.deepEqual([outcome.exitCode, outcome.actionCode, outcome.logs], [0, 0, []]);
    const { spendableBalance: ground, balanceAfter } = ledger.audit(outcome);
    assert.equal(balanceAfter, ground, "the retry moved the pool's coins");
    const [{ info }] = outcome.sent;
    assert.ok(
      outcome.sent.length === 1 && info.type === "internal" && info.value.coins >= this.transferValue(),
    );
    model.claims.delete(id);
    const refused = this.#noteRefusals(outcome, id);
    if (!refused) assert.equal(await this.jettons.balanceOf(destination), held + amount);
    this.count(refused ? "retry refused" : "claim paid");
    this.count(`retry ${bounce ? "with" : "without"} the bounce flag`);
  }

  override async payClaims(): Promise<void> {
    await this.gateWallet(0n);
    while (this.model.claims.size > 0) {
      await this.retryClaim({ do: "retry", which: 0, offer: "ample", bounce: true });
    }
  }

  coinsOwed(): bigint {
    return 0n;
  }

  /** Returns true: the quotes of a jetton pool cover all due storage. */
  override canQuote(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async assertPaid(
    { fee, refund, recipient, relayer }: WithdrawFields,
    _from: Address,
    outcome: Outcome,
    { retained: keep }: WithdrawalCost,
    ground: bigint,
  ): Promise<void> {
    const { model, pool } = this;
    const refused = this.#noteRefusals(outcome);
    if (this.parties.isFresh(recipient)) {
      assert.equal(await this.jettons.balanceOf(recipient), refused ? 0n : model.denomination - fee);
      assert.equal((await pool.chain.getContract(recipient)).balance, refund);
    }
    if (relayer && this.parties.isFresh(relayer)) {
      assert.equal(await this.jettons.balanceOf(relayer), refused ? 0n : fee);
    }
    const transfers = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer);
    assert.equal(transfers.length, Number(fee < model.denomination) + Number(fee > 0n));
    for (const { info } of transfers) {
      assert.ok(info.type === "internal" && info.dest.equals(this.jettons.poolWallet));
    }
    const values = transfers.map(({ info }) => info.type === "internal" ? info.value.coins : 0n);
    assert.equal(new Set(values).size, 1, "what is left of the value is split evenly");
    assert.ok(values[0] >= this.transferValue());
    const rest = outcome.sent.filter((message) => !transfers.includes(message)).map(({ info }) => info);
    if (refund > 0n) {
      const [back] = rest;
      assert.ok(back.type === "internal" && back.dest.equals(recipient) && back.value.coins === refund);
    }
    assert.equal(rest.length, refund > 0n ? 1 : 0);
    this.assertBeside(outcome, ground + keep);
  }

  /**
   * Adds the payouts that the wallet refuses to the claims. Asserts that the pool logs each, keeps exactly
   * its storage, and returns the rest to the account that paid.
   */
  #noteRefusals(outcome: Outcome, retriedId?: bigint): boolean {
    const { ledger: { prices }, model } = this;
    const refused = this.transfersOf(outcome).filter(({ isRefused }) => isRefused);
    const { later } = this.ledger.audit(outcome);
    const logs = later.flatMap(({ tx }) => tx.outMessages.values())
      .filter(({ info }) => info.type === "external-out").map(({ body }) => loadPoolLog(body));
    assert.equal(later.length, refused.length);
    for (const { id, amount, destination } of refused) {
      const claimId = retriedId ?? id;
      model.claims.set(claimId, { amount, destination });
      const log = logs.find((each) => each?.kind === "payout_claimed" && each.claimId === claimId);
      assert.ok(log?.kind === "payout_claimed", "no log of the claim");
      assert.ok(log.amount === amount && log.destination.equals(destination));
      this.count("payout refused");
    }
    for (const { gain } of later) {
      assert.ok(gain >= RESERVE && gain <= RESERVE + prices.gas(GAS_TOLERANCE), `a claim left ${gain}`);
    }
    return refused.length > 0;
  }

  canPay({ recipient, relayer }: WithdrawFields): boolean {
    return recipient.workChain === 0 && (relayer === null || relayer.workChain === 0);
  }

  override async compareState(): Promise<void> {
    await super.compareState();
    const { model, pool } = this;
    const worth = BigInt(model.unspent) * model.denomination;
    assert.equal(
      await this.jettons.balanceOf(pool.address),
      worth + model.claimed + this.gifts,
      "jettons and notes differ",
    );
  }
}
