/**
 * Where notes stand, and in what crowd. Everything is found in the pool's own history, which is read whole: nobody is asked
 * about a commitment or a nullifier hash, so nobody learns which of them are yours.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { Note } from "../core/note.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import type { DepositEvent, WithdrawalEvent } from "../ton/pool_event.ts";
import { depositorOf } from "../ton/pool_transaction.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import { type NotePayment, paymentOf } from "./note_payment.ts";

/** A note in its pool. */
export interface NoteStanding {
  readonly state: "absent" | "deposited" | "withdrawn";
  readonly leafIndex?: number;
  /** Who paid, raw address. */
  readonly depositor?: string;
  /** Unix seconds. */
  readonly depositedAt?: number;
  readonly withdrawnAt?: number;
  readonly payment?: NotePayment;
  /** Deposits that a withdrawal may belong to, this one among them: the anonymity set. */
  readonly deposits: number;
  /** Those that came after this one; all of them for one that is absent. */
  readonly since: number;
  /** Withdrawals by anybody after this deposit. */
  readonly withdrawalsSince: number;
}

/**
 * Reads a pool's history and finds `notes` in it, in their order.
 *
 * @throws {Problem} `unknown_root` when the history does not make the pool's own root: the endpoint lies, or lags
 */
export async function checkNotes(
  chain: Chain,
  pool: Address,
  notes: readonly Note[],
  options: { readonly signal?: AbortSignal; readonly onProgress?: (seen: number) => void } = {},
): Promise<NoteStanding[]> {
  const tree = new MerkleTree();
  const mine = new Map<bigint, DepositEvent | undefined>(
    notes.map(({ commitment }) => [commitment, undefined]),
  );
  const spent = new Map<bigint, WithdrawalEvent>();
  /** How many leaves there were at each withdrawal. */
  const withdrawals: number[] = [];
  let leaves = 0;
  for await (const { events } of scanPoolTransactions(chain, pool, options)) {
    const deposits = events.filter((event) => event.kind === "deposit");
    for (const event of events) {
      if (event.kind === "deposit") leaves++;
      if (event.kind === "deposit" && mine.has(event.commitment)) mine.set(event.commitment, event);
      if (event.kind !== "withdrawal") continue;
      spent.set(event.nullifierHash, event);
      withdrawals.push(leaves);
    }
    tree.appendMany(deposits.map(({ commitment }) => commitment));
  }
  const roots = await new Pool(chain, pool).getRootHistory();
  if (!roots.includes(tree.root)) {
    throw new Problem("unknown_root", `the pool's history of ${tree.size} deposits does not make its root`);
  }
  return notes.map((note) => {
    const deposit = mine.get(note.commitment);
    if (!deposit) return { state: "absent", deposits: tree.size, since: tree.size, withdrawalsSince: 0 };
    const { leafIndex, timestamp: depositedAt } = deposit;
    const withdrawal = spent.get(note.nullifierHash);
    return {
      state: withdrawal ? "withdrawn" : "deposited",
      leafIndex,
      depositor: depositorOf(deposit).toRawString(),
      depositedAt,
      ...withdrawal && { withdrawnAt: withdrawal.timestamp, payment: paymentOf(withdrawal) },
      deposits: tree.size,
      since: tree.size - leafIndex - 1,
      withdrawalsSince: withdrawals.filter((leaves) => leaves > leafIndex).length,
    };
  });
}
