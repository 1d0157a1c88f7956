/** Jettons and coins of a jetton pool through a history of steps, by contracts/SPEC.md. */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { type ExitCodeName, exitCodes } from "../../src/core/errors.ts";
import { loadDepositRefused } from "../../src/core/jetton_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../src/core/messages.ts";
import { JettonSandbox, noticesTo, opOf } from "./jetton_sandbox.ts";
import { PoolBooks } from "./pool_books.ts";
import { depositFaults, type DepositFields, provenDeposit, type WithdrawFields } from "./pool_faults.ts";
import { type KeyKind, PoolModel, sizeBound } from "./pool_model.ts";
import { type Demand, max, PoolRun, tolkConstant } from "./pool_run.ts";
import type { Outcome } from "./pool_sandbox.ts";
import { DAY, type History } from "./pool_steps.ts";
import type { Tally } from "./pool_tally.ts";

const constant = tolkConstant("fees_jetton.tolk");
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");
const FIXED = { cells: constant("FIXED_JETTON_CELLS"), bits: constant("FIXED_JETTON_BITS") };
const TWO_DECADES = 631_152_000n;
const RESERVE = 10_000_000n;
const SWEEP_FLOOR = 2_500_000_000n;
const TRANSFER_FLOOR = 100_000_000n;
const LOG = { cells: 1n, bits: 534n };
const TRANSFER = { cells: 1n, bits: 880n };
const RETURN = { cells: 2n, bits: 928n };
/** Gas that may be charged beyond what was burned. */
const ROOM = 300n;

export class JettonRun extends PoolRun {
  #jettons!: JettonSandbox;
  /** Jettons that came as no deposit: nobody's. */
  #gifts = 0n;

