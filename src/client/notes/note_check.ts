/** Reads the pool's whole history, so that no server learns which notes are yours. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { DepositEvent, WithdrawalEvent } from "../../ton/pool/pool_events.ts";
import { depositorOf } from "../../ton/pool/event_decoder.ts";
import { scanPoolTransactions } from "../../ton/pool/scan.ts";
import { type NotePayment, toNotePayment } from "./note_payment.ts";

export interface NoteStatus {
  readonly state: "absent" | "deposited" | "withdrawn";
  readonly leafIndex?: number;
  /** Raw address. */
  readonly depositor?: string;
  /** Unix seconds. */
  readonly depositedAt?: number;
  readonly withdrawnAt?: number;
  readonly payment?: NotePayment;
  readonly deposits: number;
  /** Deposits after this one; all if the note is absent. */
  readonly since: number;
  readonly withdrawalsSince: number;
}

/** Throws `unknown_root` if the pool does not know the history's root: the endpoint is behind or lies. */
export async function checkNotes(
  chain: Chain,
  pool: Address,
  notes: readonly Note[],
  options: { readonly signal?: AbortSignal; readonly onProgress?: (seen: number) => void } = {},
): Promise<NoteStatus[]> {
  const tree = new MerkleTree();
  const mine = new Map<bigint, DepositEvent | undefined>(
    notes.map(({ commitment }) => [commitment, undefined]),
  );
  const spent = new Map<bigint, WithdrawalEvent>();
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
    throw new Problem(
      "unknown_root",
      `the root of the ${tree.size} deposits in the history is not one of the pool's roots`,
    );
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
      ...withdrawal && { withdrawnAt: withdrawal.timestamp, payment: toNotePayment(withdrawal) },
      deposits: tree.size,
      since: tree.size - leafIndex - 1,
      withdrawalsSince: withdrawals.filter((leaves) => leaves > leafIndex).length,
    };
  });
}
