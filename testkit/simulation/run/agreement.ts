/** Compares the chain with the store and the trees of every relayer. */
import { equal, ok } from "node:assert/strict";
import { isLive, isPaid, type Job, type Store } from "../../../src/store/store.ts";
import { readLeaves } from "../../relayer/leaf_batches.ts";
import { SimulatedPool } from "../accounts.ts";
import { type SimulatedNote } from "../requests.ts";
import { World } from "../world.ts";
import type { Replica } from "./replica.ts";

/** The state that a run compares at its end. */
interface SimulatedState {
  /** The store without faults. */
  readonly store: Store;
  readonly world: World;
  readonly replicas: readonly Replica[];
  readonly pools: readonly SimulatedPool[];
  readonly notes: readonly SimulatedNote[];
}

/** Returns the differences that may still disappear. Throws for a permanent one. */
export async function findDisagreements(
  { store, world, replicas, pools, notes }: SimulatedState,
): Promise<string[]> {
  const left: string[] = [];
  if (await store.transfer()) left.push("a transfer is in flight");
  if ((await store.liveJobs()).length > 0) left.push("jobs are live");
  for (const { relayer } of replicas) {
    const readiness = relayer?.readiness();
    if (!readiness?.ready) left.push(`not ready: ${JSON.stringify(readiness)}`);
  }
  for (const [i, pool] of pools.entries()) {
    const id = pool.address.toRawString();
    const account = world.accounts.get(id)!;
    if ((await store.cursor(id))?.hash !== account.transactions.at(-1)?.id.hash) {
      left.push("the cursor is behind");
      continue;
    }
    const rows = (await readLeaves(store, id)).map(({ commitment }) => commitment);
    const leaves = Array.from({ length: pool.tree.size }, (_, leaf) => pool.tree.leaf(leaf));
    equal(rows.join(), leaves.join(), `deposits of pool ${i} in the store are the chain's`);
    for (const { relayer } of replicas) {
      if (relayer?.readiness().ready && relayer.root(pool.address) !== pool.tree.root) {
        left.push("a tree is behind");
      }
    }
    for (const nullifierHash of pool.spent.keys()) {
      ok(await store.withdrawal(id, nullifierHash), "every payment on chain is in the store");
    }
    const real = new Set(account.transactions.map((transaction) => transaction.id.hash));
    for await (const { nullifierHash, txHash } of store.withdrawals(id)) {
      ok(pool.spent.has(nullifierHash), "every payment in the store is on chain");
      ok(real.has(txHash), "by its own transaction");
    }
  }
  for (const { pool, nullifierHash } of notes) {
    const job = await store.job({ pool: pool.address.toRawString(), nullifierHash });
    if (!job) continue; // paid before it was accepted
    const spent = pool.spent.has(nullifierHash);
    if (isPaid(job)) ok(spent, "a paid job's note is spent");
    else if (spent) left.push(`job ${job.state} of a note that is spent`); // until the relayer indexes its payment
    ok(!job.message || isLive(job), "an ended job keeps no proof");
  }
  for (const count of world.arrivals.values()) {
    equal(count, 1, "a message of ours reached a pool twice");
  }
  return left;
}

/** Returns how the chain contradicts a job's final state. No job may ever be in such a state. */
export function contradictionOf(
  { pool, nullifierHash, state, queryId }: Job,
  world: World,
): string | undefined {
  const spent = world.pools.get(pool)!.spent.has(nullifierHash);
  if (isPaid({ state }) && !spent) return `a job was ${state} and its note is unspent`;
  if (state === "failed" && !world.refused.has(queryId)) return "a job failed that no pool refused";
  if (state === "expired" && world.arrivals.has(queryId)) return "a job expired that had reached its pool";
}
