/** Reads changes of a jetton pool's claims from its transactions. A frozen pool runs no getter. */
import type { Address, Transaction } from "@ton/core";
import { loadPoolLog, opCodes } from "../../core/protocol/messages/pool_messages.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
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
  const open = new Map<bigint, Claim>();
  for (const { id, claim } of await readClaimChanges(chain, pool, undefined, signal)) {
    if (claim) open.set(id, claim);
    else open.delete(id);
  }
  return open;
}

/** Returns the ids of the claims that the pool retried after this transaction. */
export async function readRetriedClaims(
  chain: Chain,
  pool: Address,
  after: TransactionId | undefined,
  signal?: AbortSignal,
): Promise<Set<bigint>> {
  const changes = await readClaimChanges(chain, pool, after, signal);
  return new Set(changes.filter(({ claim }) => claim === undefined).map(({ id }) => id));
}

/** Returns the changes after a transaction, oldest first. */
async function readClaimChanges(
  chain: Chain,
  pool: Address,
  after: TransactionId | undefined,
  signal: AbortSignal | undefined,
): Promise<ClaimChange[]> {
  const changes: ClaimChange[] = []; // newest first
  for await (const { id, raw } of readTransactionsBack(chain, pool, { pageSize: PAGE_SIZE, signal })) {
    if (after !== undefined && id.lt <= after.lt) break;
    changes.push(...claimChanges(pool, raw).reverse());
  }
  return changes.reverse();
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
