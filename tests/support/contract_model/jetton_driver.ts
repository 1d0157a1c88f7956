/** Runs scenarios on a jetton pool and compares jettons and coins with contracts/SPEC.md after each message. */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/jetton_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages.ts";
import { JettonSandbox, opCodeOf, transferNotificationsTo } from "../../../testkit/chain/jetton_sandbox.ts";
import { PoolLedger } from "./pool_ledger.ts";
import {
  type DepositFields,
  invalidDeposits,
  provenDeposit,
  type WithdrawFields,
} from "./invalid_messages.ts";
import { type KeyPlacement, maxStorageSize, PoolModel } from "./pool_model.ts";
import { max, PoolDriver, tolkConstant, type WithdrawalCost } from "./pool_driver.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";
import { DAY, type Scenario } from "./scenarios.ts";
import type { OutcomeCounts } from "./coverage.ts";

const constant = tolkConstant("fees_jetton.tolk");
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");
const FIXED = { cells: constant("FIXED_JETTON_CELLS"), bits: constant("FIXED_JETTON_BITS") };
const PREPAID_SECONDS = 1_262_304_000n;
const PREPAID_KEYS = { cells: 2n, bits: 204n };
const RESERVE = 10_000_000n;
const SWEEP_FLOOR = 2_500_000_000n;
const TRANSFER_FLOOR = 100_000_000n;
const LOG = { cells: 1n, bits: 534n };
const TRANSFER = { cells: 1n, bits: 880n };
const RETURN = { cells: 2n, bits: 928n };
/** Gas that the pool may charge beyond what it used. */
const GAS_TOLERANCE = 300n;