  static async open(history: History, tally: Tally, code?: Cell): Promise<JettonRun> {
    const { start, prices } = history;
    const jettons = await JettonSandbox.open({
      config: PoolBooks.config(prices),
      denomination: start.denomination,
      owner: start.owner === "burned" ? "burned" : undefined,
      code,
    });
    const { pool } = jettons;
    const owner = start.owner === "burned" ? null : pool.owner.address;
    const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet };
    const model = new PoolModel(start.denomination, owner, start, jetton);
    const run = new JettonRun(pool, model, history, tally, FIXED);
    run.#jettons = jettons;
    const worth = BigInt(model.unspent) * model.denomination;
    if (worth > 0n) await jettons.mint(pool.address, worth);
    return run;
  }

  override get besides(): readonly Address[] {
    // A payee whose wallet froze would be paid nothing: the jettons return to the pool's wallet, nobody's then.
    const payees = [this.parties.of("wallet"), this.parties.of("refusing")];
    return [this.#jettons.poolWallet, ...payees.map((payee) => this.#jettons.walletOf(payee))];
  }

  owedInCoins(): bigint {
    return 0n;
  }

  async deposit(key: KeyKind, bounce: boolean): Promise<void> {
    const { model, pool, books } = this;
    const fields = this.#fields(key);
    const payload = provenDeposit(fields, model.root);
    const code = this.depositCode();
    if (code) return await this.#returned(code, { payload });
    const held = await this.#jettons.held(pool.user.address);
    const least = this.#depositValue();
    const quoted = await this.#jettons.depositValue();
    const { balance, due } = await books.account();
    const seconds = BigInt(books.now - model.touched + DAY);
    const foreseen = max(0n, books.prices.storage({ ...sizeBound(model, FIXED), seconds }) - balance);
    assert.equal(quoted, least + foreseen, "another get_deposit_value");
    if (due - balance > foreseen) this.settled(await books.topUp(due - balance)); // SPEC.md's condition 4
    const forward = quoted + (bounce ? 0n : 50_000_000n);
    const outcome = await pool.watch(await this.#jettons.transferMessage({ payload, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid deposit was refused");
    const { ground } = books.audit(outcome);
    assert.equal(await this.#jettons.held(pool.user.address), held - model.denomination);
    const { commitment, newRoot, leafIndex } = fields;
    assert.deepEqual(outcome.logs, [{ kind: "deposit", commitment, leafIndex, timestamp: books.now }]);
    this.#assertBeside(outcome, ground);
    model.deposit(commitment, newRoot, books.now);
    this.count("deposit taken");
  }

  async wrongDeposit(fault: string, bounce: boolean): Promise<void> {
    const { model, pool } = this;
    const honest = this.#fields("even");
    if (!bounce) return await this.#wrongCarriage(fault.length, provenDeposit(honest, model.root));
    const wrong = depositFaults[fault](honest, model, pool.address);
    if (wrong) await this.#returned(this.depositCode(wrong[1])!, { payload: wrong[0] });
  }

  /** What is wrong about how a deposit comes, the deposit itself being right. */
  async #wrongCarriage(which: number, deposit: Cell): Promise<void> {
    const { pool } = this;
    const { address: user } = pool.user;
    switch (which % 6) {
      case 0:
        return await this.refused("ERR_NOT_JETTON_WALLET", deposit, 1_000_000_000n, user);
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
        return await this.refused("ERR_NOT_MASTER", forged, 1_000_000_000n, user);
      }
      default:
        return await this.refused("ERR_NOT_MASTER", storeDiscoverJettonWallet(), 1_000_000_000n, user);
    }
  }

  /** A notification by nobody's wallet: what it brings goes back whence it came, and nothing of the pool's. */
  async #stranger(code: ExitCodeName, body: Cell): Promise<void> {
    const { pool, books } = this;
    const outcome = await pool.watch(internal({
      from: pool.user.address,
      to: pool.address,
      value: 1_000_000_000n,
      bounce: false,
      body,
    }));
    assert.equal(outcome.exitCode, exitCodes[code]);
    const { ground } = books.audit(outcome);
    assert.equal(outcome.after, ground, "the pool paid for it");
    this.count(code);
  }

  async wrongAmount(amount: bigint): Promise<void> {
    const { model } = this;
    const payload = provenDeposit(this.#fields("even"), model.root);
    const near = model.denomination + amount - 1_000_000_000n;
    if (amount === 0n) return await this.#gift(model.denomination);
    await this.#returned("ERR_WRONG_DENOMINATION", {
      payload,
      amount: near === model.denomination ? near + 1n : max(1n, near),
    });
  }

  /** Jettons without a word: the pool gets no notification, and nobody a note. */
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
    const { balance, due } = await this.books.account();
    const forward = (change?.forward ?? this.#depositValue()) + max(0n, due - balance);
    const { pool } = this;
    const { address: user } = pool.user;
    const held = await this.#jettons.held(user);
    const outcome = await pool.watch(await this.#jettons.transferMessage({ ...change, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[code], 0], code);
    const { ground } = this.books.audit(outcome);
    assert.equal(outcome.after, ground, "a deposit that is refused moved the pool's coins");
    assert.deepEqual(outcome.logs, []);
    assert.equal(await this.#jettons.held(user), held, "jettons of a refused deposit are missing");
    const told = noticesTo(outcome, user).map(({ forwardPayload }) => loadDepositRefused(forwardPayload));
    assert.deepEqual(told, [code]);
    this.count(code);
  }

  #fields(key: KeyKind): DepositFields {
    const { model } = this;
    return {
      queryId: 0n,
      commitment: model.key(key, model.commitments),
      newRoot: model.element(),
      leafIndex: model.deposits,
    };
  }

  #transferValue(): bigint {
    const { prices } = this.books;
    const messages = 2n * prices.forward(0, { cells: 30n, bits: 12_000n });
    const storage = prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n });
    return max(TRANSFER_FLOOR, prices.gas(40_000n) + messages + storage);
  }

  #depositValue(): bigint {
    const { prices } = this.books;
    return prices.gas(DEPOSIT_GAS) + prices.forward(0) + this.#transferValue() + prices.forward(0, RETURN);
  }

  #keep(): bigint {
    return max(RESERVE, this.books.prices.storage({ cells: 1n, bits: 1023n, seconds: TWO_DECADES }));
  }

  demand({ fee, refund }: WithdrawFields, from: Address): Demand {
    const { model, books: { prices } } = this;
    const transfers = BigInt(Number(fee < model.denomination) + Number(fee > 0n));
    const fees = prices.forward(0, LOG) + (refund > 0n ? prices.forward(0) : 0n) +
      transfers * (this.#transferValue() + prices.forward(0, TRANSFER)) + prices.forward(from.workChain);
    const keep = this.#keep();
    return { keep, least: prices.gas(WITHDRAW_GAS) + fees + refund + keep };
  }

  fairQuote(refund: bigint, balance: bigint): bigint {
    const { model, books: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...sizeBound(model, FIXED), seconds: BigInt(seconds) });
    return 2n * prices.gas(WITHDRAW_GAS) +
      2n * (this.#transferValue() + prices.forward(0, TRANSFER)) + prices.forward(0, LOG) +
      (refund > 0n ? prices.forward(0) : 0n) + prices.forward(-1) + refund + this.#keep() + storage(DAY) +
      max(0n, storage(now - model.touched) - balance);
  }

  async assertPaid(
    { fee, refund, recipient, relayer }: WithdrawFields,
    from: Address,
    outcome: Outcome,
    { keep }: Demand,
    ground: bigint,
  ): Promise<void> {
    const { model, pool } = this;
    if (this.parties.isFresh(recipient)) {
      assert.equal(await this.#jettons.held(recipient), model.denomination - fee);
      assert.equal((await pool.chain.getContract(recipient)).balance, refund);
    }
    if (relayer && this.parties.isFresh(relayer)) assert.equal(await this.#jettons.held(relayer), fee);
    const transfers = outcome.sent.filter(({ body }) => opOf(body) === opCodes.transfer);
    assert.equal(transfers.length, Number(fee < model.denomination) + Number(fee > 0n));
    for (const { info } of transfers) {
      assert.ok(info.type === "internal" && info.dest.equals(this.#jettons.poolWallet));
      assert.equal(info.value.coins, this.#transferValue());
    }
    const rest = outcome.sent.filter((message) => !transfers.includes(message)).map(({ info }) => info);
    if (refund > 0n) {
      const [back] = rest;
      assert.ok(back.type === "internal" && back.dest.equals(recipient) && back.value.coins === refund);
    }
    assert.equal(rest.length, refund > 0n ? 2 : 1);
    assert.ok(rest.at(-1)!.dest?.toString() === from.toString());
    this.#assertBeside(outcome, ground + keep);
  }

  /** The pool's coins are these and no more beside than what is charged by bounds. */
  #assertBeside(outcome: Outcome, promised: bigint): void {
    const { prices } = this.books;
    const unused = outcome.sent.filter(({ body }) => opOf(body) === opCodes.transfer)
      .reduce((sum, { body }) => sum + TRANSFER.bits - BigInt(body.bits.length), 265n);
    const room = prices.gas(ROOM) + prices.forward(0, { cells: 0n, bits: unused }) - prices.forward(0);
    const beside = outcome.after - promised;
    assert.ok(beside >= 0n, `the pool lacks ${-beside}`);
    assert.ok(beside <= room, `the pool keeps ${beside} too much`);
  }

  reserved(): bigint {
    const { model, books: { prices } } = this;
    return max(SWEEP_FLOOR, prices.storage({ ...sizeBound(model, FIXED), seconds: TWO_DECADES }));
  }

  mayPay({ recipient, relayer }: WithdrawFields): boolean {
    return recipient.workChain === 0 && (relayer === null || relayer.workChain === 0);
  }

  override async compare(): Promise<void> {
    await super.compare();
    const { model, pool } = this;
    const worth = BigInt(model.unspent) * model.denomination;
    assert.equal(await this.#jettons.held(pool.address), worth + this.#gifts, "jettons and notes differ");
  }
}
