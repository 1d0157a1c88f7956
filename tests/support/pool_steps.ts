/** Steps of the stateful tests, as data that fast-check draws, prints and shrinks; native_model.ts and jetton_model.ts do them. */
import fc from "fast-check";
import { depositFaults, withdrawFaults } from "./pool_faults.ts";
import { type PriceName, priceNames } from "./pool_books.ts";
import type { KeyKind, Start } from "./pool_model.ts";
import { type PartyKind, partyKinds } from "./pool_parties.ts";

/** A withdrawal as far as its submitter may choose. */
export interface Choice {
  readonly key: KeyKind;
  /** Which of the known roots, from the newest on and around. */
  readonly root: number;
  /** In thousandths of the denomination; null without a relayer. One nano, or one less than all, by `edge`. */
  readonly fee: number | null;
  readonly edge: -1 | 0 | 1;
  readonly refund: bigint;
  readonly recipient: PartyKind;
  readonly relayer: PartyKind;
  readonly sender: PartyKind;
}

export type Offer = "least" | "quote" | "ample";

/** Messages that are no deposit, withdrawal or order. */
export const strayForms = ["empty", "short", "unknown op", "excesses", "bounced"] as const;

export type Step =
  | { readonly do: "deposit"; readonly key: KeyKind; readonly bounce: boolean }
  | { readonly do: "wrong deposit"; readonly fault: string; readonly bounce: boolean }
  | { readonly do: "wrong amount"; readonly amount: bigint }
  | { readonly do: "withdraw"; readonly choice: Choice; readonly offer: Offer }
  | { readonly do: "wrong withdrawal"; readonly choice: Choice; readonly fault: string }
  | { readonly do: "one nano short"; readonly choice: Choice }
  | { readonly do: "quote"; readonly refund: bigint }
  | { readonly do: "as quoted"; readonly choice: Choice }
  | { readonly do: "stray"; readonly form: typeof strayForms[number]; readonly value: bigint }
  | { readonly do: "idle"; readonly seconds: number; readonly brink: bigint }
  | { readonly do: "reprice"; readonly prices: PriceName }
  | {
    readonly do: "sweep";
    readonly owner: boolean;
    readonly permille: number;
    readonly beyond: 0 | 1;
  }
  | { readonly do: "pause"; readonly owner: boolean; readonly paused: boolean };

export const DAY = 86_400;
const YEAR = 31_557_600;
/** Readable where fast-check prints a case. */
const plain = { noNullPrototype: true } as const;

const nano = (most: bigint) => fc.oneof(fc.constant(0n), fc.bigInt(1n, 100n), fc.bigInt(0n, most));
const party = fc.constantFrom(...partyKinds);
const key = fc.constantFrom<KeyKind>("even", "crowded");
const refund = nano(3_000_000_000n);

const choice: fc.Arbitrary<Choice> = fc.record({
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

/** Draws runs: how the pool begins, at which prices, with how much, and what happens to it. */
export function histories(longest: number) {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 12, arbitrary: as("deposit", { key, bounce: flag(9) }) },
    { weight: 12, arbitrary: as("withdraw", { choice, offer: fc.constantFrom("least", "quote", "ample") }) },
    {
      weight: 6,
      arbitrary: as("wrong deposit", {
        fault: fc.constantFrom(...Object.keys(depositFaults)),
        bounce: flag(6),
      }),
    },
    {
      weight: 8,
      arbitrary: as("wrong withdrawal", { choice, fault: fc.constantFrom(...Object.keys(withdrawFaults)) }),
    },
    { weight: 2, arbitrary: as("wrong amount", { amount: nano(2_000_000_000n) }) },
    { weight: 3, arbitrary: as("one nano short", { choice }) },
    { weight: 4, arbitrary: as("quote", { refund }) },
    { weight: 5, arbitrary: as("as quoted", { choice }) },
    {
      weight: 4,
      arbitrary: as("stray", {
        form: fc.constantFrom(...strayForms),
        value: fc.bigInt(50_000_000n, 5_000_000_000n),
      }),
    },
    { weight: 5, arbitrary: as("idle", { seconds, brink: nano(99_000_000n) }) },
    { weight: 3, arbitrary: as("reprice", { prices: fc.constantFrom(...priceNames) }) },
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
  const start: fc.Arbitrary<Start> = fc.record({
    denomination: fc.constantFrom(1_000_000_000n, 10_000_000_000n, 1_000_000_000_000n),
    owner: fc.constantFrom("burned", "kept"),
    notes: fc.nat(6),
    past: fc.oneof(fc.constant(0), fc.nat(70)),
    depth: fc.constantFrom(0, 0, 3, 90),
    room: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(3) }),
  }, plain);
  return fc.record({
    start,
    prices: fc.constantFrom(...priceNames),
    /** Of what the notes are worth, in thousandths, beside what `spare` says. */
    covered: fc.oneof(fc.constant(1_000), fc.constant(0), fc.nat(1_000)),
    spare: nano(5_000_000_000n),
    /** Of the dearest deposit's gas for each note, in thousandths. */
    owed: fc.oneof(fc.constant(0), fc.nat(1_000)),
    steps: fc.array(step, { minLength: 1, maxLength: longest, size: "max" }),
  }, plain);
}
export type History = ReturnType<typeof histories> extends fc.Arbitrary<infer T> ? T : never;

function as<K extends Step["do"], T extends object>(
  name: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
): fc.Arbitrary<{ do: K } & T> {
  return fc.record({ do: fc.constant(name), ...fields }, plain) as unknown as fc.Arbitrary<{ do: K } & T>;
}

/** True `times` as often as false. */
function flag(times: number): fc.Arbitrary<boolean> {
  return fc.nat(times).map((n) => n < times);
}
