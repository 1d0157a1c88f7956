import { Address } from "@ton/core";
import type { Note } from "../../core/protocol/note.ts";
import { type AnyPool, readAcceptedRoots } from "../../ton/pool/any_pool.ts";
import type { WithdrawalAttempt } from "../notes/note_store.ts";
import type { RelayerClient, WithdrawalStatus, WithdrawArgs } from "../relayer/relayer_client.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import {
  FAILOVER_TIMEOUT_MS,
  submitAndWait,
  waitForWithdrawal,
  type WithdrawalWaitOptions,
} from "./withdrawal_wait.ts";

/** `paid` contains the relayer's status if the relayer confirms. `prove_again`: a new proof is needed. */
type ResumeResult =
  | { readonly outcome: "paid"; readonly status?: WithdrawalStatus | undefined }
  | { readonly outcome: "prove_again" };

/** Submits the journaled proof if the relayer does not know it and the pool still accepts its root. */
export async function resumeWithdrawal(
  relayer: RelayerClient,
  { pool, note: { nullifierHash }, journal }: { pool: AnyPool; note: Note; journal: WithdrawalAttempt },
  waitOptions: WithdrawalWaitOptions = {},
): Promise<ResumeResult> {
  const isSpent = () => pool.getIsSpent(nullifierHash);
  const options = { timeoutMs: FAILOVER_TIMEOUT_MS, isSpent, ...waitOptions };
  if (await isSpent()) return { outcome: "paid" };
  let status: WithdrawalStatus;
  try {
    status = await waitForWithdrawal(relayer, pool.address, nullifierHash, options);
  } catch (error) {
    if (!(error instanceof RelayerProblem && error.code === "withdrawal_not_found")) throw error;
    const args = toWithdrawArgs(pool, journal);
    const [root] = args.publicSignals;
    const { signal } = waitOptions;
    const roots = await readAcceptedRoots(pool, signal ? { signal } : {});
    if (!roots.includes(BigInt(root))) return { outcome: "prove_again" };
    status = await submitAndWait(relayer, pool, args, nullifierHash, options);
  }
  if (!await isSpent()) return { outcome: "prove_again" };
  return { outcome: "paid", status: status.state === "confirmed" ? status : undefined };
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
