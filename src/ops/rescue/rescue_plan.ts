import { type Address, beginCell, type Cell, storeStateInit } from "@ton/core";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { formatNative } from "../../core/protocol/units.ts";
import { fetchStorageBill, SECONDS_PER_YEAR, storageSize, uniqueCells } from "../../ton/account_storage.ts";
import type { AccountInfo, Chain } from "../../ton/chain.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import { MAX_EXTERNAL_MESSAGE_BYTES, type OutgoingMessage } from "../../ton/wallet/wallet.ts";
import { rebuildState, type RebuiltState } from "./rebuilt_state.ts";

/** Limits of a message between contracts (config parameter 43). */
export const MAX_MESSAGE_CELLS = 8_192;
export const MAX_MESSAGE_BITS = 2 ** 21;
/** Maximum that a wallet adds to the state: its own code, in its first transfer. A test checks it. */
export const WALLET_BYTES = 1_536;
/** Gas and forward fees of the message on its way, in nano. */
const MESSAGE_FEE_NANO = 100_000_000n;

export interface RescuePlan {
  readonly kind: "none" | "top-up" | "thaw";
  readonly message?: OutgoingMessage; // non-bounceable; absent if nothing has to be sent
  /** The StateInit of a pool that only the helper contract can thaw (contracts/shared/rescue.tolk); `message` is without it. */
  readonly largeState?: Cell;
  readonly paidYears: number;
  /** Storage that is due and that the pool cannot pay, in nano. A frozen pool has a debt. */
  readonly debt: bigint;
}

interface RescueRequest {
  readonly chain: Chain;
  readonly prices: NetworkPrices;
  readonly address: Address;
  readonly deployment?: Deployment;
  readonly account: AccountInfo;
  readonly years: number;
  readonly amount?: bigint; // nano to send instead
  readonly signal?: AbortSignal;
  readonly onProgress?: (transactions: number) => void;
}

/** Throws `rescue_refused` with the reason if no message can rescue the pool; `chain_unavailable`. */
export async function planRescue(request: RescueRequest): Promise<RescuePlan> {
  const { account, address } = request;
  if (account.state === "frozen") return await planThaw(request);
  if (account.state === "active" && account.code && account.data) {
    return await planTopUp(request, { code: account.code, data: account.data });
  }
  throw new Problem(
    "rescue_refused",
    request.deployment === undefined
      ? `there is no contract at ${address}`
      : `there is no contract at ${address}: it was never deployed, or the network deleted it because it owed more than ` +
        "one coin for storage. Then its notes are lost: do not deposit to this address again",
  );
}

async function planTopUp(
  { chain, prices, address: to, account, years, amount, signal }: RescueRequest,
  state: { readonly code: Cell; readonly data: Cell },
): Promise<RescuePlan> {
  const bill = await fetchStorageBill(chain, { address: to, account, ...state, prices }, { signal });
  const { debt, runwayYears: paidYears } = bill;
  const missing = bill.due + storageOf(years, bill.perYear) - account.balance;
  const value = amount ?? (missing > 0n ? missing + MESSAGE_FEE_NANO : 0n);
  if (debt > 0n) assertPaysDebt(value, debt + MESSAGE_FEE_NANO);
  if (value === 0n) return { kind: "none", paidYears, debt };
  return { kind: "top-up", paidYears, debt, message: { to, value, bounce: false } };
}

/**
 * Throws `rescue_refused` for less than the whole debt. The chain keeps what arrives, freezes the account if more than
 * 0.1 is still due, and deletes a frozen account if more than 1 is.
 */
function assertPaysDebt(value: bigint, minimum: bigint): void {
  if (value >= minimum) return;
  throw new Problem(
    "rescue_refused",
    `the pool owes storage. A message below the whole debt would freeze or delete it: send at least ${
      formatNative(minimum)
    }`,
  );
}

async function planThaw(request: RescueRequest): Promise<RescuePlan> {
  const { chain, prices, address: to, deployment, account, years, amount } = request;
  if (deployment === undefined) {
    throw new Problem(
      "rescue_refused",
      "the pool is frozen, and the registry does not list it: name its registry",
    );
  }
  if (account.frozenHash === undefined) {
    throw new Problem(
      "rescue_refused",
      "the pool is frozen, and the endpoint does not report the hash of its state",
    );
  }
  const state = await rebuildState(chain, deployment, account.frozenHash, request);
  if (state === undefined) {
    throw new Problem(
      "rescue_refused",
      "the pool is frozen, and its logs do not give the state whose hash the chain has: " +
        "it has a debt, or the registry names another pool",
    );
  }
  const sender = smallestSender(state);
  const size = storageSize(state);
  const idle = BigInt(Math.max(0, account.syncUtime - state.touched));
  // The chain first deducts the due storage from the value. It is at most the storage since the last deposit or withdrawal.
  const due = prices.storageFee({ ...size, seconds: idle, until: account.syncUtime });
  const perYear = prices.storageFee({ ...size, seconds: SECONDS_PER_YEAR });
  const forwardFee = sender === "helper" ? prices.forwardFee(size) : 0n;
  const minimum = due + MESSAGE_FEE_NANO + forwardFee;
  const value = amount ?? minimum + storageOf(years, perYear);
  assertPaysDebt(value, minimum);
  const { code, data } = state;
  const plan = { kind: "thaw", paidYears: 0, debt: due } as const;
  return sender === "wallet"
    ? { ...plan, message: { to, value, bounce: false, init: { code, data } } }
    : { ...plan, message: { to, value, bounce: false }, largeState: stateInitCell(state) };
}

const storageOf = (years: number, perYear: bigint) => perYear * BigInt(Math.round(years * 100)) / 100n;

const stateInitCell = ({ code, data }: RebuiltState) =>
  beginCell().store(storeStateInit({ code, data })).endCell();

/** Returns which account can send the state. Throws `rescue_refused` if it is too large for any message. */
export function smallestSender(state: RebuiltState): "wallet" | "helper" {
  const bytes = stateInitCell(state).toBoc().length + WALLET_BYTES;
  if (bytes <= MAX_EXTERNAL_MESSAGE_BYTES) return "wallet";
  const cells = uniqueCells([state.code, state.data]);
  const bits = cells.reduce((sum, cell) => sum + cell.bits.length, 0);
  if (cells.length <= MAX_MESSAGE_CELLS && bits <= MAX_MESSAGE_BITS) return "helper";
  throw new Problem(
    "rescue_refused",
    `the pool is frozen, and its state of ${
      state.deposits + state.withdrawals
    } keys takes ${cells.length} cells and ` +
      `${bits} bits. No contract can send it: a message holds ${MAX_MESSAGE_CELLS} cells and ${MAX_MESSAGE_BITS} bits`,
  );
}
