/** The price of a later withdrawal, which a depositor learns before paying. */
import { poolKey } from "../../../core/protocol/deployments.ts";
import { formatUnits } from "../../../core/protocol/units.ts";
import { type AppContext, relayerOf } from "../context.ts";

/** A relayer that does not answer in this time is left out. */
const TIMEOUT_MS = 10_000;

/** Returns the lowest fee of each pool, in whole units of its asset, by the pool's key. Omits pools that no relayer serves now. */
export async function findWithdrawalFees(
  context: AppContext,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { relayers } = context.connections();
  const answers = await Promise.allSettled(
    relayers.map((url) => relayerOf(url, signal).withTimeout(TIMEOUT_MS).feeFloors()),
  );
  signal.throwIfAborted();
  const floors = answers.flatMap((answer) => answer.status === "fulfilled" ? [answer.value] : []);
  const fees = new Map<string, string>();
  for (const deployment of context.registry.pools.values()) {
    const offered = floors.flatMap((floor) => floor.get(deployment.address.toRawString()) ?? []);
    if (offered.length === 0) continue;
    const lowest = offered.reduce((least, fee) => fee < least ? fee : least);
    fees.set(poolKey(deployment), formatUnits(lowest, deployment.decimals));
  }
  return fees;
}
