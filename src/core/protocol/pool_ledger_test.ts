import { deepEqual, equal, throws } from "node:assert/strict";
import { FIELD_MODULUS } from "../crypto/field.ts";
import {
  checkRoot,
  type Effect,
  emptyLedger,
  type Facts,
  type LedgerMessage,
  type LedgerRule,
  nullifierKey,
  type PoolLedger,
  step,
  stepOrThrow,
} from "./pool_ledger.ts";
import { SpentSet } from "./v2/spent_set.ts";

const deposit = (leafIndex: number, commitment = BigInt(100 + leafIndex)): LedgerMessage => ({
  kind: "deposit",
  leafIndex,
  commitment,
});
const settlement = (rootNumber: number, end: number, newRoot = 7n): LedgerMessage => ({
  kind: "settlement",
  rootNumber,
  end,
  newRoot,
});
const withdrawal = (nullifierHash: bigint): LedgerMessage => ({ kind: "withdrawal", nullifierHash });

/** The commitment 50 is a leaf, and the nullifier hash 60 is spent. */
const facts: Facts = { hasLeaf: (commitment) => commitment === 50n, isSpent: (hash) => hash === 60n };

const ledger = (
  version: 1 | 2,
  [depositCount, settledLeaves, rootCount, withdrawalCount]: readonly [number, number, number, number],
): PoolLedger => ({ version, depositCount, settledLeaves, rootCount, withdrawalCount });

const states = {
  "an empty version 1 pool": emptyLedger(1),
  "a version 1 pool with a note left": ledger(1, [3, 3, 0, 2]),
  "a version 1 pool without a note left": ledger(1, [3, 3, 0, 3]),
  "an empty version 2 pool": emptyLedger(2),
  "a version 2 pool whose deposits wait": ledger(2, [20, 0, 0, 0]),
  "a version 2 pool within a chunk": ledger(2, [40, 10, 3, 4]),
  "a version 2 pool at the end of a chunk": ledger(2, [40, 16, 3, 4]),
  "a version 2 pool with a short queue": ledger(2, [12, 10, 3, 9]),
  "a version 2 pool without a waiting deposit or a note left": ledger(2, [10, 10, 3, 10]),
};

const queued = (leafIndex: number): Effect => ({
  kind: "queued",
  leafIndex,
  commitment: BigInt(100 + leafIndex),
});
const leafSettled = (from: number): Effect => ({ kind: "settled", from, to: from + 1 });
const settled = (from: number, to: number, number: number): Effect => ({
  kind: "settled",
  from,
  to,
  root: { number, value: 7n },
});
const spent = (position: number): Effect => ({ kind: "spent", position, nullifierHash: 5n });

