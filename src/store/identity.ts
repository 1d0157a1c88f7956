/**
 * Identity of a store. Live withdrawals are bound to the wallet that accepted them, and cursors to a network: a
 * relayer with another wallet would only burn gas.
 */
import { Problem } from "../core/errors/problem.ts";
import type { Network } from "../core/protocol/network.ts";

/** The relayer that a store belongs to. */
export interface StoreIdentity {
  readonly network: Network;
  /** The wallet's raw address, `<workchain>:<64 hex digits>`. */
  readonly wallet: string;
}

export interface IdentifiedStore {
  /** Undefined before the first start of a relayer that records it. */
  identity(): Promise<StoreIdentity | undefined>;

  /** Sets the identity if there is none, and returns the one in effect. Of concurrent calls exactly one wins. */
  claimIdentity(identity: StoreIdentity): Promise<StoreIdentity>;
}

/**
 * Ties a store to its relayer at the first start, and verifies it at later ones.
 * @param setting the setting that names the store
 * @throws {Problem} `invalid_config` for another relayer's store
 */
export async function assertStoreOwner(
  store: IdentifiedStore,
  own: StoreIdentity,
  setting: string,
): Promise<void> {
  const found = await store.claimIdentity(own);
  if (found.network === own.network && found.wallet === own.wallet) return;
  const detail =
    `this store belongs to ${formatIdentity(found)}, and this relayer is ${formatIdentity(own)}: ` +
    "start it with that wallet and network, or give this one a store of its own";
  throw new Problem("invalid_config", undefined, { errors: [{ pointer: setting, detail }] });
}

export function formatIdentity({ network, wallet }: StoreIdentity): string {
  return `wallet ${wallet} of ${network}`;
}
