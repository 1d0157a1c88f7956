/**
 * Scenarios of the stateful tests as data that fast-check generates, prints and shrinks. The drivers run
 * them.
 */
import fc from "fast-check";
import { invalidDeposits, invalidWithdrawals } from "./invalid_messages.ts";
import { type PriceName, priceNames } from "./pool_ledger.ts";
import { CAPACITY, type InitialState, type KeyPlacement } from "./pool_model.ts";
import { type PartyKind, partyKinds } from "./parties.ts";
import { LOCKED } from "./wallet_gate.ts";

/** The parts of a withdrawal that its submitter chooses. */
export interface WithdrawalChoice {
  readonly key: KeyPlacement;
  /** Index among the known roots, newest first, modulo their number. */
  readonly root: number;
  /** In thousandths of the denomination, changed by `edge` nano; null without a relayer. */
  readonly fee: number | null;
  readonly edge: -1 | 0 | 1;
  readonly refund: bigint;
  readonly recipient: PartyKind;
  readonly relayer: PartyKind;
  readonly sender: PartyKind;
}

export type RetryOffer = "least" | "short" | "ample" | "unknown";
export type OfferedValue = "least" | "quote" | "ample";

/** Messages that are not a deposit, a withdrawal or an order of the owner. */
export const otherMessageForms = ["empty", "short", "unknown op", "excesses", "bounced"] as const;

export type Step =
  | { readonly do: "deposit"; readonly key: KeyPlacement; readonly bounce: boolean }
  | { readonly do: "wrong deposit"; readonly fault: string; readonly bounce: boolean }
  | { readonly do: "wrong amount"; readonly amount: bigint }
  | {
    readonly do: "withdraw";
    readonly choice: WithdrawalChoice;
    readonly offer: OfferedValue;
    readonly bounce: boolean;
  }
  | { readonly do: "wrong withdrawal"; readonly choice: WithdrawalChoice; readonly fault: string }
  | { readonly do: "one nano short"; readonly choice: WithdrawalChoice }
  | { readonly do: "quote"; readonly refund: bigint }
  | { readonly do: "as quoted"; readonly choice: WithdrawalChoice }
  | { readonly do: "stray"; readonly form: typeof otherMessageForms[number]; readonly value: bigint }
  | { readonly do: "idle"; readonly seconds: number; readonly brink: bigint }
  | { readonly do: "reprice"; readonly prices: PriceName }
  /** The issuer changes the value that the wallet of a jetton pool requires of a transfer, in nano. */
  | { readonly do: "gate"; readonly minValue: bigint }
  /** Someone pays a refused payout again. */
  | {
    readonly do: "retry";
    readonly which: number;
    readonly offer: RetryOffer;
    readonly bounce: boolean;
  }
  | {
    readonly do: "sweep";
    readonly owner: boolean;
    readonly permille: number;
    readonly beyond: 0 | 1;
  }
  | { readonly do: "pause"; readonly owner: boolean; readonly paused: boolean };

export const DAY = 86_400;
export const YEAR = 31_557_600;
/** Makes the printed cases readable. */
const plain = { noNullPrototype: true } as const;

const nano = (most: bigint) => fc.oneof(fc.constant(0n), fc.bigInt(1n, 100n), fc.bigInt(0n, most));
const party = fc.constantFrom(...partyKinds);
const key = fc.constantFrom<KeyPlacement>("even", "crowded");
const refund = nano(3_000_000_000n);

const choice: fc.Arbitrary<WithdrawalChoice> = fc.record({
  key,
  root: fc.oneof(fc.constant(0), fc.nat(29)),
  fee: fc.option(fc.oneof(fc.constantFrom(0, 1_000), fc.nat(1_000)), { freq: 3 }),
  edge: fc.constantFrom(0, 1, -1),
  refund,
  recipient: party,
  relayer: party,
  sender: party,
}, plain);

const seconds = fc.oneof(fc.nat(600), fc.nat(DAY), fc.nat(YEAR), fc.nat(40 * YEAR));

const deposit = as("deposit", { key, bounce: flag(9) });
const withdraw = as("withdraw", {
  choice,
  offer: fc.constantFrom("least", "quote", "ample"),
  bounce: flag(9),
});
const quote = as("quote", { refund });
const reprice = as("reprice", { prices: fc.constantFrom(...priceNames) });
const gate = as("gate", { minValue: fc.constantFrom(0n, 150_000_000n, 600_000_000n, LOCKED) });
const retry = as("retry", {
  which: fc.nat(20),
  offer: fc.constantFrom<RetryOffer>("least", "ample", "short", "unknown"),
  bounce: fc.boolean(),
});
/** A pool with 254 open claims accepts one more withdrawal, a pool with 255 accepts none. */
const claims = fc.oneof(
  { weight: 15, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(254, 255) },
);

