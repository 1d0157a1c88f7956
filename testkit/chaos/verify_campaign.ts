/** Compares chain, database, trees and balances after a campaign. They must agree to the nano. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { MerkleTree } from "../../src/core/tree/merkle_tree.ts";
import type { ArchiveRow } from "../../src/store/archive.ts";
import { waitUntil } from "../programs/wait_until.ts";
import { ChainReader } from "./chain_reader.ts";
import type { Fleet, ReplicaResponse } from "./fleet.ts";
import { verifyPayouts, verifyWallet, type WalletTotals } from "./verify_balances.ts";
import type { DepositedNote, TrapdoorNetwork } from "../localnet/trapdoor_network.ts";
import { omit } from "../../src/core/omit.ts";

const TIMEOUT_MS = 600_000;
const UNAVAILABLE = 503;

/** The compared totals. */
export interface CampaignTotals extends WalletTotals {
  readonly deposits: number;
  /** The number of paid notes; each is paid once. */
  readonly paid: number;
  /**
   * The number of payments beyond one per note, and of unpaid notes. It is always 0, because verification
   * fails otherwise.
   */
  readonly duplicates: number;
  readonly lost: number;
  /** The number of the relayer's withdraw messages at the pools, including rejected ones. */
  readonly messages: number;
}

/** Compares the root of every pool at every replica. */
export async function verifyTrees(net: TrapdoorNetwork, fleet: Fleet): Promise<void> {
  const chain = new ChainReader(net.localnet.url);
  for (const key of net.keys) {
    const { address } = net.pool(key);
    const { root, deposits } = await chain.pool(address, net.relayer);
    const rebuilt = new MerkleTree();
    rebuilt.appendMany(deposits.map(({ commitment }) => commitment));
    equal(rebuilt.root, root, `the leaves on chain of ${key} make its root`);
    for (
      const { name, ...replica } of fleet.replicas.map((replica) => ({
        name: replica.name,
        ask: () => replica.request(`/tree/root?pool=${encodeURIComponent(address.toString())}`),
      }))
    ) {
      // A replica on a busy machine can fall behind for a moment. It reports this and catches up.
      let answer: ReplicaResponse | undefined;
      await waitUntil(`${name} serves ${key}`, async () => {
        answer = await replica.ask();
        return answer !== undefined && answer.status !== UNAVAILABLE;
      }, TIMEOUT_MS);
      deepEqual(
        [answer?.status, answer?.body?.root],
        [200, fieldToHex(root)],
        `${name} serves the root of ${key}`,
      );
    }
  }
}

/**
 * Verifies a relayer that has stopped.
 *
 * @param rows all rows of its store
 * @param placed all notes that were withdrawn through it
 * @param start nano that its wallet had
 */
export async function verifyCampaign(
  net: TrapdoorNetwork,
  rows: readonly ArchiveRow[],
  placed: readonly DepositedNote[],
  start: bigint,
): Promise<CampaignTotals> {
  const chain = new ChainReader(net.localnet.url);
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
      sorted(pool.withdrawals.map((withdrawal) => omit(withdrawal, "recipient"))),
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
    await verifyPayouts({ net, chain, key }, mine, pool.deposits.length);
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
    ...await verifyWallet({ net, chain }, { start, paid: placed, messages }),
  };
}

function sorted<T extends { nullifierHash: bigint }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.nullifierHash < b.nullifierHash ? -1 : 1);
}
