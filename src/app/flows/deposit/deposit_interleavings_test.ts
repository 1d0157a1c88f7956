/** Random interleavings of wallets, other depositors, closed tabs and the clock, against a model of a pool. */
import { equal, ok } from "node:assert/strict";
import { Address, beginCell } from "@ton/core";
import fc from "fast-check";
import { Problem } from "../../../core/errors/problem.ts";
import { propertyParameters } from "../../../../testkit/random/property_runs.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";
import { depositMachine, EXPIRY_GRACE_SECONDS, QUESTION_SECONDS } from "./deposit.ts";
import type { DepositServices } from "./deposit_services.ts";
import type { DepositEvent, DepositState } from "./deposit_state.ts";
import { type Flow, startFlow } from "../machine.ts";

const steps = [
  "pay",
  "close",
  "foreign",
  "send",
  "send_twice",
  "answer",
  "decline",
  "vanish",
  "late",
  "block",
  "wait",
  "read",
  "fault",
  "retry",
  "not_paid",
  "long_wait",
] as const;
type Step = typeof steps[number];

interface Question {
  readonly leafIndex: number;
  readonly validUntil: number;
  sends: number;
  readonly resolve: () => void;
  readonly reject: (problem: Problem) => void;
}

const settle = async () => {
  for (let i = 0; i < 8; i++) await Promise.resolve();
};
const to = new Address(0, new Uint8Array(32) as never);
const body = beginCell().endCell();

/** A pool, its depositor's money and browser. Version 1 needs the next leaf and refuses a second deposit of a note. */
class World {
  now = 10_000;
  balance = 10;
  leaves = 0;
  deposited: number[] = [];
  stored = false;
  log: Extract<DepositEvent, { type: "seen" | "refused" }>[] = [];
  pending: { readonly leafIndex: number; readonly validUntil: number }[] = [];
  /** All requests so far: the user may answer any of them while it is valid. */
  questions: Question[] = [];
  flow: Flow<DepositState, DepositEvent>;
  #reading = new Map<Parameters<DepositServices["watch"]>[2], number>();
  /** Number of events that this visit's watch has reported. */
  #reported = 0;
  #breakWatch = (_: Problem) => {};
  /** Ends the sleep of a long wait. */
  endSleep = () => {};

  constructor(readonly version: 1 | 2) {
    this.flow = startFlow(depositMachine(this.services()), { step: "choosing" });
  }

