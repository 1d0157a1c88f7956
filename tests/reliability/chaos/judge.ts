/** Compares chain, database, trees and balances when everything has come to rest. Nothing may differ, not by a nano. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { toHex } from "../../../src/core/field.ts";
import { MerkleTree } from "../../../src/core/merkle_tree.ts";
import type { ArchiveRow } from "../../../src/store/archive.ts";
import { until } from "../../support/until.ts";
import { ChainReading } from "./chain_reading.ts";
import type { Answer, Fleet } from "./fleet.ts";
import { type Books, judgeBooks, judgePayouts } from "./judge_books.ts";
import type { ChaosNetwork, PlacedNote } from "./network.ts";

const PATIENCE_MS = 600_000;
const UNAVAILABLE = 503;

/** What was found to be equal. */
export interface Verdict extends Books {
  readonly deposits: number;
  /** Notes paid out, each once. */
  readonly paid: number;
  /** Payments beyond one a note, and notes that were not paid: 0, or the judgement fails. */
  readonly duplicates: number;
  readonly lost: number;
  /** Withdraw messages of the relayer at the pools, refused ones too. */
  readonly messages: number;
}

/** Asks every replica for the root of every pool. */
export async function judgeTrees(net: ChaosNetwork, fleet: Fleet): Promise<void> {
  const chain = new ChainReading(net.localnet.url);
  for (const key of net.keys) {
    const { address } = net.pool(key);
    const { root, deposits } = await chain.pool(address, net.relayer);
    const rebuilt = new MerkleTree();
    rebuilt.appendMany(deposits.map(({ commitment }) => commitment));
    equal(rebuilt.root, root, `the leaves on chain of ${key} make its root`);
    for (
      const { name, ...replica } of fleet.replicas.map((replica) => ({
        name: replica.name,
        ask: () => replica.ask(`/tree/root?pool=${encodeURIComponent(address.toString())}`),
      }))
    ) {
      // One that falls behind for a moment, on a machine that is short of time, says so and catches up.
      let answer: Answer | undefined;
      await until(`${name} serves ${key}`, async () => {
        answer = await replica.ask();
        return answer !== undefined && answer.status !== UNAVAILABLE;
      }, PATIENCE_MS);
      deepEqual(
        [answer?.status, answer?.body?.root],
        [200, toHex(root)],
        `${name} serves the root of ${key}`,
      );
    }
  }
}

/**
 * Judges a relayer that has ended.
 *
 * @param rows everything that its store holds
 * @param placed the notes that were withdrawn through it, all of them
 * @param start nano that its wallet had
 */
export async function judge(
  net: ChaosNetwork,
  rows: readonly ArchiveRow[],
  placed: readonly PlacedNote[],
  start: bigint,
): Promise<Verdict> {
  const chain = new ChainReading(net.localnet.url);
  let [deposits, paid, messages, duplicates, lost] = [0, 0, 0, 0, 0];
  const queryIds: bigint[] = [];
  for (const key of net.keys) {
    const { address } = net.pool(key);
    const pool = await chain.pool(address, net.relayer);
    const mine = placed.filter((note) => note.key === key);
    const id = address.toRawString();

    const cursors = rows.flatMap((row) => row.kind === "cursor" && row.pool === id ? [row.cursor] : []);
    deepEqual(cursors, [pool.last], `cursor of ${key}`);
    const storedDeposits = rows.flatMap((row) =>
      row.kind === "deposit" && row.pool === id ? [row.deposit] : []
    );
    deepEqual(storedDeposits, pool.deposits, `deposits of ${key}`);
    const storedPayments = rows.flatMap((row) =>
      row.kind === "withdrawal" && row.pool === id ? [row.withdrawal] : []
    );
    deepEqual(
      sorted(storedPayments),
      sorted(pool.withdrawals.map(({ recipient: _, ...withdrawal }) => withdrawal)),
      `withdrawals of ${key}`,
    );

    const byHash = new Map(pool.withdrawals.map((withdrawal) => [withdrawal.nullifierHash, withdrawal]));
    duplicates += pool.withdrawals.length - byHash.size;
    lost += mine.filter(({ note }) => !byHash.has(note.nullifierHash)).length;
    deepEqual({ duplicates, lost }, { duplicates: 0, lost: 0 }, key);
    equal(pool.withdrawals.length, mine.length, `payments of ${key}`);
    for (const { note, recipient } of mine) {
      const payment = byHash.get(note.nullifierHash);
      ok(payment?.recipient.equals(recipient), "each note is paid to its recipient");
    }
    await judgePayouts({ net, chain, key }, mine, pool.deposits.length);
    const jobs = rows.flatMap((row) => row.kind === "job" && row.job.pool === id ? [row.job] : []);
    deepEqual(
      jobs.map(({ state }) => state),
      mine.map(() => "confirmed"),
      `every job of ${key} is confirmed`,
    );
    deposits += pool.deposits.length;
    paid += mine.length;
    messages += pool.queryIds.length;
    queryIds.push(...pool.queryIds);
  }
  equal(rows.filter(({ kind }) => kind === "transfer").length, 0, "no transfer is left in flight");
  equal(new Set(queryIds).size, queryIds.length, "no query id came to the pools twice");
  return {
    deposits,
    paid,
    duplicates,
    lost,
    messages,
    ...await judgeBooks({ net, chain }, { start, paid: placed, messages }),
  };
}

function sorted<T extends { nullifierHash: bigint }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.nullifierHash < b.nullifierHash ? -1 : 1);
}
