/**
 * The rules that the logs of every pool follow. `step` is pure: containers, hashing and storage belong to the readers of
 * the logs, and so does what a contradiction means: an error, a rollback or a finding.
 */
import { isFieldElement } from "../crypto/field.ts";
import { CHUNK_SLOTS } from "../crypto/groth16.ts";
import { Problem } from "../errors/problem.ts";
import type { PoolVersion } from "./deployments.ts";
import type { DepositLog, RefusedPayoutLog, WithdrawalLog } from "./messages/pool_messages.ts";
import type { SettlementLog } from "./v2/messages.ts";
import { SPENT_KEY_BITS } from "./v2/pool_constants.ts";

/** What the logs until now add up to. */
export interface PoolLedger {
  readonly version: PoolVersion;
  readonly depositCount: number;
  /** Leaves of the tree. In a version 1 pool, each deposit is one at once. */
  readonly settledLeaves: number;
  /** Number of settlements. */
  readonly rootCount: number;
  readonly withdrawalCount: number;
}

/** What a log or a refused message contributes to the rules. */
export type LedgerMessage =
  | Pick<DepositLog, "kind" | "leafIndex" | "commitment">
  | Pick<SettlementLog, "kind" | "rootNumber" | "end" | "newRoot">
  | Pick<WithdrawalLog, "kind" | "nullifierHash">
  | { readonly kind: RefusedPayoutLog["kind"] | "skipped" | "refused" };

/** What a reader knows of the earlier logs. */
export interface Facts {
  /** Version 1 pools only. */
  hasLeaf(commitment: bigint): boolean;
  /** Compares nullifier hashes by {@linkcode nullifierKey}. */
  isSpent(nullifierHash: bigint): boolean;
}

export type Effect =
  | { readonly kind: "queued"; readonly leafIndex: number; readonly commitment: bigint }
  | SettledEffect
  | { readonly kind: "spent"; readonly position: number; readonly nullifierHash: bigint };

/** The leaves `from` to `to` - 1 join the tree. */
export interface SettledEffect {
  readonly kind: "settled";
  readonly from: number;
  readonly to: number;
  /** In a version 2 pool, the root that the tree has then. A reader with a tree checks it: {@linkcode checkRoot}. */
  readonly root?: { readonly number: number; readonly value: bigint };
}

export type LedgerRule =
  | "leaf_order"
  | "not_in_field"
  | "copy"
  | "root_number"
  | "settlement_end"
  | "root"
  | "spent_twice"
  | "overpaid";

/** A log that no pool writes after the earlier ones. `detail` says what was found and what was expected. */
export interface Contradiction {
  readonly rule: LedgerRule;
  readonly detail: string;
}

export interface Advance {
  readonly ledger: PoolLedger;
  readonly effects: readonly Effect[];
}

export function emptyLedger(version: PoolVersion): PoolLedger {
  return { version, depositCount: 0, settledLeaves: 0, rootCount: 0, withdrawalCount: 0 };
}

/** Returns what identifies a spent note. Version 2 pools compare a part of the nullifier hash. */
export function nullifierKey(version: PoolVersion, nullifierHash: bigint): bigint {
  return version === 2 ? BigInt.asUintN(SPENT_KEY_BITS, nullifierHash) : nullifierHash;
}

/** Returns the end of the last batch that can begin after `settled` leaves: a batch lies in one chunk. */
export function chunkEnd(settled: number): number {
  return settled - settled % CHUNK_SLOTS + CHUNK_SLOTS;
}

export function step(
  ledger: PoolLedger,
  message: LedgerMessage,
  facts: Facts,
): Advance | { readonly contradiction: Contradiction } {
  switch (message.kind) {
    case "deposit":
      return addDeposit(ledger, message, facts);
    case "settlement":
      return addSettlement(ledger, message);
    case "withdrawal":
      return addWithdrawal(ledger, message, facts);
    default:
      return { ledger, effects: [] };
  }
}

