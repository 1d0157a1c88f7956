/** Refuses to send messages that would freeze a pool. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { fetchStorageBill } from "../account_storage.ts";
import type { AccountInfo, CallOptions, Chain } from "../chain.ts";

/** The debt above which a message that does not pay it freezes an account, in nano: `freeze_due_limit`. */
const FREEZE_DEBT_NANO = 100_000_000n;

/**
 * The debt in nano above which clients send a pool no bounceable message. It is half of what freezes the pool, because
 * the debt grows until the message arrives.
 */
export const MAX_STORAGE_DEBT_NANO = FREEZE_DEBT_NANO / 2n;

/** Refuses to send messages that would freeze a pool. Throws `contract_refused`, or the problem named by `code`. */
export async function assertNoStorageDebt(
  chain: Chain,
  address: Address,
  account: AccountInfo,
  { code: problemCode = "contract_refused", ...options }: CallOptions & {
    readonly code?: "contract_refused" | "pool_closed";
  } = {},
): Promise<void> {
  const { code, data } = account;
  if (!code || !data) return; // the pool's getters fail
  const { fetchNetworkPrices } = await import("../network_prices.ts"); // keeps the app's first load small
  const prices = await fetchNetworkPrices(chain, options);
  const { debt } = await fetchStorageBill(chain, { address, account, code, data, prices }, options);
  if (debt <= MAX_STORAGE_DEBT_NANO) return;
  throw new Problem(
    problemCode,
    `the pool owes ${
      formatNative(debt)
    } for storage: this message would freeze it, and the next one delete it`,
    { hint: "Nothing was sent. Run `tonado pool rescue` first, which pays the whole debt." },
  );
}
