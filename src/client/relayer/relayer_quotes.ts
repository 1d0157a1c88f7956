import type { Address } from "@ton/core";
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { RelayerClient } from "./relayer_client.ts";

/** A relayer's fee, in the pool's smallest unit, and the largest refund that it pays, in nano. */
export interface RelayerQuote {
  readonly relayer: RelayerClient;
  readonly fee: bigint;
  readonly maxRefund: bigint;
}

/** Covers all requests and attempts for one relayer. */
export const QUOTE_TIMEOUT_MS = 10_000;
const WAITING_REPORT_INTERVAL_MS = 1_000;

interface QuoteOptions {
  /** Milliseconds for each relayer. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Called every second with the relayers that have not responded. */
  readonly onWaiting?: (silent: readonly RelayerClient[], elapsedMs: number, timeoutMs: number) => void;
  readonly clock?: Clock;
}

/**
 * Requests quotes from all relayers at once. The requests reveal nothing about the note.
 * @returns the quotes, cheapest first, and why the other relayers cannot be used
 * @throws {Problem} `relayer_unavailable` if no relayer can be used; `cancelled`
 * @example
 * ```ts
 * const relayers = urls.map((url) => new RelayerClient(url));
 * const { quotes: [cheapest] } = await quoteRelayers(relayers, { network: "testnet", pool: pool.address });
 * ```
 */
export async function quoteRelayers(
  relayers: readonly RelayerClient[],
  target: { network: Network; pool: Address },
  { timeoutMs = QUOTE_TIMEOUT_MS, onWaiting, clock = systemClock }: QuoteOptions = {},
): Promise<{ quotes: RelayerQuote[]; refused: ProblemDetail[] }> {
  const refused: ProblemDetail[] = [];
  const silent = new Set(relayers);
  const end = new AbortController();
  const reportWaiting = async () => {
    for (let elapsedMs = WAITING_REPORT_INTERVAL_MS;; elapsedMs += WAITING_REPORT_INTERVAL_MS) {
      await clock.sleep(WAITING_REPORT_INTERVAL_MS, end.signal);
      if (end.signal.aborted) return;
      onWaiting?.([...silent], elapsedMs, timeoutMs);
    }
  };
  const quoteOrRefusal = async (relayer: RelayerClient) => {
    try {
      return await fetchQuote(relayer, target, timeoutMs);
    } catch (error) {
      if (!(error instanceof Problem) || error.code === "cancelled") throw error; // never a relayer's code
      refused.push({ pointer: relayer.baseUrl, detail: error.message });
    } finally {
      silent.delete(relayer);
    }
  };
  void reportWaiting();
  const results = await Promise.all(relayers.map(quoteOrRefusal)).finally(() => end.abort());
  const quotes = results.filter((quote) => quote !== undefined).sort((a, b) => Number(a.fee - b.fee));
  if (quotes.length > 0) return { quotes, refused };
  throw new Problem("relayer_unavailable", "no relayer can be used", { errors: refused });
}

async function fetchQuote(
  relayer: RelayerClient,
  { network, pool }: { network: Network; pool: Address },
  timeoutMs: number,
): Promise<RelayerQuote> {
  const bounded = relayer.withTimeout(timeoutMs);
  const served = await bounded.pools();
  if (served.network !== network) throw new Problem("relayer_unavailable", `it serves ${served.network}`);
  const fee = await bounded.feeFloor(pool);
  const entry = Object.values(served.pools).find(({ address }) => address.equals(pool));
  if (entry?.retired) throw new Problem("pool_retired");
  return { relayer, fee, maxRefund: entry?.maxRefund ?? 0n };
}
