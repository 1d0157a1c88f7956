/** A withdrawal that was cut off, from what the note store says of it to its end. */
import { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Note } from "../core/note.ts";
import type { Pool } from "../ton/pool.ts";
import type { WithdrawalJournal } from "./note_store.ts";
import { type FollowOptions, untilEnded } from "./relayed_withdrawal.ts";
import type { RelayerClient, WithdrawalStatus, WithdrawArgs } from "./relayer_client.ts";

/** `paid` with the relayer's last word where it has one; `again`: it must be proved anew. */
export type Resumed = { readonly outcome: "paid"; readonly status?: WithdrawalStatus } | {
  readonly outcome: "again";
};

/**
 * Follows a journaled withdrawal; one that the relayer has not heard of is submitted as it was proved, while the pool still
 * knows its root.
 *
 * @throws {Problem} `relayer_unavailable`, `cancelled`, and what the relayer refuses
 */
export async function resumeWithdrawal(
  relayer: RelayerClient,
  { pool, note, journal }: { pool: Pool; note: Note; journal: WithdrawalJournal },
  options: FollowOptions = {},
): Promise<Resumed> {
  const { nullifierHash } = note;
  if (await pool.getIsSpent(nullifierHash)) return { outcome: "paid" };
  let status: WithdrawalStatus | undefined;
  try {
    status = await relayer.withdrawStatus(pool.address, nullifierHash);
  } catch (error) {
    if (!(error instanceof Problem && error.code === "withdrawal_not_found")) throw error;
    const args = journaledArgs(pool, journal);
    if (!(await pool.getRootHistory()).includes(BigInt(args.publicSignals[0]))) return { outcome: "again" };
    await relayer.withdraw(args);
  }
  if (status?.state === "failed" || status?.state === "expired") return { outcome: "again" };
  status = await untilEnded(relayer, pool.address, nullifierHash, options);
  return await pool.getIsSpent(nullifierHash) ? { outcome: "paid", status } : { outcome: "again" };
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
