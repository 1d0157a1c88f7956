/** Live withdrawals are bound to the wallet that accepted them, and cursors to a network. */
import { Problem } from "../core/errors/problem.ts";
import type { Network } from "../core/protocol/network.ts";

export interface StoreIdentity {
  readonly network: Network;
  readonly wallet: string; // raw address
}

export interface IdentifiedStore {
  /** Undefined before the first start of a relayer. */
  identity(): Promise<StoreIdentity | undefined>;

  /** Sets the identity if there is none, and returns the one in effect. */
  claimIdentity(identity: StoreIdentity): Promise<StoreIdentity>;
}

/** Claims the store at the first start. Throws `invalid_config`, naming `setting`, for another relayer's. */
export async function assertStoreOwner(
  store: IdentifiedStore,
  own: StoreIdentity,
  setting: string,
): Promise<void> {
  const found = await store.claimIdentity(own);
  if (found.network === own.network && found.wallet === own.wallet) return;
  const detail =
    `this store belongs to ${formatIdentity(found)}, but this relayer is ${formatIdentity(own)}: ` +
    "use that wallet and network, or choose another store";
  throw new Problem("invalid_config", undefined, { errors: [{ pointer: setting, detail }] });
}

export function formatIdentity({ network, wallet }: StoreIdentity): string {
  return `wallet ${wallet} of ${network}`;
}
