/** Histories of pools whose last log breaks a rule, for the tests of everything that reads logs. */
import type { Cell } from "@ton/core";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import {
  emptyLedger,
  type LedgerMessage,
  type LedgerRule,
  nullifierKey,
  step,
} from "../../../src/core/protocol/pool_ledger.ts";
import { MerkleTree } from "../../../src/core/tree/merkle_tree.ts";
import { forgeWithdrawalLog } from "../../../testkit/simulation/forged_history.ts";
import { depositLog, settlementLog } from "../../../testkit/simulation/transactions.ts";

type Logged = Exclude<
  LedgerMessage,
  { readonly kind: "skipped" | "refused" | "payout_claimed" | "payout_lost" }
>;

const deposit = (leafIndex: number, commitment = BigInt(100 + leafIndex)): Logged => ({
  kind: "deposit",
  leafIndex,
  commitment,
});
const withdrawal = (nullifierHash: bigint): Logged => ({ kind: "withdrawal", nullifierHash });
const settlement = (rootNumber: number, end: number, newRoot = rootOf(end)): Logged => ({
  kind: "settlement",
  rootNumber,
  end,
  newRoot,
});
const deposits = (count: number) => Array.from({ length: count }, (_, i) => deposit(i));

/** Returns the root of the first leaves that {@linkcode deposit} gives. */
function rootOf(leaves: number): bigint {
  const tree = new MerkleTree();
  tree.appendMany(Array.from({ length: leaves }, (_, i) => BigInt(100 + i)));
  return tree.root;
}

export interface BrokenLog {
  readonly version: 1 | 2;
  readonly what: string;
  readonly logs: readonly Logged[];
  readonly rule: LedgerRule;
  readonly detail: string;
}

const settled = [...deposits(20), settlement(0, 10)];
const cases: [version: 1 | 2, what: string, before: readonly Logged[], broken: Logged][] = [
  [1, "a leaf that is left out", deposits(2), deposit(3)],
  [1, "a leaf that comes again", deposits(2), deposit(1, 7n)],
  [1, "a commitment outside the field", deposits(2), deposit(2, FIELD_MODULUS)],
  [1, "a copied commitment", deposits(2), deposit(2, 100n)],
  [1, "a settlement", deposits(2), settlement(0, 2)],
  [1, "a nullifier hash outside the field", deposits(2), withdrawal(FIELD_MODULUS)],
  [1, "a note that is paid twice", [...deposits(2), withdrawal(5n)], withdrawal(5n)],
  [1, "more payments than deposits", [...deposits(1), withdrawal(5n)], withdrawal(6n)],
  [2, "a leaf that is left out", deposits(2), deposit(3)],
  [2, "a leaf that comes again", deposits(2), deposit(1, 7n)],
  [2, "a commitment outside the field", deposits(2), deposit(2, FIELD_MODULUS)],
  [2, "a root outside the field", deposits(2), settlement(0, 2, FIELD_MODULUS)],
  [2, "a nullifier hash outside the field", settled, withdrawal(FIELD_MODULUS)],
  [2, "a settlement that is left out", deposits(2), settlement(1, 2)],
  [2, "a settlement that comes again", settled, settlement(0, 16)],
  [2, "a settlement of nothing", settled, settlement(1, 10)],
  [2, "a settlement that goes back", settled, settlement(1, 9)],
  [2, "a settlement in two chunks", settled, settlement(1, 17)],
  [2, "a settlement beyond the queue", deposits(2), settlement(0, 3)],
  [2, "a note that is paid twice", [...settled, withdrawal(5n)], withdrawal(5n)],
  [2, "a note whose key is spent", [...settled, withdrawal(5n)], withdrawal(5n + (1n << 108n))],
  [2, "a payment before the first settlement", deposits(2), withdrawal(5n)],
  [
    2,
    "more payments than settled deposits",
    [...deposits(2), settlement(0, 1), withdrawal(5n)],
    withdrawal(6n),
  ],
];

export const brokenLogs: readonly BrokenLog[] = cases.map(([version, what, before, broken]) => {
  let ledger = emptyLedger(version);
  const [leaves, spent] = [new Set<bigint>(), new Set<bigint>()];
  const facts = {
    hasLeaf: (commitment: bigint) => leaves.has(commitment),
    isSpent: (hash: bigint) => spent.has(nullifierKey(version, hash)),
  };
  for (const message of before) {
    const result = step(ledger, message, facts);
    if ("contradiction" in result) throw new Error(`${what}: ${result.contradiction.detail}`);
    ledger = result.ledger;
    if (message.kind === "deposit") leaves.add(message.commitment);
    if (message.kind === "withdrawal") spent.add(nullifierKey(version, message.nullifierHash));
  }
  const result = step(ledger, broken, facts);
  if (!("contradiction" in result)) throw new Error(`${what} breaks no rule`);
  return { version, what, logs: [...before, broken], ...result.contradiction };
});

const wrongRoot = {
  version: 2,
  rule: "root",
  detail: "settlement 0 set a root that its leaves do not give",
} as const;

/** Only a reader with a tree can notice these. */
export const wrongRoots: readonly BrokenLog[] = [
  { ...wrongRoot, what: "a wrong root", logs: [...deposits(2), settlement(0, 2, 5n)] },
  {
    ...wrongRoot,
    what: "a wrong root before a right one",
    logs: [...deposits(3), settlement(0, 2, 5n), settlement(1, 3)],
  },
];

/** Returns the body of a pool's log. `now` is in Unix seconds. */
export function toLogBody(message: Logged, now: number): Cell {
  switch (message.kind) {
    case "deposit":
      return depositLog(message.commitment, message.leafIndex, now);
    case "settlement":
      return settlementLog(message.rootNumber, message.newRoot, message.end, now);
    case "withdrawal":
      return forgeWithdrawalLog({ nullifierHash: message.nullifierHash, fee: 0n, refund: 0n });
  }
}
