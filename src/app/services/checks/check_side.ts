/** Which side of the app may check the notes without being asked. The other side must not learn of this visit. */
import type { CheckSide } from "../../flows/check.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";

/** A deposit is public. Who sees this device soon after it could link the two. */
const RECENT_MS = 3_600_000;

interface VisitFacts {
  readonly now: number; // Unix milliseconds
  /** Whether a deposit or settlement is on the screen. */
  readonly isPaying: boolean;
  /** Whether the visit has already asked the withdrawal side, by a restoration or a check that the user asked for. */
  readonly hasAsked: boolean;
}

/**
 * Returns the side that checks the notes, or undefined if no request is needed.
 *
 * Within an hour of a deposit, the endpoint that has seen the deposit also reports its settlement. Later, the relayers and
 * the endpoint for withdrawals do, because a visit after a day is more likely to withdraw than to deposit.
 */
export function checkSide(
  records: readonly NoteEntry[],
  { now, isPaying, hasAsked }: VisitFacts,
): CheckSide | undefined {
  if (isPaying) return undefined;
  if (hasAsked) return "withdrawal";
  const isRecent = ({ state, createdAt }: NoteEntry) =>
    (state === "depositing" || state === "deposited") && now - createdAt < RECENT_MS;
  const waits = records.some(waitsForSettlement);
  if (records.some(isRecent)) return waits ? "deposit" : undefined;
  return waits || records.some(({ state }) => state === "withdrawing") ? "withdrawal" : undefined;
}

/** Whether the deposit was not yet seen settled. Only version 2 deposits are settled. */
export function waitsForSettlement({ state, note, deposit }: NoteEntry): boolean {
  return state === "deposited" && note.version === 2 && deposit?.settled !== true;
}
