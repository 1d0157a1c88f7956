/** A withdrawal as the API returns it. */
import type { z } from "zod";
import { fieldToHex } from "../../core/crypto/field.ts";
import type { relayerResponses } from "../../core/protocol/api/relayer_api.ts";
import type { Job, Withdrawal } from "../../store/store.ts";

/** Times in Unix seconds; unknown values are null. */
export type WithdrawalView = z.output<
  ReturnType<typeof relayerResponses<z.ZodString, z.ZodString, z.ZodString>>["withdrawal"]
>;

export function buildJobView(
  pool: string,
  job: Partial<Job> & Pick<Job, "nullifierHash" | "state">,
): WithdrawalView {
  return {
    pool,
    nullifierHash: fieldToHex(job.nullifierHash),
    state: job.state,
    seqno: job.seqno ?? null,
    fee: job.fee?.toString() ?? null,
    refund: job.refund?.toString() ?? null,
    messageHash: job.messageHash ?? null,
    txHash: job.txHash ?? null,
    reason: job.reason ?? null,
    acceptedAt: toUnixSeconds(job.acceptedAt),
    broadcastAt: toUnixSeconds(job.broadcastAt),
    settledAt: toUnixSeconds(job.endedAt),
  };
}

export function buildPaidView(pool: string, nullifierHash: bigint, withdrawal?: Withdrawal): WithdrawalView {
  const { timestamp, ...paid } = withdrawal ?? {};
  const endedAt = timestamp === undefined ? undefined : timestamp * 1000;
  return buildJobView(pool, { ...paid, nullifierHash, state: "confirmed", endedAt });
}

function toUnixSeconds(milliseconds: number | undefined): number | null {
  return milliseconds === undefined ? null : Math.floor(milliseconds / 1000);
}
