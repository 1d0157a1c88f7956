/** Reads the pool's whole history, so that no server learns which notes are yours. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { type Note, placeNote } from "../../core/protocol/note.ts";
import { V2_POOL_CAPACITY } from "../../core/protocol/v2/pool_constants.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { DepositEvent, WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import { depositorOf } from "../../ton/pool/history/event_decoder.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";
import { type NotePayment, toNotePayment } from "./note_payment.ts";

export interface NoteStatus {
  readonly state: "absent" | "deposited" | "withdrawn";
  readonly leafIndex?: number;
  /** A deposit into a version 2 pool waits for its settlement. */
  readonly waits?: true;
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
  const commitments: bigint[] = [];
  let settled: number | undefined;
  const mine = new Map<bigint, DepositEvent | undefined>(
    notes.map(({ commitment }) => [commitment, undefined]),
  );
  const spent = new Map<bigint, WithdrawalEvent>();
  const withdrawals: number[] = [];
  for await (
    const { events } of scanPoolTransactions(chain, pool, { ...options, capacity: V2_POOL_CAPACITY })
  ) {
    for (const event of events) {
      if (event.kind === "deposit") {
        commitments.push(event.commitment);
        if (mine.has(event.commitment)) mine.set(event.commitment, mine.get(event.commitment) ?? event);
      }
      if (event.kind === "settlement") settled = event.end;
      if (event.kind !== "withdrawal") continue;
      spent.set(event.nullifierHash, event);
      withdrawals.push(commitments.length);
    }
  }
  const waits = notes.some(({ version }) => version === 2);
  tree.appendMany(waits ? commitments.slice(0, settled ?? 0) : commitments);
  const roots = await new Pool(chain, pool).getRootHistory();
  if (!roots.includes(tree.root)) {
    throw new Problem(
      "unknown_root",
      `the root of the ${tree.size} deposits in the history is not one of the pool's roots`,
    );
  }
  return notes.map((note) => {
    const deposit = mine.get(note.commitment);
    const deposits = commitments.length;
    if (!deposit) return { state: "absent", deposits, since: deposits, withdrawalsSince: 0 };
    const { leafIndex, timestamp: depositedAt } = deposit;
    const withdrawal = spent.get(placeNote(note, leafIndex).nullifierHash);
    return {
      ...leafIndex >= tree.size && { waits: true as const },
      state: withdrawal ? "withdrawn" : "deposited",
      leafIndex,
      depositor: depositorOf(deposit).toRawString(),
      depositedAt,
      ...withdrawal && { withdrawnAt: withdrawal.timestamp, payment: toNotePayment(withdrawal) },
      deposits,
      since: deposits - leafIndex - 1,
      withdrawalsSince: withdrawals.filter((leaves) => leaves > leafIndex).length,
    };
  });
}
