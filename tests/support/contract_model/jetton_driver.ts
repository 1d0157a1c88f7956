/** Runs scenarios on a jetton pool and compares jettons and coins with contracts/SPEC.md after each message. */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/jetton_messages.ts";
import {
  loadPoolLog,
  opCodes,
  storeDiscoverJettonWallet,
  storeRetryPayout,
} from "../../../src/core/protocol/messages.ts";
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
import { DAY, type Scenario, type Step } from "./scenarios.ts";
import { LOCKED, setWalletGate } from "./wallet_gate.ts";
import type { OutcomeCounts } from "./coverage.ts";

const constant = tolkConstant("fees_jetton.tolk");
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");
const RETRY_GAS = constant("GAS_HIGHEST_RETRY");
const MAX_OPEN_CLAIMS = 256;
/** What the deployer's endowment pays for 40 years: the pool without its notes (SPEC.md, Coins). */
const ENDOWMENT = { cells: 2_860n, bits: 70_000n };
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
  /** Jettons that arrived without a deposit; no one owns them. */
  #gifts = 0n;
  /** What the pool's wallet asks of a transfer. */
  #gate = 0n;

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
    for (let i = 1; i <= (start.claims ?? 0); i++) {
      model.claims.set(BigInt(i) * 1_000_003n, { amount: BigInt(i), destination: run.parties.of("fresh") });
    }
    const worth = BigInt(model.unspent) * model.denomination + model.claimed;
    if (worth > 0n) await jettons.mint(pool.address, worth);
    return run;
  }

  override get otherAccounts(): readonly Address[] {
    // A payee with a frozen jetton wallet would not be paid: its jettons would bounce to the pool's wallet.
    const payees = [this.parties.of("wallet"), this.parties.of("refusing")];
    return [this.#jettons.poolWallet, ...payees.map((payee) => this.#jettons.walletOf(payee))];
  }

  /** The deployer's endowment, and what each deposit and withdrawal left. */
  promisedBalance(): bigint {
    const { model: { deposits, withdrawals }, ledger: { prices } } = this;
    const endowment = max(SWEEP_FLOOR, prices.storage({ ...ENDOWMENT, seconds: PREPAID_SECONDS }));
    return endowment + BigInt(deposits + withdrawals) * this.#keep();
  }

  promisedSeconds(): number {
    return Number(PREPAID_SECONDS);
  }

  async skipWithdrawals(count: number): Promise<void> {
    const { model, pool, ledger } = this;
    const balance = await ledger.spendableBalance() + BigInt(count) * this.#keep();
    for (let i = 0; i < count; i++) {
      model.withdraw(model.key("even", model.nullifiers), ledger.now);
    }
    await pool.setState({ data: model.data(), balance });
    this.#gifts += BigInt(count) * model.denomination; // nobody was paid
  }

  override async gateWallet(minValue: bigint): Promise<void> {
    const { pool: { chain }, minter, poolWallet } = this.#jettons;
    if (!await setWalletGate(chain, poolWallet, minter.walletCode, minValue)) return;
    this.#gate = minValue;
    this.count(minValue === LOCKED ? "wallet locked" : minValue === 0n ? "wallet unlocked" : "wallet dearer");
  }

  override withdrawalCode(code?: ExitCodeName): ExitCodeName | undefined {
    return this.model.claims.size + 2 > MAX_OPEN_CLAIMS ? "ERR_PAYOUTS_BLOCKED" : code;
  }

  override async retryClaim({ which, offer }: Step & { do: "retry" }): Promise<void> {
    const { model, pool, ledger } = this;
    const from = pool.user.address;
    if (offer === "unknown") {
      return await this.expectRejected("ERR_UNKNOWN_CLAIM", storeRetryPayout(1n), 1_000_000_000n, from);
    }
    const id = [...model.claims.keys()][which % Math.max(1, model.claims.size)];
    if (id === undefined) return;
    const least = ledger.prices.gas(RETRY_GAS) + this.#transferValue() + ledger.prices.forward(0, TRANSFER) +
      await ledger.unpaidStorage();
    const body = storeRetryPayout(id);
    if (offer === "short") return await this.expectRejected("ERR_INSUFFICIENT_VALUE", body, least - 1n, from);
    const { amount, destination } = model.claims.get(id)!;
    const held = await this.#jettons.balanceOf(destination);
    const outcome = await pool.send(body, offer === "least" ? least : 2n * least, { from });
    assert.deepEqual([outcome.exitCode, outcome.actionCode, outcome.logs], [0, 0, []]);
    const { spendableBalance: ground, balanceAfter } = ledger.audit(outcome);
    assert.equal(balanceAfter, ground, "the retry moved the pool's coins");
    const [{ info }] = outcome.sent;
    assert.ok(
      outcome.sent.length === 1 && info.type === "internal" && info.value.coins >= this.#transferValue(),
    );
    model.claims.delete(id);
    const refused = this.#noteRefusals(outcome);
    if (!refused) assert.equal(await this.#jettons.balanceOf(destination), held + amount);
    this.count(refused ? "retry refused" : "claim paid");
  }

  override async payClaims(): Promise<void> {
    await this.gateWallet(0n);
    while (this.model.claims.size > 0) await this.retryClaim({ do: "retry", which: 0, offer: "ample" });
  }

  coinsOwed(): bigint {
    return 0n;
  }

  /** The quotes of a jetton pool cover whatever is due. */
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
    const { balance, due } = await books.account();
    const seconds = BigInt(books.now - model.touched + DAY);
    const storage = books.prices.storage({ ...maxStorageSize(model, FIXED), seconds });
    const foreseen = max(0n, storage - balance);
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
    const { spendableBalance: ground, balanceAfter, later } = this.ledger.audit(outcome);
    assert.equal(balanceAfter, ground, "a deposit that is refused moved the pool's coins");
    assert.deepEqual(outcome.logs, []);
    this.count(code);
    if (this.#transfersOf(outcome).some(({ isRefused }) => isRefused)) {
      // The wallet is locked. The jettons belong to nobody, and the coins of their way back are a donation.
      const amount = change?.amount ?? pool.denomination;
      assert.equal(await this.#jettons.balanceOf(user), held - amount);
      assert.ok(later.length === 1 && later[0].gain > 0n);
      assert.equal(later[0].tx.outMessagesCount, 0);
      this.#gifts += amount;
      return this.count("return refused");
    }
    assert.equal(await this.#jettons.balanceOf(user), held, "jettons of a refused deposit are missing");
    const told = transferNotificationsTo(outcome, user).map(({ forwardPayload }) =>
      loadDepositRefusal(forwardPayload)
    );
    assert.deepEqual(told, [code]);
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

  expectedQuote(refund: bigint, balance: bigint): bigint {
    const { model, ledger: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...maxStorageSize(model, FIXED), seconds: BigInt(seconds) });
    return 2n * prices.gas(WITHDRAW_GAS) +
      2n * (this.#transferValue() + prices.forward(0, TRANSFER)) + prices.forward(0, LOG) +
      (refund > 0n ? prices.forward(0) : 0n) + refund + this.#keep() + storage(DAY) +
      max(0n, storage(now - model.touched) - balance);
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
      assert.equal(await this.#jettons.balanceOf(recipient), refused ? 0n : model.denomination - fee);
      assert.equal((await pool.chain.getContract(recipient)).balance, refund);
    }
    if (relayer && this.parties.isFresh(relayer)) {
      assert.equal(await this.#jettons.balanceOf(relayer), refused ? 0n : fee);
    }
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

  /** The transfers that the pool sent first, and whether the wallet refuses them. */
  #transfersOf({ sent }: Outcome) {
    return sent.flatMap(({ info, body }) => {
      if (info.type !== "internal" || opCodeOf(body) !== opCodes.transfer) return [];
      const slice = body.beginParse().skip(32 + 64);
      const [amount, destination] = [slice.loadCoins(), slice.loadAddress()];
      return [{ id: info.createdLt, amount, destination, isRefused: info.value.coins < this.#gate }];
    });
  }

  /**
   * Adds the payouts that the wallet refuses to the claims, and asserts that the pool logs each, keeps its storage and
   * no more, and returns the rest to the account that paid.
   */
  #noteRefusals(outcome: Outcome): boolean {
    const { ledger: { prices }, model } = this;
    const refused = this.#transfersOf(outcome).filter(({ isRefused }) => isRefused);
    const { later } = this.ledger.audit(outcome);
    const logs = later.flatMap(({ tx }) => tx.outMessages.values())
      .filter(({ info }) => info.type === "external-out").map(({ body }) => loadPoolLog(body));
    assert.equal(later.length, refused.length);
    for (const { id: claimId, amount, destination } of refused) {
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

  /** Asserts that the pool keeps exactly its own coins, and charges no more than SPEC.md's bounds. */
  #assertBeside(outcome: Outcome, promised: bigint): void {
    const { prices } = this.ledger;
    const unused = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer)
      .reduce((sum, { body }) => sum + TRANSFER.bits - BigInt(body.bits.length), 265n);
    const room = prices.gas(GAS_TOLERANCE) + prices.forward(0, { cells: 0n, bits: unused }) -
      prices.forward(0);
    const beside = this.ledger.audit(outcome).balanceAfter - promised;
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
      worth + model.claimed + this.#gifts,
      "jettons and notes differ",
    );
  }
}
