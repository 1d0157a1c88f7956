/** Payouts of a jetton pool, and the bounce with which its wallet refuses one. */
import { Address, beginCell, type Cell, toNano } from "@ton/core";
import { storeJettonTransfer } from "../../src/core/protocol/messages/jetton_messages.ts";

/** Returns the body of a jetton transfer as the pool sends it. */
export const payout = (destination: Address, amount: bigint) =>
  storeJettonTransfer({
    queryId: 1n,
    amount,
    destination,
    responseDestination: new Address(0, Buffer.alloc(32, 6)),
    forwardAmount: 0n,
    forwardPayload: null,
  });

/** Returns the body of a rich bounce of `original`. */
export function bounce(original: Cell, { prefix = 0xfffffffe, lt = 12345n } = {}): Cell {
  const info = beginCell().storeCoins(toNano("0.1")).storeBit(0).storeUint(lt, 64).storeUint(0, 32).endCell();
  return beginCell().storeUint(prefix, 32).storeRef(original).storeRef(info).storeUint(0, 8).storeInt(48, 32)
    .storeBit(1).storeUint(1000, 32).storeUint(10, 32).endCell();
}
