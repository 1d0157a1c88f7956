/** Finds which recipient was paid: of several submitted proofs of a note, the first on chain pays its recipient. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Note } from "../../core/protocol/note.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import type { WithdrawalEvent } from "../../ton/pool/history/pool_events.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pollUntil } from "../../core/time/deadline.ts";

/** The payment of a note. */
export interface NotePayment {
  readonly tx: string;
  readonly recipient: Address;
  /** The relayer that received the fee; null: no relayer. */
  readonly relayer: Address | null;
  /** In the smallest unit of the pool's asset. */
  readonly fee: bigint;
}

/** How a payment is searched. */
export interface FindPaymentOptions {
  /** The pool's newest transaction when the withdrawal began; later ones are read first. */
  readonly after?: TransactionId | undefined;
  /** Milliseconds between two reads. Default: 2,000. */
  readonly pollIntervalMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

const MAX_HISTORY_READS = 30; // an endpoint's logs may lag behind its get methods

/**
 * Finds the payment of a spent note.
 * @throws {Problem} `chain_unavailable` if 30 reads of the logs do not show it; `cancelled`
 * @example
 * ```ts
 * const { recipient, fee } = await findNotePayment(chain, pool.address, note);
 * ```
 */
export async function findNotePayment(
  chain: Chain,
  pool: Address,
  note: Note,
  { after, pollIntervalMs = 2_000, signal, clock }: FindPaymentOptions = {},
): Promise<NotePayment> {
  let reads = 0;
  const read = async (after?: TransactionId) => {
    reads++;
    return (await fetchNoteHistory(chain, pool, note, { after, signal })).withdrawal;
  };
  // The second read covers the whole history: another proof may have been paid long before.
  let withdrawal = await read(after) ?? await read();
  let waited = false;
  await pollUntil(async () => {
    if (waited) withdrawal ??= await read(after);
    waited = true;
    return withdrawal !== undefined || reads >= MAX_HISTORY_READS;
  }, {
    intervalMs: pollIntervalMs,
    timeoutMs: Infinity,
    signal,
    clock,
  });
  if (withdrawal) return toNotePayment(withdrawal);
  throw new Problem(
    "chain_unavailable",
    "the note is spent, but the endpoint's logs do not contain the payment yet",
    { hint: "Run the same command again later." },
  );
}

export function toNotePayment({ tx, recipient, relayer, fee }: WithdrawalEvent): NotePayment {
  return { tx: tx.hash, recipient, relayer, fee };
}
