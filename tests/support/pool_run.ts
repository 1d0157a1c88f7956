/**
 * A pool of either asset through a history of steps: what both do alike, and what must hold of both after every message.
 * Each message is foretold from contracts/SPEC.md before it is sent, to the nano and the exit code, and then compared.
 */
import assert from "node:assert/strict";
import { type Address, beginCell, type Cell } from "@ton/core";
import { type ExitCodeName, exitCodes } from "../../src/core/errors.ts";
import { opCodes, storeAdmin, storeRecoverStuck } from "../../src/core/messages.ts";
import { PoolBooks } from "./pool_books.ts";
import { afterProof, provenWithdrawal, withdrawFaults, type WithdrawFields } from "./pool_faults.ts";
import { CAPACITY, type PoolModel, sizeBound } from "./pool_model.ts";
import { Parties } from "./pool_parties.ts";
import { emptyBody, type Outcome, type PoolSandbox } from "./pool_sandbox.ts";
import type { Tally } from "./pool_tally.ts";
import { type Choice, DAY, type History, type Offer, type Step } from "./pool_steps.ts";

/** What a withdrawal must be sent with. */
export interface Demand {
  /** Accepted with it, refused with a nano less. */
  readonly least: bigint;
  /** What stays in the pool. */
  readonly keep: bigint;
}

/** A quote that somebody holds. */
interface Quote {
  readonly value: bigint;
  readonly refund: bigint;
  readonly at: number;
}

export const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);

/** A constant of a Tolk source. */
export function tolkConstant(file: string): (name: string) => bigint {
  const source = Deno.readTextFileSync(new URL(`../../contracts/${file}`, import.meta.url));
  return (name) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(source)![1]);
}

export abstract class PoolRun {
  readonly parties: Parties;
  readonly books: PoolBooks;
  #quotes: Quote[] = [];

  constructor(
    readonly pool: PoolSandbox,
    readonly model: PoolModel,
    readonly history: History,
    readonly tally: Tally,
    /** Cells and bits of a pool beside its keys. */
    readonly fixed: { readonly cells: bigint; readonly bits: bigint },
  ) {
    this.books = new PoolBooks(pool, history.prices);
    this.parties = new Parties(pool);
  }

  /** Puts the state in place that the history begins with. */
  async begin(): Promise<void> {
    const { model, pool, history: { covered, spare } } = this;
    const owed = this.owedInCoins();
    model.touched = this.books.now;
    await this.parties.settle();
    await pool.replace({ data: model.data(), balance: owed * BigInt(covered) / 1_000n + spare });
  }

