/** Reads a jetton pool's open claims from its transactions: a frozen pool runs no getter. */
import type { Address, Transaction } from "@ton/core";
import { loadPoolLog, opCodes } from "../../core/protocol/messages/pool_messages.ts";
import type { Chain } from "../../ton/chain.ts";
import { readTransactionsBack } from "../../ton/transaction_history.ts";
import type { Claim } from "../../ton/pool/pool_storage.ts";

const PAGE_SIZE = 100;

/**
 * Returns the claims not retried with success, by id. A claim whose log the pool could not pay is missing,
 * so compare the rebuilt state with the hash on chain. Throws `chain_unavailable`, `chain_inconsistent`.
 */
export async function readOpenClaims(
  chain: Chain,
  pool: Address,
  signal?: AbortSignal,
): Promise<Map<bigint, Claim>> {
  const changes: ClaimChange[] = []; // newest first
  for await (const { raw } of readTransactionsBack(chain, pool, { pageSize: PAGE_SIZE, signal })) {
    changes.push(...claimChanges(pool, raw).reverse());
  }
  const open = new Map<bigint, Claim>();
  for (const { id, claim } of changes.reverse()) {
    if (claim) open.set(id, claim);
    else open.delete(id);
  }
  return open;
}

/** A claim that was stored, or, without `claim`, one that was retried. */
interface ClaimChange {
  readonly id: bigint;
  readonly claim?: Claim;
}

function claimChanges(pool: Address, { inMessage, outMessages, description }: Transaction): ClaimChange[] {
  if (inMessage?.info.type !== "internal" || description.type !== "generic" || description.aborted) return [];
  const { body, info } = inMessage;
  if (!info.bounced) {
    const slice = body.beginParse();
    const isRetry = slice.remainingBits === 160 && slice.loadUint(32) === opCodes.retry_payout;
    return isRetry ? [{ id: slice.skip(64).loadUintBig(64) }] : [];
  }
  return outMessages.values().flatMap((message): ClaimChange[] => {
    if (message.info.type !== "external-out" || !message.info.src.equals(pool)) return [];
    const log = loadPoolLog(message.body);
    if (log?.kind !== "payout_claimed") return [];
    return [{ id: log.claimId, claim: { amount: log.amount, destination: log.destination } }];
  });
}