/** Like {@linkcode step}, but throws `chain_inconsistent` for a contradiction. */
export function stepOrThrow(ledger: PoolLedger, message: LedgerMessage, facts: Facts): Advance {
  const result = step(ledger, message, facts);
  if ("contradiction" in result) throw new Problem("chain_inconsistent", result.contradiction.detail);
  return result;
}

/** `actual`: the root of the tree with the first `to` leaves. */
export function checkRoot({ root }: SettledEffect, actual: bigint): Contradiction | undefined {
  if (root === undefined || root.value === actual) return undefined;
  return { rule: "root", detail: `settlement ${root.number} set a root that its leaves do not give` };
}

type Message<Kind extends LedgerMessage["kind"]> = Extract<LedgerMessage, { kind: Kind }>;

function addDeposit(
  ledger: PoolLedger,
  { leafIndex, commitment }: Message<"deposit">,
  facts: Facts,
) {
  const { version, depositCount } = ledger;
  if (leafIndex !== depositCount) {
    return contradict("leaf_order", `found leaf ${leafIndex}, expected leaf ${depositCount}`);
  }
  if (!isFieldElement(commitment)) {
    return contradict("not_in_field", `leaf ${leafIndex} is not a field element`);
  }
  if (version === 1 && facts.hasLeaf(commitment)) {
    return contradict("copy", `the commitment of leaf ${leafIndex} is in the tree already`);
  }
  const queued = { kind: "queued", leafIndex, commitment } as const;
  const next = { ...ledger, depositCount: depositCount + 1 };
  if (version === 2) return { ledger: next, effects: [queued] };
  const settled = { kind: "settled", from: leafIndex, to: next.depositCount } as const;
  return { ledger: { ...next, settledLeaves: next.depositCount }, effects: [queued, settled] };
}

function addSettlement(ledger: PoolLedger, { rootNumber, end, newRoot }: Message<"settlement">) {
  const { version, rootCount, settledLeaves, depositCount } = ledger;
  if (version === 1) {
    return contradict("root_number", `found settlement ${rootNumber} in a version 1 pool`);
  }
  if (rootNumber !== rootCount) {
    return contradict("root_number", `found settlement ${rootNumber}, expected settlement ${rootCount}`);
  }
  if (end <= settledLeaves || end > Math.min(chunkEnd(settledLeaves), depositCount)) {
    return contradict(
      "settlement_end",
      `settlement ${rootNumber} ends at ${end}, with ${settledLeaves} of ${depositCount} settled`,
    );
  }
  if (!isFieldElement(newRoot)) {
    return contradict("not_in_field", `the root of settlement ${rootNumber} is not a field element`);
  }
  const root = { number: rootNumber, value: newRoot };
  const settled = { kind: "settled", from: settledLeaves, to: end, root } as const;
  return { ledger: { ...ledger, settledLeaves: end, rootCount: rootCount + 1 }, effects: [settled] };
}

function addWithdrawal(ledger: PoolLedger, { nullifierHash }: Message<"withdrawal">, facts: Facts) {
  const { withdrawalCount: position, settledLeaves } = ledger;
  if (!isFieldElement(nullifierHash)) {
    return contradict("not_in_field", `the nullifier hash of withdrawal ${position} is not a field element`);
  }
  if (facts.isSpent(nullifierHash)) {
    return contradict("spent_twice", `a note is paid twice: withdrawal ${position} repeats a nullifier hash`);
  }
  if (position === settledLeaves) {
    return contradict(
      "overpaid",
      `withdrawal ${position} follows the withdrawals of all ${settledLeaves} leaves`,
    );
  }
  return {
    ledger: { ...ledger, withdrawalCount: position + 1 },
    effects: [{ kind: "spent", position, nullifierHash } as const],
  };
}

function contradict(rule: LedgerRule, detail: string): { readonly contradiction: Contradiction } {
  return { contradiction: { rule, detail } };
}