  /** Does every step, then withdraws what is left: no note is ever without its money. */
  async live(): Promise<void> {
    await this.begin();
    for (const step of this.history.steps) {
      await this.step(step);
      await this.compare();
    }
    const sure: Choice = {
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
      await this.compare();
    }
    assert.equal(this.model.debt, 0n, "something is owed by nobody");
    await this.compareGetters();
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case "deposit":
        return await this.deposit(step.key, step.bounce);
      case "wrong deposit":
        return await this.wrongDeposit(step.fault, step.bounce);
      case "wrong amount":
        return await this.wrongAmount(step.amount);
      case "withdraw":
        return await this.withdraw(step.choice, step.offer);
      case "wrong withdrawal":
        return await this.wrongWithdrawal(step.choice, step.fault);
      case "one nano short":
        return await this.oneNanoShort(step.choice);
      case "quote":
        return await this.quote(step.refund);
      case "as quoted":
        return await this.asQuoted(step.choice);
      case "stray":
        return await this.stray(step);
      case "idle":
        return this.settled(await this.books.idle(step.seconds, step.brink, this.besides));
      case "reprice":
        this.#quotes = [];
        return this.settled(await this.books.reprice(step.prices));
      case "sweep":
        return await this.sweep(step);
      case "pause":
        return await this.pause(step);
    }
  }

  /** Accounts beside the pool that somebody keeps from freezing. */
  get besides(): readonly Address[] {
    return [];
  }

  /** Coins that the notes are worth. */
  abstract owedInCoins(): bigint;
  abstract deposit(key: Choice["key"], bounce: boolean): Promise<void>;
  abstract wrongDeposit(fault: string, bounce: boolean): Promise<void>;
  abstract wrongAmount(amount: bigint): Promise<void>;
  /** What a withdrawal needs, the pool holding `ground` beside. */
  abstract demand(fields: WithdrawFields, from: Address, ground: bigint): Demand;
  /** What get_withdraw_value must answer. */
  abstract fairQuote(refund: bigint, balance: bigint): bigint;
  /** Holds an accepted withdrawal to what it pays. */
  abstract assertPaid(
    fields: WithdrawFields,
    from: Address,
    outcome: Outcome,
    demand: Demand,
    ground: bigint,
  ): Promise<void>;
  /** Balance that the owner may not touch. */
  abstract reserved(): bigint;
  /** Whether both parties may be paid by this pool. */
  abstract mayPay(fields: WithdrawFields): boolean;

  /** The fields of a withdrawal that holds. */
  fields({ key, root, fee, edge, refund, recipient, relayer }: Choice): WithdrawFields {
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

  /** What comes of a deposit of the right amount that is wrong in `fault`, or in nothing. */
  depositCode(fault?: ExitCodeName): ExitCodeName | undefined {
    const { paused, deposits } = this.model;
    return paused ? "ERR_PAUSED" : deposits >= CAPACITY ? "ERR_POOL_FULL" : fault;
  }

  async withdraw(choice: Choice, offer: Offer): Promise<void> {
    const fields = this.fields(choice);
    const from = this.parties.of(choice.sender);
    const { least } = this.demand(fields, from, await this.books.ground());
    const value = offer === "quote" && await this.quotable()
      ? await this.pool.withdrawValue(fields.refund)
      : least + (offer === "ample" ? 1_234_567_890n : 0n);
    await this.submit(fields, value, from);
  }

  /** Sends a withdrawal that must be accepted when there is a note and whoever is paid can be. */
  async submit(fields: WithdrawFields, value: bigint, from: Address): Promise<void> {
    const { model, pool, books } = this;
    const foretold = await books.ground();
    const demand = this.demand(fields, from, foretold);
    const body = provenWithdrawal(fields);
    if (model.unspent === 0) return await this.refused("ERR_PROOF_INVALID", body, value, from);
    if (!this.mayPay(fields)) return await this.refused("ERR_BAD_ADDRESS", body, value, from);
    const outcome = await pool.send(body, value, { from });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0], "a valid withdrawal was not paid");
    const { ground } = books.audit(outcome);
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

  async wrongWithdrawal(choice: Choice, fault: string): Promise<void> {
    const { model, pool } = this;
    const wrong = withdrawFaults[fault](this.fields(choice), model, pool.address);
    if (wrong === undefined) return;
    const [body, code] = wrong;
    const none = model.unspent === 0 && afterProof.includes(code);
    const value = await pool.withdrawValue(choice.refund);
    await this.refused(none ? "ERR_PROOF_INVALID" : code, body, value, this.parties.of(choice.sender));
  }

  async oneNanoShort(choice: Choice): Promise<void> {
    const { model } = this;
    const fields = this.fields(choice);
    if (model.unspent === 0 || !this.mayPay(fields)) return;
    const from = this.parties.of(choice.sender);
    const { least } = this.demand(fields, from, await this.books.ground());
    await this.refused("ERR_INSUFFICIENT_VALUE", provenWithdrawal(fields), least - 1n, from);
  }

  /** Somebody with a note asks what to send, and holds on to the answer. */
  async quote(refund: bigint): Promise<void> {
    const { balance } = await this.books.account();
    const value = await this.pool.withdrawValue(refund);
    assert.equal(value, this.fairQuote(refund, balance), "another quote than SPEC.md's");
    if (this.model.unspent > 0 && await this.quotable()) {
      this.#quotes.push({ value, refund, at: this.books.now });
    }
    this.count("quote");
  }

  /** Whether a getter can know what is due: it counts from the last deposit or withdrawal, by SPEC.md's condition 4. */
  async quotable(): Promise<boolean> {
    const { model, books } = this;
    const seconds = BigInt(books.now - model.touched);
    return (await books.account()).due <= books.prices.storage({ ...sizeBound(model, this.fixed), seconds });
  }

  /** Sends exactly what was quoted at most a day ago, whatever has happened since. */
  async asQuoted(choice: Choice): Promise<void> {
    this.#quotes = this.#quotes.filter(({ at }) => at + DAY >= this.books.now);
    if (this.model.unspent === 0) return;
    const quote = this.#quotes.shift();
    if (!quote) return;
    const fields = this.fields({ ...choice, refund: quote.refund });
    if (!this.mayPay(fields)) return;
    await this.submit(fields, quote.value, this.parties.of(choice.sender));
    this.count("landed as quoted");
  }

  async stray({ form, value }: Step & { do: "stray" }): Promise<void> {
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
    this.kept(outcome);
    this.count("stray kept");
  }

  async sweep({ owner, permille, beyond }: Step & { do: "sweep" }): Promise<void> {
    const { model, pool, parties, books } = this;
    const surplus = await books.ground() - this.reserved();
    const from = owner ? pool.owner.address : pool.user.address;
    const amount = beyond ? max(0n, surplus) + 1n : max(0n, surplus) * BigInt(permille) / 1_000n;
    const body = storeRecoverStuck(amount, parties.of("fresh"));
    const value = 200_000_000n;
    if (!owner || model.owner === null) return await this.refused("ERR_NOT_OWNER", body, value, from);
    if (amount > surplus) return await this.refused("ERR_NOT_SURPLUS", body, value, from);
    if (amount <= books.prices.forward(0)) return; // it could not pay its own way
    const outcome = await pool.send(body, value, { from });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
    const { ground } = books.audit(outcome);
    assert.ok(outcome.after >= ground - amount, "more than the amount went");
    assert.ok(outcome.after >= this.reserved(), "the owner swept what is not surplus");
    this.count("surplus swept");
  }

  async pause({ owner, paused }: Step & { do: "pause" }): Promise<void> {
    const { model, pool } = this;
    const from = owner ? pool.owner.address : pool.user.address;
    const body = storeAdmin(paused ? "admin_pause" : "admin_unpause");
    if (!owner || model.owner === null) {
      return await this.refused("ERR_NOT_OWNER", body, 200_000_000n, from);
    }
    const outcome = await pool.send(body, 200_000_000n, { from });
    assert.equal(outcome.exitCode, 0);
    this.kept(outcome);
    model.paused = paused;
    this.count(paused ? "paused" : "unpaused");
  }

  /** A message that is refused: it pays for itself, and the rest of its value goes back if it may bounce. */
  async refused(
    code: ExitCodeName,
    body: Cell,
    value: bigint,
    from: Address,
    bounce = true,
  ): Promise<void> {
    const outcome = await this.pool.send(body, value, { from, bounce });
    assert.equal(outcome.exitCode, exitCodes[code], code);
    const { ground, value: seen } = this.books.audit(outcome);
    assert.deepEqual(outcome.logs, []);
    if (bounce) {
      const [{ info }] = outcome.sent;
      assert.equal(outcome.after, ground, "a message that is refused moved the pool's money");
      assert.ok(outcome.sent.length === 1 && info.type === "internal" && info.bounced);
    } else {
      assert.equal(outcome.sent.length, 0);
      assert.ok(outcome.after >= ground && outcome.after <= ground + seen);
    }
    this.count(code);
  }

  /** A message whose value stays, but for what it cost. */
  kept(outcome: Outcome): void {
    this.books.audit(outcome);
    assert.deepEqual([outcome.sent.length, outcome.logs.length], [0, 0]);
  }

  settled(rescue: Outcome | undefined): void {
    if (rescue === undefined) return;
    this.kept(rescue);
    this.count("topped up");
  }

  /** State, size and debt after a step. */
  async compare(): Promise<void> {
    const { model, pool, books } = this;
    assert.ok((await pool.data()).equals(model.data()), "the pool's state is not the model's");
    const bound = sizeBound(model, this.fixed);
    const { cells, bits } = await books.account();
    assert.ok(cells <= bound.cells && bits <= bound.bits, `${cells} cells, ${bits} bits`);
    assert.ok(model.unspent > 0 || model.debt === 0n, "something is owed by nobody");
  }

  async compareGetters(): Promise<void> {
    const { model, pool } = this;
    const { deposits, withdrawals, debt, touched, paused } = await pool.info();
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
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }
}
