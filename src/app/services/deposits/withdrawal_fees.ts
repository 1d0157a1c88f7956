/** The price of a later withdrawal, which a depositor learns before paying. */
import { type Deployments, poolKey } from "../../../core/protocol/deployments.ts";
import { formatUnits } from "../../../core/protocol/units.ts";
import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import type { Clock } from "../../../core/time/clock.ts";

/** A relayer that does not answer in this time is left out. */
const TIMEOUT_MS = 10_000;
const MAX_AGE_MS = 600_000;

/** The part of the app's context that is needed. */
interface FeeSources {
  readonly clock: Clock;
  readonly registry: Deployments;
  connections(): { readonly relayers: readonly string[] };
}

/** By pool key, in whole units of the asset. */
type Fees = ReadonlyMap<string, string>;

/**
 * The fees that relayers asked for at a recent check of the notes. The deposit screen asks them only if the user presses
 * a button, so that no relayer learns when someone deposits.
 */
export class WithdrawalFees {
  #latest: Fees = new Map();
  #readAt = -Infinity;
  readonly #first = Promise.withResolvers<void>();

  /** Asks the relayers, unless they answered in the last ten minutes. Never rejects. */
  async refresh(context: FeeSources, signal: AbortSignal): Promise<void> {
    if (context.clock.now() - this.#readAt < MAX_AGE_MS) return;
    try {
      this.#latest = await findWithdrawalFees(context, signal);
    } catch {
      return; // cancelled
    }
    if (this.#latest.size > 0) this.#readAt = context.clock.now();
    this.#first.resolve();
  }

  /** Returns the latest fees, after the first refresh. */
  async read(): Promise<Fees> {
    await this.#first.promise;
    return this.#latest;
  }
}

/** Returns the lowest fee of each pool, in whole units of its asset, by the pool's key. Omits pools that no relayer serves now. */
export async function findWithdrawalFees(
  context: Omit<FeeSources, "clock">,
  signal: AbortSignal,
): Promise<Fees> {
  const { relayers } = context.connections();
  const answers = await Promise.allSettled(
    relayers.map((url) => new RelayerClient(url, { signal }).withTimeout(TIMEOUT_MS).feeFloors()),
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
