/** What a pool's own logs tell of one note. The whole history is read, so that nobody learns which note is of interest. */
import type { Address } from "@ton/core";
import type { Chain } from "./chain.ts";
import type { DepositEvent, WithdrawalEvent } from "./pool_event.ts";
import { type ScanOptions, scanPoolTransactions } from "./scan.ts";

/** Its two events; each absent until it happened. */
export interface NoteHistory {
  readonly deposit?: DepositEvent;
  readonly withdrawal?: WithdrawalEvent;
}

/** Finds them, or with `after` those that came later. Throws what {@linkcode scanPoolTransactions} throws. */
export async function noteHistory(
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
