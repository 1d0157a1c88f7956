import type { Address, Cell } from "@ton/core";
import { beginBody, opCodes } from "../../src/core/protocol/messages/pool_messages.ts";

export function storeAdmin(op: "admin_pause" | "admin_unpause", queryId = 0n): Cell {
  return beginBody(opCodes[op], queryId).endCell();
}

/** Sends `amount` nano of the pool's surplus to `destination`. */
export function storeRecoverStuck(amount: bigint, destination: Address, queryId = 0n): Cell {
  return beginBody(opCodes.admin_recover_stuck, queryId)
    .storeCoins(amount)
    .storeAddress(destination)
    .endCell();
}
