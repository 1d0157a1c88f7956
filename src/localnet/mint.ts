/** A localnet's first coins. */
import { Address, Cell, type Message } from "@ton/core";

/** Where they come from: the masterchain's address zero, which nobody has a key for. */
export const MINT = new Address(-1, Buffer.alloc(32));

/** An internal message that credits `value` nano to `to`, deployed or not. */
export function coinsFromNowhere(to: Address, value: bigint, createdAt: number): Message {
  return {
    info: {
      type: "internal",
      ihrDisabled: true,
      bounce: false,
      bounced: false,
      src: MINT,
      dest: to,
      value: { coins: value },
      ihrFee: 0n,
      forwardFee: 0n,
      createdLt: 0n,
      createdAt,
    },
    body: Cell.EMPTY,
  };
}
