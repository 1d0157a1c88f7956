/** The journaled proofs of a note: each may still pay its recipient, so another recipient must wait. */
import { Address } from "@ton/core";
import type { WithdrawalAttempt } from "../../../client/notes/note_store.ts";
import { allAttempts, attemptsFor, findPayableAttempts } from "../../../client/notes/withdrawal_attempts.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { Session, StoredNote } from "../context.ts";

/** Returns the URLs of the relayers that got a proof for the deposit that is to be withdrawn. A note may have had another. */
export async function relayersWithProof(
  session: Session,
  record: NoteEntry,
): Promise<ReadonlySet<string | undefined>> {
  return new Set((await currentAttempts(session, record)).map(({ relayer }) => relayer));
}

/**
 * Returns the recipient that an earlier proof may still pay; undefined if there is none. Another tab, or an earlier visit,
 * may have submitted it.
 * @param chosen a recipient that may have such a proof, because the pool pays only one
 */
export async function findUnderway(
  session: Session,
  { record, pool }: Pick<StoredNote, "record" | "pool">,
  signal: AbortSignal,
  chosen?: Address,
): Promise<string | undefined> {
  const attempts = await findPayableAttempts(pool, await currentAttempts(session, record), { signal });
  const isChosen = ({ recipient }: WithdrawalAttempt) =>
    chosen !== undefined && Address.parse(recipient).equals(chosen);
  return attempts.findLast((attempt) => !isChosen(attempt))?.recipient;
}

/** Returns the attempts for the deposit that is to be withdrawn, oldest first. */
async function currentAttempts(
  { store }: Session,
  record: NoteEntry,
): Promise<readonly WithdrawalAttempt[]> {
  const { id, note: { commitment }, deposit } = record;
  const attempts = allAttempts(record);
  const leafIndex = deposit?.leafIndex;
  if (leafIndex === undefined || attempts.length === 0) return attempts;
  const [hashes] = await store.hashes([{ id, commitment, leafIndexes: [leafIndex] }]);
  return attemptsFor(record, hashes.nullifierHashAt(leafIndex));
}
