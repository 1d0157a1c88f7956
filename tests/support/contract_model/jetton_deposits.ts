/** The deposits of a scenario for a jetton pool, and their effect on jettons and coins. */
import assert from "node:assert/strict";
import { beginCell, type Cell } from "@ton/core";
import { internal } from "@ton/sandbox";
import { FIXED, GAS_TOLERANCE, JettonCosts, TRANSFER } from "./jetton_costs.ts";
import { max } from "./checked_pool.ts";
import { type ExitCodeName, exitCodes } from "../../../src/core/errors/problem.ts";
import { loadDepositRefusal } from "../../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox, opCodeOf, transferNotificationsTo } from "../../../testkit/chain/jetton_sandbox.ts";
import { type DepositFields, invalidDeposits, provenDeposit } from "./invalid_messages.ts";
import { type KeyPlacement, maxStorageSize } from "./pool_model.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";
import { DAY } from "./scenarios.ts";

export abstract class JettonDeposits extends JettonCosts {
  protected jettons!: JettonSandbox;
  /** Jettons that arrived without a deposit; no one owns them. */
  protected gifts = 0n;
  /** The value that the pool's wallet requires of a transfer. */
  protected gate = 0n;

  async deposit(key: KeyPlacement, bounce: boolean): Promise<void> {
    const { model, pool, ledger: books } = this;
    const fields = this.#fields(key);
    const payload = provenDeposit(fields, model.root);
    const code = this.depositCode();
    if (code) return await this.#returned(code, { payload });
    const held = await this.jettons.balanceOf(pool.user.address);
    const least = this.depositValue();
    const quoted = await this.jettons.depositValue();
    const { balance, due } = await books.account();
    const seconds = BigInt(books.now - model.touched + DAY);
    const storage = books.prices.storage({ ...maxStorageSize(model, FIXED), seconds });
    const foreseen = max(0n, storage - balance);
    assert.equal(quoted, least + foreseen, "another get_deposit_value");
    assert.ok(due - balance <= foreseen, "the quote does not cover the storage that is due");
    const forward = quoted + (bounce ? 0n : 50_000_000n);
    const outcome = await pool.deliver(await this.jettons.transferMessage({ payload, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid deposit was refused");
    const { spendableBalance: ground } = books.audit(outcome);
    assert.equal(await this.jettons.balanceOf(pool.user.address), held - model.denomination);
    const { commitment, newRoot, leafIndex } = fields;
    assert.deepEqual(outcome.logs, [{ kind: "deposit", commitment, leafIndex, timestamp: books.now }]);
    this.assertBeside(outcome, ground + this.keep());
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
          forward: this.depositValue() - 1n,
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

  /**
   * Sends a notification from another wallet: its value returns to the sender, and the pool does not change.
   */
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

  /** Sends jettons without a payload: the pool receives no notification, and no note is created. */
  async #gift(amount: bigint): Promise<void> {
    const { pool } = this;
    await pool.chain.sendMessage(await this.jettons.transferMessage({ payload: null, amount, forward: 0n }));
    this.gifts += amount;
    this.count("gift of jettons");
  }

  async #returned(
    code: ExitCodeName,
    change: Parameters<JettonSandbox["transferMessage"]>[0],
  ): Promise<void> {
    const { balance, due } = await this.ledger.account();
    const forward = (change?.forward ?? this.depositValue()) + max(0n, due - balance);
    const { pool } = this;
    const { address: user } = pool.user;
    const held = await this.jettons.balanceOf(user);
    const outcome = await pool.deliver(await this.jettons.transferMessage({ ...change, forward }));
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [exitCodes[code], 0], code);
    const { spendableBalance: ground, balanceAfter, later } = this.ledger.audit(outcome);
    assert.equal(balanceAfter, ground, "a deposit that is refused moved the pool's coins");
    assert.deepEqual(outcome.logs, []);
    this.count(code);
    if (this.transfersOf(outcome).some(({ isRefused }) => isRefused)) {
      // The wallet is locked. Nobody owns the jettons, and the coins of the return transfer are a donation.
      const amount = change?.amount ?? pool.denomination;
      assert.equal(await this.jettons.balanceOf(user), held - amount);
      assert.ok(later.length === 1 && later[0].gain > 0n);
      assert.equal(later[0].tx.outMessagesCount, 0);
      this.gifts += amount;
      return this.count("return refused");
    }
    assert.equal(await this.jettons.balanceOf(user), held, "jettons of a refused deposit are missing");
    const codes = transferNotificationsTo(outcome, user).map(({ forwardPayload }) =>
      loadDepositRefusal(forwardPayload)
    );
    assert.deepEqual(codes, [code]);
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

  /** Returns the transfers that the pool sent first, and whether the wallet refuses them. */
  protected transfersOf({ sent }: Outcome) {
    return sent.flatMap(({ info, body }) => {
      if (info.type !== "internal" || opCodeOf(body) !== opCodes.transfer) return [];
      const slice = body.beginParse().skip(32 + 64);
      const [amount, destination] = [slice.loadCoins(), slice.loadAddress()];
      return [{ id: info.createdLt, amount, destination, isRefused: info.value.coins < this.gate }];
    });
  }

  /** Asserts that the pool keeps exactly its own coins, and charges no more than SPEC.md's bounds. */
  protected assertBeside(outcome: Outcome, promised: bigint): void {
    const { prices } = this.ledger;
    const unused = outcome.sent.filter(({ body }) => opCodeOf(body) === opCodes.transfer)
      .reduce((sum, { body }) => sum + TRANSFER.bits - BigInt(body.bits.length), 265n);
    const room = prices.gas(GAS_TOLERANCE) + prices.forward(0, { cells: 0n, bits: unused }) -
      prices.forward(0);
    const beside = this.ledger.audit(outcome).balanceAfter - promised;
    assert.ok(beside >= 0n, `the pool lacks ${-beside}`);
    assert.ok(beside <= room, `the pool keeps ${beside} too much`);
  }
}