/** Generates scenarios: the initial state, prices, balance, and the steps. */
export function scenarios(longest: number) {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 12, arbitrary: deposit },
    { weight: 12, arbitrary: withdraw },
    { weight: 4, arbitrary: gate },
    { weight: 5, arbitrary: retry },
    {
      weight: 6,
      arbitrary: as("wrong deposit", {
        fault: fc.constantFrom(...Object.keys(invalidDeposits)),
        bounce: flag(6),
      }),
    },
    {
      weight: 8,
      arbitrary: as("wrong withdrawal", {
        choice,
        fault: fc.oneof(
          { weight: 1, arbitrary: fc.constant("a nullifier again") },
          { weight: 5, arbitrary: fc.constantFrom(...Object.keys(invalidWithdrawals)) },
        ),
      }),
    },
    { weight: 2, arbitrary: as("wrong amount", { amount: nano(2_000_000_000n) }) },
    { weight: 3, arbitrary: as("one nano short", { choice }) },
    { weight: 4, arbitrary: quote },
    { weight: 5, arbitrary: as("as quoted", { choice }) },
    {
      weight: 4,
      arbitrary: as("stray", {
        form: fc.constantFrom(...otherMessageForms),
        value: fc.bigInt(50_000_000n, 5_000_000_000n),
      }),
    },
    { weight: 5, arbitrary: as("idle", { seconds, brink: nano(99_000_000n) }) },
    { weight: 3, arbitrary: reprice },
    {
      weight: 2,
      arbitrary: as("sweep", {
        owner: flag(3),
        permille: fc.constantFrom(0, 500, 1_000),
        beyond: fc.constantFrom(0, 1),
      }),
    },
    { weight: 1, arbitrary: as("pause", { owner: flag(2), paused: fc.boolean() }) },
  );
  const start: fc.Arbitrary<InitialState> = fc.record({
    denomination: fc.constantFrom(1_000_000_000n, 10_000_000_000n, 1_000_000_000_000n),
    owner: fc.constantFrom("burned", "kept"),
    unspent: fc.nat(6),
    spent: fc.oneof(fc.constant(0), fc.nat(70)),
    attackDepth: fc.constantFrom(0, 0, 3, 90),
    remainingCapacity: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, {
      weight: 1,
      arbitrary: fc.nat(3),
    }),
    claims,
  }, plain);
  return fc.record({
    start,
    prices: fc.constantFrom(...priceNames),
    /** The part of the notes' value that the pool holds, in thousandths, without `spare`. */
    covered: fc.oneof(fc.constant(1_000), fc.constant(0), fc.nat(1_000)),
    spare: nano(5_000_000_000n),
    /** The debt per note, in thousandths of the gas of the most expensive deposit. */
    owed: fc.oneof(fc.constant(0), fc.nat(1_000)),
    steps: fc.array(step, { minLength: 1, maxLength: longest, size: "max" }),
  }, plain);
}
type AttendedScenario = ReturnType<typeof scenarios> extends fc.Arbitrary<infer T> ? T : never;
/** An unattended pool: it starts with the balance that SPEC.md states and is never topped up. */
export type Scenario = AttendedScenario & { readonly unattended?: boolean };

/** The part of the pool's capacity that is deposited, and the part of the deposits that is withdrawn. */
export const fillNames = ["full", "half full", "emptied"] as const;
export type FillName = typeof fillNames[number];

/**
 * Generates scenarios of pools without messages for decades, at constant and at changing prices.
 * @param notes the notes of a full pool; with the real capacity of 131,072, each message takes seconds
 */
export function unattendedScenarios(longest: number, notes: number): fc.Arbitrary<Scenario> {
  const idle = as("idle", { seconds: fc.integer({ min: YEAR, max: 40 * YEAR }), brink: fc.constant(0n) });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: idle },
    { weight: 2, arbitrary: deposit },
    { weight: 3, arbitrary: withdraw },
    { weight: 2, arbitrary: reprice },
    { weight: 1, arbitrary: gate },
    { weight: 1, arbitrary: retry },
    { weight: 1, arbitrary: quote },
  );
  const few = 6;
  const counts: Record<FillName, Pick<InitialState, "unspent" | "spent">> = {
    full: { unspent: notes, spent: 0 },
    "half full": { unspent: notes / 2, spent: 0 },
    emptied: { unspent: few, spent: notes - few },
  };
  return fc.record({
    start: fc.record({
      denomination: fc.constantFrom(1_000_000_000n, 1_000_000_000_000n),
      fill: fc.constantFrom(...fillNames),
      stored: notes === CAPACITY ? fc.constantFrom("even", "worst") : fc.constant("even"),
    }, plain).map((
      { fill, ...start },
    ) => ({ ...start, ...counts[fill], owner: "burned", attackDepth: 0 } as const)),
    prices: fc.constantFrom(...priceNames),
    covered: fc.constant(0),
    spare: fc.constant(0n),
    owed: fc.nat(1_000),
    steps: fc.tuple(fc.array(step, { minLength: 1, maxLength: longest, size: "max" }), idle)
      .map(([steps, last]): Step[] => [...steps, last]),
    unattended: fc.constant(true),
  }, plain);
}

function as<K extends Step["do"], T extends object>(
  name: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
): fc.Arbitrary<{ do: K } & T> {
  return fc.record({ do: fc.constant(name), ...fields }, plain) as unknown as fc.Arbitrary<{ do: K } & T>;
}

/** Generates true `times` times as often as false. */
function flag(times: number): fc.Arbitrary<boolean> {
  return fc.nat(times).map((n) => n < times);
}