  services(): DepositServices {
    const pool = { key: "p", version: this.version, asset: "native", amount: "1" };
    return {
      sizes: () => Promise.resolve(new Map()),
      fees: () => Promise.resolve(new Map()),
      prepare: () => {
        this.stored = true;
        return Promise.resolve({ id: "n", pool });
      },
      open: () =>
        Promise.resolve({ ticket: { id: "n", pool }, backup: "proven" as const, wasRequested: true }),
      build: () => {
        const question = { validUntil: this.now + QUESTION_SECONDS, leafIndex: this.leaves };
        const message: PayMessage = { to, amount: BigInt(this.leaves), body };
        return Promise.resolve({ message, question });
      },
      watch: (_ticket, signal, send) => {
        this.#reading.set(send, this.#reported);
        signal.addEventListener("abort", () => this.#reading.delete(send));
        return new Promise((_, reject) => this.#breakWatch = reject);
      },
      waitForReturn: () => Promise.resolve(true),
      sleep: () => new Promise((resolve) => this.endSleep = resolve),
      connect: () => Promise.resolve(this.payer),
    };
  }

  readonly payer: Payer = {
    name: "model",
    address: to,
    pay: ({ amount }, { validUntil }) =>
      new Promise((resolve, reject) => {
        ok(this.stored, "the note is stored before a wallet is asked");
        this.questions.push({ leafIndex: Number(amount), validUntil, sends: 0, resolve, reject });
      }),
    disconnect: () => Promise.resolve(),
  };

  get question() {
    return this.questions.at(-1);
  }

  /** Sends the oldest requests first. Validators accept each transfer once, and only before it expires. */
  send(times: number) {
    const open = this.questions.filter(({ sends, validUntil }) => sends === 0 && this.now <= validUntil);
    for (const question of open.slice(0, times)) {
      question.sends++;
      this.pending.push(question);
    }
  }

  block() {
    this.now += 5;
    for (const { leafIndex, validUntil } of this.pending.splice(0)) {
      if (this.now - 5 > validUntil) continue;
      this.balance--;
      const isDuplicate = this.version === 1 && this.deposited.length > 0;
      const isStale = this.version === 1 && leafIndex !== this.leaves;
      if (isDuplicate || isStale) {
        this.balance++;
        this.log.push({ type: "refused", reason: "x", isOwn: true, isOvertaken: isStale });
      } else {
        this.deposited.push(this.leaves);
        this.log.push({ type: "seen", leafIndex: this.leaves++ });
      }
    }
  }

  read() {
    for (const [send, from] of [...this.#reading]) {
      this.#reading.set(send, this.#reported = this.log.length);
      for (const event of this.log.slice(from)) send(event);
      send({ type: "chain_time", now: this.now });
    }
  }

  /** Ends the watch with a fault that is not retried by itself. */
  fault() {
    this.#reading.clear();
    this.#breakWatch(new Problem("note_store_in_use"));
  }

  close() {
    const wasStored = this.stored;
    this.flow.stop();
    this.#reading.clear();
    this.#reported = 0;
    this.flow = startFlow(
      depositMachine(this.services()),
      wasStored ? { step: "opening", id: "n" } : { step: "choosing" },
    );
  }
}

async function take(world: World, step: Step) {
  const { flow } = world;
  switch (step) {
    case "pay":
      flow.send({
        type: "pool_chosen",
        pool: { key: "p", version: world.version, asset: "native", amount: "1" },
        isBackedUp: true,
      });
      await settle();
      flow.send({ type: "source_chosen", source: { id: "model" } as PayerSource });
      await settle();
      flow.send({ type: "pay" });
      break;
    case "close":
      world.close();
      break;
    case "foreign":
      world.leaves++;
      break;
    case "send":
      world.send(1);
      break;
    case "send_twice":
      world.send(2);
      break;
    case "answer":
      world.question?.resolve();
      break;
    case "decline":
      world.question?.reject(new Problem("wallet_declined"));
      break;
    case "vanish":
      world.question?.reject(new Problem("wallet_unavailable"));
      break;
    case "late":
      world.now += QUESTION_SECONDS + 1;
      world.send(1);
      break;
    case "block":
      world.block();
      break;
    case "wait":
      world.now += QUESTION_SECONDS + EXPIRY_GRACE_SECONDS + 10;
      break;
    case "read":
      world.block();
      world.read();
      break;
    case "fault":
      world.fault();
      break;
    case "retry":
      flow.send({ type: "retry" });
      break;
    case "not_paid":
      flow.send({ type: "not_paid" });
      break;
    case "long_wait":
      world.endSleep();
  }
  await settle();
}

/** Steps that repeat a request are more frequent than steps that end a deposit. */
const anyStep = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>("pay", "close", "read", "decline", "fault", "retry", "not_paid"),
  },
  { weight: 1, arbitrary: fc.constantFrom(...steps) },
);

for (const version of [1, 2] as const) {
  Deno.test(`version ${version}: no interleaving pays twice or loses a note`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 80, size: "max" }),
        async (history) => {
          const world = new World(version);
          for (const step of history) {
            await take(world, step);
            ok(world.deposited.length <= 1, "the note is paid once");
            equal(world.balance, 10 - world.deposited.length, "the rest of the money is in the wallet");
          }
          // Time passes, and the user tries again until the deposit is done.
          for (let i = 0; i < 6 && world.flow.state.step !== "done"; i++) {
            for (const step of ["retry", "wait", "read", "pay", "send", "answer", "read"] as const) {
              await take(world, step);
            }
          }
          equal(world.flow.state.step, "done");
          equal(world.deposited.length, 1);
          world.flow.stop();
        },
      ),
      propertyParameters(1_500),
    );
  });
}
