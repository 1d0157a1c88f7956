import { Address } from "@ton/core";
import type { Note } from "../../core/protocol/note.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { WithdrawalAttempt } from "../notes/note_store.ts";
import { findPayableAttempts } from "../notes/withdrawal_attempts.ts";
import type { RelayerClient, WithdrawArgs } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import {
  FAILOVER_TIMEOUT_MS,
  submitAndWait,
  waitForWithdrawal,
  type WithdrawalWaitOptions,
} from "./withdrawal_wait.ts";

/**
 * Submits the journaled proof if the relayer does not know it and the pool still accepts its root.
 * @returns whether the pool has paid; otherwise a new proof is needed
 */
export async function resumeWithdrawal(
  relayer: RelayerClient,
  { pool, note: { nullifierHash }, journal }: { pool: AnyPool; note: Note; journal: WithdrawalAttempt },
  waitOptions: WithdrawalWaitOptions = {},
): Promise<boolean> {
  const isSpent = () => pool.getIsSpent(nullifierHash);
  const options = { timeoutMs: FAILOVER_TIMEOUT_MS, isSpent, ...waitOptions };
  if (await isSpent()) return true;
  try {
    await waitForWithdrawal(relayer, pool.address, nullifierHash, options);
  } catch (error) {
    if (!(error instanceof RelayerProblem && error.code === "withdrawal_not_found")) throw error;
    if ((await findPayableAttempts(pool, [journal], waitOptions)).length === 0) return false;
    await submitAndWait(relayer, pool, toWithdrawArgs(pool, journal), nullifierHash, options);
  }
  return await isSpent();
}

function toWithdrawArgs(
  pool: AnyPool,
  { recipient, fee, refund, request }: WithdrawalAttempt,
): WithdrawArgs {
  return {
    pool: pool.address,
    ...request,
    recipient: Address.parse(recipient),
    fee: BigInt(fee),
    refund: BigInt(refund),
  };
}
