/** Storage of an account, counted like the chain: each distinct cell once. */
import type { Address, Cell, TransactionDescription } from "@ton/core";
import { Problem } from "../core/errors/problem.ts";
import { formatAddress } from "../core/text/address_format.ts";
import type { AccountInfo, CallOptions, Chain } from "./chain.ts";
import type { NetworkPrices } from "./network_prices.ts";

export function uniqueCells(roots: readonly Cell[]): Cell[] {
  const found = new Map<string, Cell>();
  const open = [...roots];
  for (let cell = open.pop(); cell; cell = open.pop()) {
    const hash = cell.hash().toString("hex");
    if (found.has(hash)) continue;
    found.set(hash, cell);
    open.push(...cell.refs);
  }
  return [...found.values()];
}

/** Upper bound for the bits of an account's own cell: balance, lt and flags. */
const ACCOUNT_BITS = 300;

/** A Julian year. */
export const SECONDS_PER_YEAR = 31_557_600n;

export function storageSize(state: { code: Cell; data: Cell }): { cells: bigint; bits: bigint } {
  const cells = uniqueCells([state.code, state.data]);
  const bits = cells.reduce((sum, cell) => sum + cell.bits.length, ACCOUNT_BITS);
  return { cells: BigInt(cells.length + 1), bits: BigInt(bits) };
}

/** What an active account costs and owes, in nano. */
export interface StorageBill {
  readonly balance: bigint;
  readonly perYear: bigint;
  /** Time since the account's last transaction, which collected what was due before. */
  readonly idleSeconds: bigint;
  /** What the last transaction left unpaid, which the chain recorded (`due_payment`). */
  readonly recorded: bigint;
  /** The storage since then, and what was recorded. */
  readonly due: bigint;
  /** What is due beyond the balance. */
  readonly debt: bigint;
  /** The years that the rest of the balance pays; 0 for an account with a debt. */
  readonly runwayYears: number;
}

/** Throws `chain_unavailable` or `chain_inconsistent`, also if the endpoint does not have the last transaction. */
export async function fetchStorageBill(
  chain: Pick<Chain, "network" | "transactions">,
  { address, account, code, data, prices }: {
    readonly address: Address;
    readonly account: Pick<AccountInfo, "balance" | "last" | "syncUtime">;
    readonly code: Cell;
    readonly data: Cell;
    readonly prices: NetworkPrices;
  },
  options?: CallOptions,
): Promise<StorageBill> {
  const { balance, last, syncUtime } = account;
  const newest = last && (await chain.transactions(address, { ...options, limit: 1, from: last }))[0];
  if (newest === undefined) {
    throw new Problem(
      "chain_inconsistent",
      `the endpoint does not have the last transaction of ${formatAddress(address, chain.network)}, ` +
        "from which its storage is due",
    );
  }
  const size = storageSize({ code, data });
  const idleSeconds = BigInt(Math.max(0, syncUtime - newest.now));
  const recorded = recordedDebt(newest.raw.description);
  const due = recorded + prices.storageFee({ ...size, seconds: idleSeconds, until: syncUtime });
  const perYear = prices.storageFee({ ...size, seconds: SECONDS_PER_YEAR });
  const rest = balance - due;
  return {
    balance,
    perYear,
    idleSeconds,
    recorded,
    due,
    debt: rest < 0n ? -rest : 0n,
    runwayYears: storageYears(rest, perYear),
  };
}

/**
 * Only the storage phase changes `due_payment`, so its `storage_fees_due` is what the account owes afterwards
 * (ton-blockchain/ton, crypto/block/transaction.cpp, `prepare_storage_phase`).
 */
function recordedDebt(description: TransactionDescription): bigint {
  return "storagePhase" in description ? description.storagePhase?.storageFeesDue ?? 0n : 0n;
}

/** Returns the years of storage that an amount pays, rounded down to hundredths; Infinity if storage is free. */
export function storageYears(nano: bigint, perYear: bigint): number {
  if (perYear === 0n) return Infinity;
  return nano > 0n ? Number(nano * 100n / perYear) / 100 : 0;
}
