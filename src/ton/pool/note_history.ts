/** Finds a note's events. It reads the whole history, so the endpoint does not learn which note. */
import type { Address } from "@ton/core";
import type { Chain } from "../chain.ts";
import type { DepositEvent, WithdrawalEvent } from "./pool_events.ts";
import { type ScanOptions, scanPoolTransactions } from "./scan.ts";

export interface NoteHistory {
  readonly deposit?: DepositEvent;
  readonly withdrawal?: WithdrawalEvent;
}

export async function fetchNoteHistory(
  chain: Chain,
  pool: Address,
  { commitment, nullifierHash }: { readonly commitment: bigint; readonly nullifierHash: bigint },
  options: Pick<ScanOptions, "after" | "signal" | "onProgress"> = {},
): Promise<NoteHistory> {
  let deposit: DepositEvent | undefined;
  let withdrawal: WithdrawalEvent | undefined;
  for await (const { events } of scanPoolTransactions(chain, pool, options)) {
    for (const event of events) {
      if (event.kind === "deposit" && event.commitment === commitment) deposit = event;
      if (event.kind === "withdrawal" && event.nullifierHash === nullifierHash) withdrawal = event;
    }
  }
  return { ...deposit && { deposit }, ...withdrawal && { withdrawal } };
}