export class JettonPoolDriver extends PoolDriver {
  #jettons!: JettonSandbox;
  /** Jettons that arrived without a deposit. They belong to nobody. */
  #gifts = 0n;

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
    run.#jettons = jettons;
    const worth = BigInt(model.unspent) * model.denomination;
    if (worth > 0n) await jettons.mint(pool.address, worth);
    return run;
  }

  override get otherAccounts(): readonly Address[] {
    // A payee with a frozen jetton wallet would not be paid: its jettons would bounce to the pool's wallet.
    const payees = [this.parties.of("wallet"), this.parties.of("refusing")];
    return [this.#jettons.poolWallet, ...payees.map((payee) => this.#jettons.walletOf(payee))];
  }

  coinsOwed(): bigint {
    return 0n;
  }

  /** The quotes of a jetton pool cover whatever is due: they add what the chain has recorded as unpaid. */
  override canQuote(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async deposit(key: KeyPlacement, bounce: boolean): Promise<void> {
    const { model, pool, ledger: books } = this;
    const fields = this.#fields(key);
    const payload = provenDeposit(fields, model.root);
    const code = this.depositCode();
    if (code) return await this.#returned(code, { payload });
    const held = await this.#jettons.balanceOf(pool.user.address);
    const least = this.#depositValue();
    const quoted = await this.#jettons.depositValue();
    const { balance, due, unpaid } = await books.account();
    const seconds = BigInt(books.now - model.touched + DAY);
    const storage = books.prices.storage({ ...maxStorageSize(model, FIXED), seconds });
    const foreseen = max(0n, unpaid + storage - balance);
    assert.equal(quoted, least + foreseen, "another get_deposit_value");
    assert.ok(due - balance <= foreseen, "the quote does not cover the storage that is due");
    const forward = quoted + (bounce ? 0n : 50_000_000n);
    const outcome = await pool.deliver(await this.#jettons.transferMessage({ payload, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid deposit was refused");
    const { spendableBalance: ground } = books.audit(outcome);
    assert.equal(await this.#jettons.balanceOf(pool.user.address), held - model.denomination);
    const { commitment, newRoot, leafIndex } = fields;
    assert.deepEqual(outcome.logs, [{ kind: "deposit", commitment, leafIndex, timestamp: books.now }]);
    this.#assertBeside(outcome, ground + this.#keep());
    model.deposit(commitment, newRoot, books.now);
    this.count("deposit taken");
  }

  async invalidDeposit(fault: string, bounce: boolean): Promise<void> {
    const { model, pool } = this;
    const honest = this.#fields("even");
    if (!bounce) return await this.#wrongCarriage(fault.length, provenDeposit(honest, model.root));
    const wrong = invalidDeposits[fault](honest, model, pool.address);
    if (wrong) await this.#returned(this.depositCode(wrong[1])!, { payload: wrong[0] });
  }

  /** Sends a valid deposit in an invalid way. */
  async #wrongCarriage(which: number, deposit: Cell): Promise<void> {
    const { pool } = this;
    const { address: user } = pool.user;
    switch (which % 6) {
      case 0:
        return await this.expectRejected("ERR_NOT_JETTON_WALLET", deposit, 1_000_000_000n, user);
      case 1:
        return await this.#returned(this.depositCode("ERR_MALFORMED")!, { payload: null });
      case 2:
        return await this.#returned("ERR_INSUFFICIENT_VALUE", {
          payload: deposit,
          forward: this.#depositValue() - 1n,
        });
      case 3: {
        const forged = beginCell().storeUint(opCodes.transfer_notification, 32).storeUint(0, 64)
          .storeCoins(pool.denomination).storeAddress(user).storeBit(1).storeRef(deposit).endCell();
        return await this.#stranger("ERR_NOT_JETTON_WALLET", forged);
      }
      case 4: {
        const forged = beginCell().storeUint(opCodes.take_wallet_address, 32).storeUint(0, 64)
          .storeAddress(user).storeBit(0).endCell();
        return await this.expectRejected("ERR_NOT_MASTER", forged, 1_000_000_000n, user);
      }
      default:
        return await this.expectRejected("ERR_NOT_MASTER", storeDiscoverJettonWallet(), 1_000_000_000n, user);
    }
  }

  /** A notification from another wallet: its value goes back to the sender, and the pool stays as it is. */
  async #stranger(code: ExitCodeName, body: Cell): Promise<void> {
    const { pool, ledger: books } = this;
    const outcome = await pool.deliver(internal({
      from: pool.user.address,
      to: pool.address,
      value: 1_000_000_000n,
      bounce: false,
      body,
    }));
    assert.equal(outcome.exitCode, exitCodes[code]);
    const { spendableBalance: ground } = books.audit(outcome);
    assert.equal(outcome.balanceAfter, ground, "the pool paid for it");
    this.count(code);
  }

  async wrongDenomination(amount: bigint): Promise<void> {
    const { model } = this;
    const payload = provenDeposit(this.#fields("even"), model.root);
    const near = model.denomination + amount - 1_000_000_000n;
    if (amount === 0n) return await this.#gift(model.denomination);
    await this.#returned("ERR_WRONG_DENOMINATION", {
      payload,
      amount: near === model.denomination ? near + 1n : max(1n, near),
    });
  }

  /** Jettons without a payload: the pool receives no notification, and no note is created. */
  async #gift(amount: bigint): Promise<void> {
    const { pool } = this;
    await pool.chain.sendMessage(await this.#jettons.transferMessage({ payload: null, amount, forward: 0n }));
    this.#gifts += amount;
    this.count("gift of jettons");
  }

  async #returned(
    code: ExitCodeName,
    change: Parameters<JettonSandbox["transferMessage"]>[0],
  ): Promise<void> {
    const { balance, due } = await this.ledger.account();
    const forward = (change?.forward ?? this.#depositValue()) + max(0n, due - balance);
    const { pool } = this;
    const { address: user } = pool.user;
    const held = await this.#jettons.balanceOf(user);
    const outcome = await pool.deliver(await this.#jettons.transferMessage({ ...change, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[code], 0], code);
    const { spendableBalance: ground } = this.ledger.audit(outcome);
    assert.equal(outcome.balanceAfter, ground, "a deposit that is refused moved the pool's coins");
    assert.deepEqual(outcome.logs, []);
    assert.equal(await this.#jettons.balanceOf(user), held, "jettons of a refused deposit are missing");
    const told = transferNotificationsTo(outcome, user).map(({ forwardPayload }) =>
      loadDepositRefusal(forwardPayload)
    );
    assert.deepEqual(told, [code]);
    this.count(code);
  }

  #fields(key: KeyPlacement): DepositFields {
    const { model } = this;
    return {
      queryId: 0n,
      commitment: model.key(key, model.commitments),
      newRoot: model.element(),
      leafIndex: model.deposits,
    };
  }

  #transferValue(): bigint {
    const { prices } = this.ledger;
    const messages = 2n * prices.forward(0, { cells: 30n, bits: 12_000n });
    const storage = prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n });
    return max(TRANSFER_FLOOR, prices.gas(40_000n) + messages + storage);
  }

  #depositValue(): bigint {
    const { prices } = this.ledger;
    return prices.gas(DEPOSIT_GAS) + prices.forward(0) + this.#transferValue() + prices.forward(0, RETURN) +
      this.#keep();
  }

  #keep(): bigint {
    return max(RESERVE, this.ledger.prices.storage({ ...PREPAID_KEYS, seconds: PREPAID_SECONDS }));
  }

  demand({ fee, refund }: WithdrawFields, _from: Address, _ground: bigint, unpaid: bigint): WithdrawalCost {
    const { model, ledger: { prices } } = this;
    const transfers = BigInt(Number(fee < model.denomination) + Number(fee > 0n));
    const fees = prices.forward(0, LOG) + (refund > 0n ? prices.forward(0) : 0n) +
      transfers * (this.#transferValue() + prices.forward(0, TRANSFER));
    const keep = this.#keep() + unpaid;
    return { retained: keep, minValue: prices.gas(WITHDRAW_GAS) + fees + refund + keep };
  }

  expectedQuote(refund: bigint, balance: bigint, unpaid: bigint): bigint {
    const { model, ledger: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...maxStorageSize(model, FIXED), seconds: BigInt(seconds) });
    return 2n * prices.gas(WITHDRAW_GAS) +
      2n * (this.#transferValue() + prices.forward(0, TRANSFER)) + prices.forward(0, LOG) +
      (refund > 0n ? prices.forward(0) : 0n) + refund + this.#keep() + storage(DAY) +
      max(0n, unpaid + storage(now - model.touched) - balance);
  }

  async assertPaid(
    { fee, refund, recipient, relayer }: WithdrawFields,
    _from: Address,
    outcome: Outcome,
    { retained: keep }: WithdrawalCost,
    ground: bigint,
  ): Promise<void> {
    const { model, pool } = this;
    if (this.parties.isFresh(recipient)) {
      assert.equal(await this.#jettons.balanceOf(recipient), model.denomination - fee);
      assert.equal((await pool.chain.getContract(recipient)).balance, refund);
    }
    if (relayer && this.parties.isFresh(relayer)) assert.equal(await this.#jettons.balanceOf(relayer), fee);
    const transfers = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer);
    assert.equal(transfers.length, Number(fee < model.denomination) + Number(fee > 0n));
    for (const { info } of transfers) {
      assert.ok(info.type === "internal" && info.dest.equals(this.#jettons.poolWallet));
    }
    const values = transfers.map(({ info }) => info.type === "internal" ? info.value.coins : 0n);
    assert.equal(new Set(values).size, 1, "what is left of the value is split evenly");
    assert.ok(values[0] >= this.#transferValue());
    const rest = outcome.sent.filter((message) => !transfers.includes(message)).map(({ info }) => info);
    if (refund > 0n) {
      const [back] = rest;
      assert.ok(back.type === "internal" && back.dest.equals(recipient) && back.value.coins === refund);
    }
    assert.equal(rest.length, refund > 0n ? 1 : 0);
    this.#assertBeside(outcome, ground + keep);
  }

  /** Asserts that the pool keeps exactly its own coins, and charges no more than SPEC.md's bounds. */
  #assertBeside(outcome: Outcome, promised: bigint): void {
    const { prices } = this.ledger;
    const unused = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer)
      .reduce((sum, { body }) => sum + TRANSFER.bits - BigInt(body.bits.length), 265n);
    const room = prices.gas(GAS_TOLERANCE) + prices.forward(0, { cells: 0n, bits: unused }) -
      prices.forward(0);
    const beside = outcome.balanceAfter - promised;
    assert.ok(beside >= 0n, `the pool lacks ${-beside}`);
    assert.ok(beside <= room, `the pool keeps ${beside} too much`);
  }

  reservedBalance(): bigint {
    const { model, ledger: { prices } } = this;
    const { deposits } = model;
    const spent = maxStorageSize({ deposits, withdrawals: deposits }, FIXED);
    return max(SWEEP_FLOOR, prices.storage({ ...spent, seconds: PREPAID_SECONDS }));
  }

  canPay({ recipient, relayer }: WithdrawFields): boolean {
    return recipient.workChain === 0 && (relayer === null || relayer.workChain === 0);
  }

  override async compareState(): Promise<void> {
    await super.compareState();
    const { model, pool } = this;
    const worth = BigInt(model.unspent) * model.denomination;
    assert.equal(
      await this.#jettons.balanceOf(pool.address),
      worth + this.#gifts,
      "jettons and notes differ",
    );
  }
}
