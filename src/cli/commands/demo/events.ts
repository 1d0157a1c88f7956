export type DemoAsset = "native" | "jetton";
export const demoPools = ["native-10", "native-10-v2", "jet-10-v2"] as const;
export type DemoPool = (typeof demoPools)[number];

/** Amounts in the asset's smallest unit, refunds and native balances in nano, field elements in hex. */
export type DemoEvent =
  | {
    event: "started";
    indexer: string;
    /** Absent if the demo runs without a relayer's HTTP interface. */
    relayer?: string;
    pool: string;
    asset: string;
    decimals: number;
    denomination: bigint;
    keys: string;
  }
  | {
    event: "deposited";
    leafIndex: number;
    commitment: string;
    root?: string;
    comment?: string; // the text comment of a version 2 deposit
    tx: string;
    milliseconds: number;
  }
  | { event: "settled"; leaves: number; root: string; tx: string; cost: bigint; milliseconds: number }
  | { event: "tree_rebuilt"; leaves: number; root: string; knownToPool: boolean }
  | { event: "proving"; what: string; stage: string; fraction: number }
  | { event: "proved"; publicSignals: readonly string[]; milliseconds: number }
  | { event: "submitted"; seqno: number; fee: bigint; refund: bigint; recipient: string }
  | { event: "confirmed"; tx: string; milliseconds: number }
  | { event: "balances"; accounts: readonly BalanceChange[] }
  | { event: "native_balances"; accounts: readonly BalanceChange[] }
  | { event: "double_spend_refused"; by: "relayer" | "pool"; reason: string }
  | { event: "finished"; milliseconds: number };

export interface BalanceChange {
  readonly account: "recipient" | "relayer" | "pool";
  readonly address: string;
  readonly before: bigint;
  readonly after: bigint;
}
