/**
 * Whose store it is. Live withdrawals are bound to the wallet that took them on, and cursors to a network: a relayer of
 * another wallet could only burn gas on them.
 */
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";

/** The one relayer that a store belongs to. */
export interface StoreIdentity {
  readonly network: Network;
  /** The wallet's raw address, `<workchain>:<64 hex digits>`. */
  readonly wallet: string;
}

/** What is asked of a store about it. */
export interface Identified {
  /** undefined: no relayer has started on it since stores know whose they are. */
  identity(): Promise<StoreIdentity | undefined>;

  /** Takes `identity` on if there is none yet; returns the one that holds. Of several at once exactly one gets in. */
  claim(identity: StoreIdentity): Promise<StoreIdentity>;
}

/**
 * Ties a store to its relayer at the first start, and checks it at every other.
 *
 * @param setting the one that names the store
 * @throws {Problem} `invalid_config` for another relayer's store
 */
export async function tieStore(store: Identified, own: StoreIdentity, setting: string): Promise<void> {
  const found = await store.claim(own);
  if (found.network === own.network && found.wallet === own.wallet) return;
  const detail =
    `this store belongs to ${shownIdentity(found)}, and this relayer is ${shownIdentity(own)}: ` +
    "start it with that wallet and network, or give this one a store of its own";
  throw new Problem("invalid_config", undefined, { errors: [{ pointer: setting, detail }] });
}

/** For people. */
export function shownIdentity({ network, wallet }: StoreIdentity): string {
  return `wallet ${wallet} of ${network}`;
}
