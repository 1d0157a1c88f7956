/**
 * Who was paid for a note, by the pool's own logs. Whatever relayers say, and whatever was meant: of several proofs the
 * first one that lands pays its own recipient, and the note is spent for all others.
 */
import { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Note } from "../core/note.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { noteHistory } from "../ton/note_history.ts";
import type { WithdrawalEvent } from "../ton/pool_event.ts";
import type { NoteRecord, WithdrawalJournal } from "./note_store.ts";
import { pause } from "./pause.ts";

/** How a note was paid out. */
export interface NotePayment {
  /** Hash of the pool's transaction. */
  readonly tx: string;
  readonly recipient: Address;
  /** In the pool's asset. */
  readonly fee: bigint;
}

/** How the logs are read. */
export interface PaymentOptions {
  /** The pool's newest transaction when the withdrawal began: what came later is looked at first. */
  readonly since?: TransactionId | undefined;
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
}

/** Looks at what is new, after the first two: an endpoint's logs may be behind its get methods. */
const LOOKS = 30;

/**
 * Finds the payment of a note that is spent.
 *
 * @throws {Problem} `chain_unavailable` while the logs do not have it; `cancelled`
 */
export async function notePayment(
  chain: Chain,
  pool: Address,
  note: Note,
  { since, pollMs = 2_000, signal }: PaymentOptions = {},
): Promise<NotePayment> {
  for (let look = 0; look < LOOKS; look++) {
    if (look > 1) await pause(pollMs, signal);
    // The second look goes over all of it: another proof may have been first, long before.
    const after = look === 1 ? undefined : since;
    const { withdrawal } = await noteHistory(chain, pool, note, { after, signal });
    if (withdrawal) return paymentOf(withdrawal);
  }
  throw new Problem(
    "chain_unavailable",
    "the note is spent, and the endpoint's logs do not tell yet to whom",
    {
      todo: "Run the same command again: who was paid is told when the logs have it.",
    },
  );
}

/** What a withdrawal paid. */
export function paymentOf({ tx, recipient, fee }: WithdrawalEvent): NotePayment {
  return { tx: tx.hash, recipient, fee };
}

type Attempts = Pick<NoteRecord, "withdrawal" | "earlier">;

/** What is kept when `next` is about to be submitted: every attempt before may still be the one that pays. */
export function attempted({ withdrawal: last, earlier = [] }: Attempts, next: WithdrawalJournal) {
  const before = [...earlier, ...last ? [last] : []];
  const again = ({ relayer, recipient, fee }: WithdrawalJournal) =>
    relayer === next.relayer && recipient === next.recipient && fee === next.fee;
  return {
    state: "withdrawing" as const,
    withdrawal: next,
    earlier: before.filter((each) => !again(each)),
  };
}

/** What is kept of a note that was paid: the attempt that did it, if it was one of ours, and beside it the others. */
export function paidOut({ withdrawal, earlier = [] }: Attempts, { recipient, fee }: NotePayment) {
  const attempts = [...earlier, ...withdrawal ? [withdrawal] : []];
  const paid = attempts.findLast((each) =>
    Address.parse(each.recipient).equals(recipient) && BigInt(each.fee) === fee
  );
  return {
    state: "withdrawn" as const,
    withdrawal: paid,
    earlier: attempts.filter((each) => each !== paid),
  };
}
