/** Computes ledger entries. They are written with the rows of their events, and a rollback removes both. */
import { type Address, Cell } from "@ton/core";
import type { LedgerEntry, PoolId, Transfer } from "../../store/store.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";
import { messagesIn } from "../../ton/wallet/message_list.ts";
import { parseTopUp, type SentTopUp } from "../top_ups/top_up_policy.ts";

interface BookedPool {
  readonly id: PoolId;
  readonly deployment: { readonly asset: string; readonly denomination: bigint };
}

/** Returns the entries of events that this relayer sent or was paid for, one for each transaction. */
export function bookEvents(
  events: readonly PoolEvent[],
  { id, deployment: { asset, denomination } }: BookedPool,
  wallet: Address,
): LedgerEntry[] {
  const entries = events.flatMap((event): LedgerEntry[] => {
    if (event.kind === "deposit" || event.kind === "skipped") return [];
    if (event.kind === "refused" && event.op === "deposit") return [];
    const base = {
      pool: id,
      kind: event.kind,
      txHash: event.tx.hash,
      lt: event.tx.lt,
      timestamp: event.timestamp,
    };
    const isSender = event.sender.equals(wallet);
    const cost = isSender ? event.cost ?? 0n : 0n;
    if (event.kind !== "withdrawal") return isSender ? [{ ...base, fee: 0n, gas: cost, refund: 0n }] : [];
    const fee = event.relayer?.equals(wallet) ? event.fee : 0n;
    if (!isSender) return fee > 0n ? [{ ...base, fee, gas: 0n, refund: 0n }] : [];
    // Coins from the pool that are not part of the gas: the fee, and our own note.
    const isNative = asset === "native";
    const isRecipient = event.recipient.equals(wallet);
    const ownNote = isRecipient ? (isNative ? denomination - event.fee : 0n) + event.refund : 0n;
    const gas = cost + (isNative ? fee : 0n) + ownNote - event.refund;
    return [{ ...base, fee, gas, refund: isRecipient ? 0n : event.refund }];
  });
  const byTransaction = new Map<string, LedgerEntry>();
  for (const entry of entries) {
    const { fee, gas, refund } = byTransaction.get(entry.txHash) ?? { fee: 0n, gas: 0n, refund: 0n };
    byTransaction.set(entry.txHash, {
      ...entry,
      fee: fee + entry.fee,
      gas: gas + entry.gas,
      refund: refund + entry.refund,
    });
  }
  return [...byTransaction.values()];
}

/**
 * Divides a transfer's `fees` (nano) equally among its messages, or among its withdrawals if no message was sent. Books
 * the coins of top-ups.
 */
export function bookTransfer(
  { hash, jobs }: Pick<Transfer, "hash" | "jobs">,
  { fees, timestamp, recipients, topUps, txHash }: {
    readonly fees: bigint;
    readonly timestamp: number;
    readonly recipients: readonly PoolId[];
    readonly topUps: readonly SentTopUp[];
    readonly txHash: string; // of the wallet's transaction
  },
): LedgerEntry[] {
  const pools = recipients.length > 0 ? recipients : jobs.map(({ pool }) => pool);
  const count = BigInt(pools.length);
  const shares = new Map<PoolId, bigint>();
  for (const [i, pool] of pools.entries()) {
    const share = (fees * BigInt(i + 1)) / count - (fees * BigInt(i)) / count;
    shares.set(pool, (shares.get(pool) ?? 0n) + share);
  }
  const none = { lt: 0n, timestamp, fee: 0n, refund: 0n };
  return [
    ...[...shares].map(([pool, gas]) => ({ ...none, pool, kind: "transfer" as const, txHash: hash, gas })),
    ...topUps.map(({ pool, value }) => ({ ...none, pool, kind: "top_up" as const, txHash, gas: value })),
  ];
}

/** Returns an entry without costs for each top-up of a transfer that was not found on chain. */
export function bookLostTopUps({ hash, boc, signedAt }: Transfer): LedgerEntry[] {
  const entry = {
    kind: "top_up",
    txHash: hash,
    lt: 0n,
    timestamp: signedAt,
    fee: 0n,
    gas: 0n,
    refund: 0n,
  } as const;
  return messagesIn(Cell.fromBoc(Buffer.from(boc))[0]).flatMap(parseTopUp).map(({ pool }) => ({
    pool,
    ...entry,
  }));
}

export type LedgerObserver = (entries: readonly LedgerEntry[]) => void;

export function createLedgerObserver(
  pools: {
    get(id: PoolId): { readonly key: string; readonly deployment: { readonly asset: string } } | undefined;
  },
  metrics: Pick<Metrics, "recordEntry" | "recordSettlementEarnings">,
): LedgerObserver {
  return (entries) => {
    for (const entry of entries) {
      const pool = pools.get(entry.pool);
      if (pool === undefined) continue;
      metrics.recordEntry(pool.key, pool.deployment.asset, entry);
      if (entry.kind === "settlement" && entry.gas < 0n) {
        metrics.recordSettlementEarnings(pool.key, -entry.gas);
      }
    }
  };
}