type Outcome = readonly [PoolLedger, ...Effect[]] | LedgerRule;
const cases: [state: keyof typeof states, what: string, message: LedgerMessage, outcome: Outcome][] = [
  ["an empty version 1 pool", "its first deposit", deposit(0), [
    ledger(1, [1, 1, 0, 0]),
    queued(0),
    leafSettled(0),
  ]],
  ["an empty version 1 pool", "the second deposit", deposit(1), "leaf_order"],
  ["an empty version 1 pool", "a settlement", settlement(0, 1), "root_number"],
  ["an empty version 1 pool", "a withdrawal", withdrawal(5n), "overpaid"],

  ["a version 1 pool with a note left", "the next deposit", deposit(3), [
    ledger(1, [4, 4, 0, 2]),
    queued(3),
    leafSettled(3),
  ]],
  ["a version 1 pool with a note left", "an earlier leaf", deposit(2), "leaf_order"],
  ["a version 1 pool with a note left", "a later leaf", deposit(4), "leaf_order"],
  ["a version 1 pool with a note left", "a commitment of r", deposit(3, FIELD_MODULUS), "not_in_field"],
  ["a version 1 pool with a note left", "a copy", deposit(3, 50n), "copy"],
  ["a version 1 pool with a note left", "a settlement", settlement(0, 3), "root_number"],
  ["a version 1 pool with a note left", "a withdrawal", withdrawal(5n), [ledger(1, [3, 3, 0, 3]), spent(2)]],
  ["a version 1 pool with a note left", "a spent note", withdrawal(60n), "spent_twice"],
  ["a version 1 pool with a note left", "a hash of r", withdrawal(FIELD_MODULUS), "not_in_field"],

  ["a version 1 pool without a note left", "the next deposit", deposit(3), [
    ledger(1, [4, 4, 0, 3]),
    queued(3),
    leafSettled(3),
  ]],
  ["a version 1 pool without a note left", "a settlement", settlement(0, 3), "root_number"],
  ["a version 1 pool without a note left", "a withdrawal", withdrawal(5n), "overpaid"],
  ["a version 1 pool without a note left", "a spent note", withdrawal(60n), "spent_twice"],

  ["an empty version 2 pool", "its first deposit", deposit(0), [ledger(2, [1, 0, 0, 0]), queued(0)]],
  ["an empty version 2 pool", "the second deposit", deposit(1), "leaf_order"],
  ["an empty version 2 pool", "a settlement of nothing", settlement(0, 0), "settlement_end"],
  ["an empty version 2 pool", "a settlement beyond the queue", settlement(0, 1), "settlement_end"],
  ["an empty version 2 pool", "a withdrawal", withdrawal(5n), "overpaid"],

  ["a version 2 pool whose deposits wait", "the next deposit", deposit(20), [
    ledger(2, [21, 0, 0, 0]),
    queued(20),
  ]],
  ["a version 2 pool whose deposits wait", "a copy", deposit(20, 50n), [ledger(2, [21, 0, 0, 0]), {
    kind: "queued",
    leafIndex: 20,
    commitment: 50n,
  }]],
  ["a version 2 pool whose deposits wait", "a later leaf", deposit(21), "leaf_order"],
  ["a version 2 pool whose deposits wait", "a commitment of r", deposit(20, FIELD_MODULUS), "not_in_field"],
  ["a version 2 pool whose deposits wait", "one deposit's settlement", settlement(0, 1), [
    ledger(2, [20, 1, 1, 0]),
    settled(0, 1, 0),
  ]],
  ["a version 2 pool whose deposits wait", "the settlement of a chunk", settlement(0, 16), [
    ledger(2, [20, 16, 1, 0]),
    settled(0, 16, 0),
  ]],
  ["a version 2 pool whose deposits wait", "a settlement of two chunks", settlement(0, 17), "settlement_end"],
  ["a version 2 pool whose deposits wait", "the second settlement", settlement(1, 16), "root_number"],
  ["a version 2 pool whose deposits wait", "a root of r", settlement(0, 16, FIELD_MODULUS), "not_in_field"],
  ["a version 2 pool whose deposits wait", "a withdrawal", withdrawal(5n), "overpaid"],

  ["a version 2 pool within a chunk", "the next deposit", deposit(40), [
    ledger(2, [41, 10, 3, 4]),
    queued(40),
  ]],
  ["a version 2 pool within a chunk", "the rest of the chunk", settlement(3, 16), [
    ledger(2, [40, 16, 4, 4]),
    settled(10, 16, 3),
  ]],
  ["a version 2 pool within a chunk", "the same end", settlement(3, 10), "settlement_end"],
  ["a version 2 pool within a chunk", "an earlier end", settlement(3, 9), "settlement_end"],
  ["a version 2 pool within a chunk", "an end in the next chunk", settlement(3, 17), "settlement_end"],
  ["a version 2 pool within a chunk", "the last settlement again", settlement(2, 10), "root_number"],
  ["a version 2 pool within a chunk", "a later settlement", settlement(4, 16), "root_number"],
  ["a version 2 pool within a chunk", "a withdrawal", withdrawal(5n), [
    ledger(2, [40, 10, 3, 5]),
    spent(4),
  ]],
  ["a version 2 pool within a chunk", "a spent note", withdrawal(60n), "spent_twice"],
  ["a version 2 pool within a chunk", "a hash of r", withdrawal(FIELD_MODULUS), "not_in_field"],

  ["a version 2 pool at the end of a chunk", "the next deposit", deposit(40), [
    ledger(2, [41, 16, 3, 4]),
    queued(40),
  ]],
  ["a version 2 pool at the end of a chunk", "a withdrawal", withdrawal(5n), [
    ledger(2, [40, 16, 3, 5]),
    spent(4),
  ]],
  ["a version 2 pool at the end of a chunk", "the next chunk", settlement(3, 32), [
    ledger(2, [40, 32, 4, 4]),
    settled(16, 32, 3),
  ]],
  ["a version 2 pool at the end of a chunk", "two chunks", settlement(3, 33), "settlement_end"],

  ["a version 2 pool with a short queue", "the next deposit", deposit(12), [
    ledger(2, [13, 10, 3, 9]),
    queued(12),
  ]],
  ["a version 2 pool with a short queue", "the whole queue", settlement(3, 12), [
    ledger(2, [12, 12, 4, 9]),
    settled(10, 12, 3),
  ]],
  ["a version 2 pool with a short queue", "an end beyond the queue", settlement(3, 13), "settlement_end"],
  ["a version 2 pool with a short queue", "the last note", withdrawal(5n), [
    ledger(2, [12, 10, 3, 10]),
    spent(9),
  ]],

  ["a version 2 pool without a waiting deposit or a note left", "the next deposit", deposit(10), [
    ledger(2, [11, 10, 3, 10]),
    queued(10),
  ]],
  [
    "a version 2 pool without a waiting deposit or a note left",
    "a settlement",
    settlement(3, 11),
    "settlement_end",
  ],
  ["a version 2 pool without a waiting deposit or a note left", "a withdrawal", withdrawal(5n), "overpaid"],
  [
    "a version 2 pool without a waiting deposit or a note left",
    "a spent note",
    withdrawal(60n),
    "spent_twice",
  ],
];

