/** A withdrawal that was cut off, from what the note store says of it to its end. */
import { Address } from "@ton/core";
import type { Note } from "../core/note.ts";
import type { Pool } from "../ton/pool.ts";
import type { WithdrawalJournal } from "./note_store.ts";
import { type FollowOptions, SHORT_PATIENCE_MS, submit, untilEnded } from "./follow_withdrawal.ts";
import type { RelayerClient, WithdrawalStatus, WithdrawArgs } from "./relayer_client.ts";
import { RelayerProblem } from "./relayer_problem.ts";

/** `paid` with the relayer's last word where it has one; `again`: it must be proved anew. */
export type Resumed = { readonly outcome: "paid"; readonly status?: WithdrawalStatus } | {
  readonly outcome: "again";
};

/**
 * Follows a journaled withdrawal; one that the relayer has not heard of is submitted as it was proved, while the pool still
 * knows its root.
 *
 * @throws {Problem} `relayer_unavailable`, `cancelled`, and {@link RelayerProblem} for what the relayer refuses
 */
export async function resumeWithdrawal(
  relayer: RelayerClient,
  { pool, note, journal }: { pool: Pool; note: Note; journal: WithdrawalJournal },
  given: FollowOptions = {},
): Promise<Resumed> {
  const { nullifierHash } = note;
  const isSpent = () => pool.getIsSpent(nullifierHash);
  const options = { patienceMs: SHORT_PATIENCE_MS, isSpent, ...given };
  if (await isSpent()) return { outcome: "paid" };
  let status: WithdrawalStatus;
  try {
    status = await untilEnded(relayer, pool.address, nullifierHash, options);
  } catch (error) {
    if (!(error instanceof RelayerProblem && error.code === "withdrawal_not_found")) throw error;
    const args = journaledArgs(pool, journal);
    if (!(await pool.getRootHistory()).includes(BigInt(args.publicSignals[0]))) return { outcome: "again" };
    status = await submit(relayer, pool, args, nullifierHash, options);
  }
  if (!await isSpent()) return { outcome: "again" };
  return { outcome: "paid", status: status.state === "confirmed" ? status : undefined };
}

function journaledArgs(pool: Pool, { recipient, fee, refund, request }: WithdrawalJournal): WithdrawArgs {
  return {
    pool: pool.address,
    ...request,
    recipient: Address.parse(recipient),
    fee: BigInt(fee),
    refund: BigInt(refund),
  };
}
