/** Checks the history of a version 2 pool after many deposits and settlements, from its logs on chain. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Address } from "@ton/core";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import type { Chain } from "../../src/ton/chain.ts";
import type { PoolEvent } from "../../src/ton/pool/history/pool_events.ts";
import { scanPoolTransactions } from "../../src/ton/pool/history/scan.ts";

export interface SettlementFigures {
  readonly settlements: number;
  /** The number of settlements by each relayer. */
  readonly settledBy: readonly number[];
  /** The number of settlements that were too late, because another relayer's was first. */
  readonly refusedSettlements: number;
  readonly refusedDeposits: number;
}

/**
 * Checks that exactly these commitments were deposited, that none was refused, and that settlements by these
 * settlers put each of them into the tree once, in the order of the queue. No settler may send a settlement,
 * identified by its start, twice.
 */
export async function verifySettlements(
  chain: Chain,
  pool: Address,
  commitments: readonly bigint[],
  settlers: readonly Address[],
): Promise<SettlementFigures> {
  const events: PoolEvent[] = [];
  for await (const batch of scanPoolTransactions(chain, pool)) {
    events.push(...batch.events);
  }
  const deposits = events.filter((event) => event.kind === "deposit");
  deepEqual(deposits.map(({ leafIndex }) => leafIndex), [...Array(commitments.length).keys()]);
  const sorted = (list: readonly bigint[]) => list.toSorted((a, b) => a < b ? -1 : a > b ? 1 : 0);
  deepEqual(sorted(deposits.map(({ commitment }) => commitment)), sorted(commitments), "lost or invented");
  const tree = new MerkleTree();
  const settlements = events.filter((event) => event.kind === "settlement");
  const settledBy = settlers.map(() => 0);
  for (const { sender, end, newRoot } of settlements) {
    const settler = settlers.findIndex((address) => address.equals(sender));
    ok(settler >= 0, "a depositor proved");
    settledBy[settler]++;
    ok(end > tree.size, "a deposit was settled twice");
    tree.appendMany(deposits.slice(tree.size, end).map(({ commitment }) => commitment));
    equal(tree.root, newRoot);
  }
  equal(tree.size, commitments.length);
  const refused = events.filter((event) => event.kind === "refused");
  for (const settler of settlers) {
    const sent = [...settlements, ...refused.filter(({ op }) => op === "settle")]
      .filter(({ sender }) => sender.equals(settler))
      .map(({ queryId }) => queryId);
    deepEqual(sent.length, new Set(sent).size, "a relayer sent a settlement again");
  }
  const refusedSettlements = refused.filter(({ op }) => op === "settle").length;
  const refusedDeposits = refused.length - refusedSettlements;
  equal(refusedDeposits, 0, "a deposit was refused");
  return { settlements: settlements.length, settledBy, refusedSettlements, refusedDeposits };
}
