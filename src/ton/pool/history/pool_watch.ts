import type { Address } from "@ton/core";
import { exitCodeName } from "../../../core/errors/problem.ts";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import type { Clock } from "../../../core/time/clock.ts";
import { pollUntil } from "../../../core/time/deadline.ts";
import type { Chain, TransactionId } from "../../chain.ts";
import type { PoolEvent } from "./pool_events.ts";
import { scanPoolTransactions } from "./scan.ts";

/** How long after its expiry a transfer may still reach the pool; jettons pass through two more wallets. */
export const EXPIRY_GRACE_SECONDS = { native: 15, jetton: 60 };

interface PoolWatch<T> {
  readonly after: TransactionId | undefined;
  readonly pollIntervalMs: number;
  readonly match: (event: PoolEvent) => T | undefined | Promise<T | undefined>;
  /** Called before each scan, which covers at least everything until then. */
  readonly beforeScan?: () => Promise<void>;
  /** Called after each scan without a match. Returns true to give up. */
  readonly afterScan: () => boolean | Promise<boolean>;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

export async function waitForPoolEvent<T>(
  chain: Chain,
  pool: Address,
  { after, pollIntervalMs, match, beforeScan, afterScan, signal, clock }: PoolWatch<T>,
): Promise<T | undefined> {
  let cursor = after;
  let result: T | undefined;
  await pollUntil(async () => {
    await beforeScan?.();
    for await (
      const batch of scanPoolTransactions(chain, pool, { after: cursor, signal, capacity: V2_POOL_CAPACITY })
    ) {
      for (const event of batch.events) {
        result = await match(event);
        if (result !== undefined) return true;
      }
      cursor = batch.cursor;
    }
    return await afterScan();
  }, { intervalMs: pollIntervalMs, timeoutMs: Infinity, signal, clock });
  return result;
}

export function refusalReason(exitCode: number | undefined): string {
  if (exitCode === undefined) return "too little value";
  return exitCodeName(exitCode) ?? `exit code ${exitCode}`;
}
