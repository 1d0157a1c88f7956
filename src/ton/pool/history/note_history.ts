/** Finds a note's events. It reads the whole history, so the endpoint does not learn which note. */
import type { Address } from "@ton/core";
import { V2_POOL_CAPACITY } from "../../../core/protocol/v2/pool_constants.ts";
import type { Chain } from "../../chain.ts";
import type { DepositEvent, WithdrawalEvent } from "./pool_events.ts";
import { type ScanOptions, scanPoolTransactions } from "./scan.ts";

interface NoteHistory {
  readonly deposit?: DepositEvent;
  readonly withdrawal?: WithdrawalEvent;
}

export async function fetchNoteHistory(
  chain: Chain,
  pool: Address,
  { commitment, nullifierHash, leafIndex }: {
    readonly commitment: bigint;
    readonly nullifierHash: bigint;
    /** The leaf of a version 2 note, whose commitment may have several. */
    readonly leafIndex?: number;
  },
  options: Pick<ScanOptions, "after" | "signal" | "onProgress"> = {},
): Promise<NoteHistory> {
  let deposit: DepositEvent | undefined;
  let withdrawal: WithdrawalEvent | undefined;
  for await (
    const { events } of scanPoolTransactions(chain, pool, { ...options, capacity: V2_POOL_CAPACITY })
  ) {
    for (const event of events) {
      if (event.kind === "deposit" && event.commitment === commitment) {
        if (leafIndex === undefined || event.leafIndex === leafIndex) deposit = event;
      }
      if (event.kind === "withdrawal" && event.nullifierHash === nullifierHash) withdrawal = event;
    }
  }
  return { ...deposit && { deposit }, ...withdrawal && { withdrawal } };
}
