/** What several relayers ask for the same withdrawal. */
import type { Address } from "@ton/core";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { RelayerClient } from "./relayer_client.ts";

/** One that would take it. */
export interface RelayerQuote {
  readonly relayer: RelayerClient;
  /** In the pool's asset. */
  readonly fee: bigint;
  /** Nano that it gives to a recipient at most. */
  readonly maxRefund: bigint;
}

/** Milliseconds in which a relayer has to say what it asks for, all its answers and tries together. */
export const QUOTE_MS = 10_000;
/** Milliseconds between words about who is waited for. */
const TELL_MS = 1_000;

/** How quotes are waited for. */
export interface QuoteOptions {
  /** Milliseconds until a relayer is given up; default ten seconds. */
  readonly patienceMs?: number;
  /** Called every second with those that have not answered. */
  readonly onWaiting?: (silent: readonly RelayerClient[], ms: number, patienceMs: number) => void;
}

/**
 * Asks all of them at once; nothing of the note is said.
 *
 * @returns the cheapest first, and why the others cannot be used
 * @throws {Problem} `relayer_unavailable` when none can; `cancelled`
 */
export async function quoteRelayers(
  relayers: readonly RelayerClient[],
  { network, pool }: { network: Network; pool: Address },
  { patienceMs = QUOTE_MS, onWaiting }: QuoteOptions = {},
): Promise<{ quotes: RelayerQuote[]; refused: ProblemDetail[] }> {
  const refused: ProblemDetail[] = [];
  const silent = new Set(relayers);
  let waited = 0;
  const telling = setInterval(() => onWaiting?.([...silent], waited += TELL_MS, patienceMs), TELL_MS);
  const asking = relayers.map(async (relayer) => {
    try {
      const asked = relayer.within(patienceMs);
      const served = await asked.pools();
      if (served.network !== network) throw new Problem("relayer_unavailable", `it serves ${served.network}`);
      const fee = await asked.feeFloor(pool);
      const { maxRefund = 0n, retired } = Object.values(served.pools).find(({ address }) =>
        address.equals(pool)
      ) ?? {};
      if (retired) throw new Problem("pool_retired");
      return { relayer, fee, maxRefund };
    } catch (error) {
      if (!(error instanceof Problem) || error.code === "cancelled") throw error; // no relayer's code is that
      refused.push({ pointer: relayer.baseUrl, detail: error.message });
    } finally {
      silent.delete(relayer);
    }
  });
  const asked = await Promise.all(asking).finally(() => clearInterval(telling));
  const quotes = asked.filter((quote) => quote !== undefined).sort((a, b) => Number(a.fee - b.fee));
  if (quotes.length === 0) {
    throw new Problem("relayer_unavailable", "no relayer can be used", { errors: refused });
  }
  return { quotes, refused };
}
