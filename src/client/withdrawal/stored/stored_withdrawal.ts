/**
 * The withdrawal of a note of a store. Each proof is journaled before it is submitted, and the payment once it is found,
 * so that the next run can continue after a kill at any step.
 */
import { Problem } from "../../../core/errors/problem.ts";
import type { Note } from "../../../core/protocol/note.ts";
import type { Clock } from "../../../core/time/clock.ts";
import type { ProveOptions } from "../../../prover/prover.ts";
import type { TransactionId } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { findNoteLeaf } from "../../notes/note_leaf.ts";
import { findNotePayment, type FindPaymentOptions, type NotePayment } from "../../notes/note_payment.ts";
import { findNote, type WithdrawalAttempt } from "../../notes/note_store.ts";
import { type AttemptJournal, recordPayment, saveAttempt } from "../../notes/withdrawal_attempts.ts";
import type { RelayerClient } from "../../relayer/relayer_client.ts";
import { type RelayedWithdrawalRequest, withdrawViaRelayers } from "../relayed_withdrawal.ts";
import { type SelfWithdrawalRequest, withdrawSelf } from "../self_withdrawal.ts";
import { resumeWithdrawal } from "../withdrawal_resume.ts";
import type { WithdrawalWaitOptions } from "../withdrawal_wait.ts";

/** A note of a store that is withdrawn. */
export interface StoredWithdrawal {
  readonly store: AttemptJournal;
  readonly id: string;
  readonly pool: AnyPool;
  readonly note: Note; // with the nullifier hash of its leaf
  /** The pool's newest transaction when the withdrawal began, after which its payment is searched first. */
  readonly since?: TransactionId | undefined;
  readonly clock: Pick<Clock, "now">; // of the device, Unix milliseconds
}

/** Returns a note at the leaf of a journaled attempt, or at one that can be withdrawn: other leaves may be paid already. */
export async function placeStoredNote(
  pool: AnyPool,
  note: Note,
  attempt: WithdrawalAttempt | undefined,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Note> {
  const nullifierHash = attempt && BigInt(attempt.request.publicSignals[1]);
  return await findNoteLeaf(pool, note, { ...options, nullifierHash });
}

/** Continues a journaled attempt at its relayer. Returns undefined if a new proof is needed. */
export async function resumeStored(
  withdrawal: StoredWithdrawal,
  relayer: RelayerClient,
  attempt: WithdrawalAttempt,
  options: WithdrawalWaitOptions,
): Promise<NotePayment | undefined> {
  try {
    const isPaid = await resumeWithdrawal(relayer, { ...withdrawal, journal: attempt }, options);
    if (!isPaid) return undefined;
  } catch (error) {
    await assertSpent(withdrawal, error);
  }
  return await recordPaid(withdrawal, options);
}

type StoredMembers = "pool" | "note" | "sinceSubmittedMs";

/** Withdraws through the first relayer that completes the withdrawal. Throws as {@linkcode withdrawViaRelayers} does. */
export async function withdrawStored(
  withdrawal: StoredWithdrawal,
  relayers: Parameters<typeof withdrawViaRelayers>[0],
  request: Omit<RelayedWithdrawalRequest, StoredMembers>,
  options: WithdrawalWaitOptions & ProveOptions,
): Promise<NotePayment> {
  const { store, id, pool, note, clock } = withdrawal;
  const { withdrawal: attempt } = findNote(await store.list(), id);
  let payment: NotePayment | undefined;
  try {
    ({ payment } = await withdrawViaRelayers(relayers, {
      ...request,
      pool,
      note,
      sinceSubmittedMs: attempt && clock.now() - attempt.at,
      async onProved(relayer, args) {
        await saveAttempt(store, id, args, { relayer: relayer.baseUrl, at: clock.now() });
        await request.onProved?.(relayer, args);
      },
    }, options));
  } catch (error) {
    await assertSpent(withdrawal, error);
  }
  return await recordPaid(withdrawal, options, payment);
}

/** Withdraws from the user's own wallet. Throws as {@linkcode withdrawSelf} does. */
export async function withdrawStoredSelf(
  withdrawal: StoredWithdrawal,
  request: Omit<SelfWithdrawalRequest, "pool" | "note" | "onProved">,
  options: ProveOptions,
): Promise<NotePayment> {
  const { store, id, pool, note, clock } = withdrawal;
  try {
    const onProved: SelfWithdrawalRequest["onProved"] = (args) =>
      saveAttempt(store, id, args, { at: clock.now() });
    await withdrawSelf({ ...request, pool, note, onProved }, options);
  } catch (error) {
    await assertSpent(withdrawal, error);
  }
  return await recordPaid(withdrawal, { ...options, pollIntervalMs: request.pollIntervalMs });
}

/** Records a payment of the note, and returns it. The pool may have paid the recipient of an earlier proof. */
export async function recordPaid(
  { store, id, pool, note, since }: StoredWithdrawal,
  options: Omit<FindPaymentOptions, "after">,
  found?: NotePayment,
): Promise<NotePayment> {
  const payment = found ??
    await findNotePayment(pool.chain, pool.address, note, { ...options, after: since });
  await store.update(id, recordPayment(findNote(await store.list(), id), payment));
  return payment;
}

/** Throws `error` unless it may mean that the note is spent, and the pool confirms this. */
async function assertSpent(
  { pool, note: { nullifierHash } }: StoredWithdrawal,
  error: unknown,
): Promise<void> {
  const mayBeSpent = error instanceof Problem &&
    (error.code === "nullifier_already_used" || error.code === "contract_refused");
  if (!mayBeSpent || !await pool.getIsSpent(nullifierHash)) throw error;
}
