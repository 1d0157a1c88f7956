/** The journaled proofs of a note: each may still pay its recipient, so another recipient must wait. */
import { Address } from "@ton/core";
import type { WithdrawalAttempt } from "../../../client/notes/note_store.ts";
import { allAttempts, isPayable } from "../../../client/notes/withdrawal_attempts.ts";
import { readAcceptedRoots } from "../../../ton/pool/any_pool.ts";
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
  const attempts = await currentAttempts(session, record);
  if (attempts.length === 0) return undefined;
  const roots = await readAcceptedRoots(pool, { signal });
  const isChosen = ({ recipient }: WithdrawalAttempt) =>
    chosen !== undefined && Address.parse(recipient).equals(chosen);
  return attempts.findLast((attempt) => isPayable(attempt, roots) && !isChosen(attempt))?.recipient;
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
  const current = hashes.nullifierHashAt(leafIndex);
  return attempts.filter(({ request }) => BigInt(request.publicSignals[1]) === current);
}
