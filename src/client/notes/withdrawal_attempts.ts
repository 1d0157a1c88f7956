import { Address } from "@ton/core";
import type { NotePayment } from "./note_payment.ts";
import { findNote, type NoteJournal, type WithdrawalAttempt } from "./note_store.ts";
import type { WithdrawArgs } from "../relayer/relayer_client.ts";

type JournaledAttempts = Pick<NoteJournal, "withdrawal" | "earlier">;

/** The part of a note store that journals attempts. */
interface AttemptJournal {
  list(): Promise<readonly (JournaledAttempts & { readonly id: string })[]>;
  update(id: string, change: ReturnType<typeof recordAttempt>): Promise<unknown>;
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

/**
 * Whether the pool may still pay a journaled proof.
 * @param roots all roots that the pool accepts
 */
export function hasPayableAttempt(journal: JournaledAttempts, roots: readonly bigint[]): boolean {
  return allAttempts(journal).some((attempt) => isPayable(attempt, roots));
}

/** Whether the pool may still pay this proof, by the roots that it accepts. */
export function isPayable({ request }: WithdrawalAttempt, roots: readonly bigint[]): boolean {
  return roots.includes(BigInt(request.publicSignals[0]));
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