for (const [state, what, message, outcome] of cases) {
  const ending = typeof outcome === "string" ? `contradicts it: ${outcome}` : "follows";
  Deno.test(`${state}: ${what} ${ending}`, () => {
    const result = step(states[state], message, facts);
    if (typeof outcome === "string") {
      equal("contradiction" in result && result.contradiction.rule, outcome);
    } else {
      const [next, ...effects] = outcome;
      deepEqual(result, { ledger: next, effects });
    }
  });
}

Deno.test("the table has a deposit, a settlement and a withdrawal in every state, and breaks every rule", () => {
  for (const name of Object.keys(states)) {
    const kinds = cases.filter(([state]) => state === name).map(([, , { kind }]) => kind);
    deepEqual([...new Set(kinds)].toSorted(), ["deposit", "settlement", "withdrawal"], name);
  }
  deepEqual(
    [...new Set(cases.map(([, , , outcome]) => outcome).filter((each) => typeof each === "string"))]
      .toSorted(),
    [
      ...["copy", "leaf_order", "not_in_field", "overpaid", "root_number", "settlement_end", "spent_twice"],
    ],
  );
});

const silent = ["skipped", "refused", "payout_claimed", "payout_lost"] as const;
for (const kind of silent) {
  Deno.test(`a message of the kind ${kind} changes no state`, () => {
    for (const state of Object.values(states)) {
      deepEqual(step(state, { kind }, facts), { ledger: state, effects: [] });
    }
  });
}

Deno.test("a contradiction says what was found and what was expected", () => {
  const details = (state: keyof typeof states, messages: readonly LedgerMessage[]) =>
    messages.map((message) => {
      const result = step(states[state], message, facts);
      return "contradiction" in result && result.contradiction.detail;
    });
  deepEqual(
    details("a version 2 pool within a chunk", [
      ...[deposit(41), deposit(40, FIELD_MODULUS), settlement(5, 16), settlement(3, 17)],
      ...[settlement(3, 16, FIELD_MODULUS), withdrawal(60n), withdrawal(FIELD_MODULUS)],
    ]),
    [
      "found leaf 41, expected leaf 40",
      "leaf 40 is not a field element",
      "found settlement 5, expected settlement 3",
      "settlement 3 ends at 17, with 10 of 40 settled",
      "the root of settlement 3 is not a field element",
      "a note is paid twice: withdrawal 4 repeats a nullifier hash",
      "the nullifier hash of withdrawal 4 is not a field element",
    ],
  );
  deepEqual(
    details("a version 1 pool without a note left", [deposit(3, 50n), settlement(0, 3), withdrawal(5n)]),
    [
      "the commitment of leaf 3 is in the tree already",
      "found settlement 0 in a version 1 pool",
      "withdrawal 3 follows the withdrawals of all 3 leaves",
    ],
  );
});

Deno.test("the root of a settlement is compared with the root that its leaves give", () => {
  const settlement = { kind: "settled", from: 0, to: 3, root: { number: 4, value: 7n } } as const;
  equal(checkRoot(settlement, 7n), undefined);
  equal(checkRoot({ kind: "settled", from: 0, to: 1 }, 7n), undefined);
  deepEqual(checkRoot(settlement, 8n), {
    rule: "root",
    detail: "settlement 4 set a root that its leaves do not give",
  });
});

Deno.test("a step that must succeed throws a contradiction", () => {
  deepEqual(stepOrThrow(emptyLedger(2), deposit(0), facts), step(emptyLedger(2), deposit(0), facts));
  throws(() => stepOrThrow(emptyLedger(2), deposit(1), facts), {
    code: "chain_inconsistent",
    message: /found leaf 1, expected leaf 0/,
  });
});

Deno.test("version 2 pools compare the lowest 108 bits of nullifier hashes, version 1 readers all", () => {
  const [low, high] = [5n, 5n + (1n << 108n)];
  equal(nullifierKey(2, low), nullifierKey(2, high));
  equal(nullifierKey(2, low) === nullifierKey(2, 5n + (1n << 107n)), false);
  equal(nullifierKey(1, low) === nullifierKey(1, high), false);
  const spent = new SpentSet();
  spent.add(low);
  deepEqual([high, 5n + (1n << 107n)].map((hash) => spent.has(hash)), [true, false]);
});
