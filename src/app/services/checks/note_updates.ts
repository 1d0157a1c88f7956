/** What a check changes in the journal of a note. */
import { recordPayment } from "../../../client/notes/withdrawal_attempts.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { Session } from "../context.ts";
import type { FoundStatus } from "./pool_logs.ts";

/** Logs lag less than this. If a log still lacks a recorded payment, an endpoint has invented it. */
const PAYMENT_LAG_MS = 600_000;

/** Whether the depositor, time or payment of a note is missing, or whether it may wait for its settlement. */
export function lacksHistory({ state, deposit, note }: NoteEntry, status: FoundStatus): boolean {
  if (status.depositedAt !== undefined) return false;
  if (state === "withdrawn") return status.unspentDeposits !== undefined;
  if (status.state === "absent") {
    return note.version === 2 && state !== "created" && deposit?.timestamp === undefined;
  }
  return status.state === "withdrawn" || deposit?.timestamp === undefined ||
    deposit.leafIndex !== status.leafIndex;
}

/** Updates a record. Pages contain no depositor and no time, so the stored ones remain for the same deposit. */
export async function updateRecord(
  store: Session["store"],
  record: NoteEntry,
  { state, leafIndex, depositor, depositedAt, payment, waits, unspentDeposits = 0 }: FoundStatus,
  now: number,
): Promise<void> {
  if (state === "absent") return;
  const { deposit: known, withdrawal, note: { version } } = record;
  const deposit = {
    ...leafIndex === known?.leafIndex && known,
    leafIndex,
    ...depositor !== undefined && { from: depositor, timestamp: depositedAt },
    ...version === 2 && !waits && { settled: true },
  };
  if (state === "withdrawn") {
    if (payment && record.state !== "withdrawn") {
      await store.update(record.id, { deposit, ...recordPayment(record, payment) });
    }
    return;
  }
  const isNew = record.state === "created" || record.state === "depositing";
  const isInLog = depositedAt !== undefined;
  // A wallet that paid twice made two deposits, of which the second can be withdrawn after the first.
  const isOneOfTwo = isInLog && record.state === "withdrawn" && unspentDeposits > 0;
  const isUnpaid = isInLog && record.state === "withdrawn" && !isOneOfTwo &&
    now - (withdrawal?.at ?? 0) > PAYMENT_LAG_MS;
  const reopened = isNew || isOneOfTwo
    ? { state: "deposited" as const }
    : isUnpaid && { state: withdrawal ? "withdrawing" as const : "deposited" as const };
  const isKnown = known?.leafIndex === leafIndex && known?.from === deposit.from &&
    known?.settled === deposit.settled;
  if (reopened || !isKnown) {
    await store.update(record.id, { deposit, ...reopened });
  }
}
