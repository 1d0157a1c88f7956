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

/**
 * Asks all of them at once; nothing of the note is said.
 *
 * @returns the cheapest first, and why the others cannot be used
 * @throws {Problem} `relayer_unavailable` when none can; `cancelled`
 */
export async function quoteRelayers(
  relayers: readonly RelayerClient[],
  { network, pool }: { network: Network; pool: Address },
): Promise<{ quotes: RelayerQuote[]; refused: ProblemDetail[] }> {
  const refused: ProblemDetail[] = [];
  const asked = await Promise.all(relayers.map(async (relayer) => {
    try {
      const served = await relayer.pools();
      if (served.network !== network) throw new Problem("relayer_unavailable", `it serves ${served.network}`);
      const fee = await relayer.feeFloor(pool);
      const { maxRefund = 0n, retired } = Object.values(served.pools).find(({ address }) =>
        address.equals(pool)
      ) ?? {};
      if (retired) throw new Problem("pool_retired");
      return { relayer, fee, maxRefund };
    } catch (error) {
      if (!(error instanceof Problem) || error.code === "cancelled") throw error; // no relayer's code is that
      refused.push({ pointer: relayer.baseUrl, detail: error.message });
    }
  }));
  const quotes = asked.filter((quote) => quote !== undefined).sort((a, b) => Number(a.fee - b.fee));
  if (quotes.length === 0) {
    throw new Problem("relayer_unavailable", "no relayer can be used", { errors: refused });
  }
  return { quotes, refused };
}
