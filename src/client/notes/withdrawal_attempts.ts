import { Address } from "@ton/core";
import { type AnyPool, readAcceptedRoots } from "../../ton/pool/any_pool.ts";
import type { NotePayment } from "./note_payment.ts";
import { findNote, type NoteJournal, type WithdrawalAttempt } from "./note_store.ts";
import type { WithdrawArgs } from "../relayer/relayer_client.ts";

type JournaledAttempts = Pick<NoteJournal, "withdrawal" | "earlier">;

/** The part of a note store that journals attempts and their payment. */
export interface AttemptJournal {
  list(): Promise<readonly (JournaledAttempts & { readonly id: string })[]>;
  update(id: string, change: ReturnType<typeof recordAttempt | typeof recordPayment>): Promise<unknown>;
}

/** Returns the journal to store before `next` is submitted. Earlier attempts stay, because each may be paid. */
export function recordAttempt(
  { withdrawal, earlier = [] }: JournaledAttempts,
  next: WithdrawalAttempt,
) {
  const isRepeated = ({ relayer, recipient, fee }: WithdrawalAttempt) =>
    relayer === next.relayer && recipient === next.recipient && fee === next.fee;
  return {
    state: "withdrawing" as const,
    withdrawal: next,
    earlier: allAttempts({ withdrawal, earlier }).filter((each) => !isRepeated(each)),
  };
}

/** Journals a proof before it is submitted. `relayer`: the URL of the one that gets it. */
export async function saveAttempt(
  store: AttemptJournal,
  id: string,
  { proof, publicSignals, recipient, fee, refund }: WithdrawArgs,
  made: Pick<WithdrawalAttempt, "relayer" | "at">,
): Promise<void> {
  const attempt: WithdrawalAttempt = {
    ...made,
    recipient: recipient.toRawString(),
    fee: String(fee),
    refund: String(refund),
    request: { proof, publicSignals: [...publicSignals] },
  };
  await store.update(id, recordAttempt(findNote(await store.list(), id), attempt));
}

export function recordPayment(
  { withdrawal, earlier = [] }: JournaledAttempts,
  { recipient, fee }: NotePayment,
) {
  const attempts = allAttempts({ withdrawal, earlier });
  const paid = attempts.findLast((each) =>
    Address.parse(each.recipient).equals(recipient) && BigInt(each.fee) === fee
  );
  return {
    state: "withdrawn" as const,
    withdrawal: paid,
    earlier: attempts.filter((each) => each !== paid),
  };
}

/** Returns the attempts that the pool may still pay: it accepts the roots of their proofs. Without attempts, asks nobody. */
export async function findPayableAttempts(
  pool: AnyPool,
  attempts: readonly WithdrawalAttempt[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly WithdrawalAttempt[]> {
  if (attempts.length === 0) return [];
  const roots = await readAcceptedRoots(pool, signal && { signal });
  return attempts.filter(({ request }) => roots.includes(BigInt(request.publicSignals[0])));
}

/** Returns the attempts for the leaf with this nullifier hash, oldest first. A note may have had others. */
export function attemptsFor(journal: JournaledAttempts, nullifierHash: bigint): readonly WithdrawalAttempt[] {
  return allAttempts(journal).filter(({ request }) => BigInt(request.publicSignals[1]) === nullifierHash);
}

/** Oldest first. */
export function allAttempts({ withdrawal, earlier = [] }: JournaledAttempts): readonly WithdrawalAttempt[] {
  return withdrawal ? [...earlier, withdrawal] : earlier;
}

/** Whether a proof of another note was made for this recipient, even if the chain does not show it yet. */
export function wasSentTo(
  records: readonly (JournaledAttempts & { readonly id: string })[],
  id: string,
  recipient: Address,
): boolean {
  return records.some((record) =>
    record.id !== id &&
    allAttempts(record).some((attempt) => Address.parse(attempt.recipient).equals(recipient))
  );
}
