import { Address, Cell, type Message } from "@ton/core";

/** Address zero of the masterchain, which has no key. */
export const MINT_ADDRESS = new Address(-1, Buffer.alloc(32));

export function coinMintMessage(to: Address, value: bigint, createdAt: number): Message {
  return {
    info: {
      type: "internal",
      ihrDisabled: true,
      bounce: false,
      bounced: false,
      src: MINT_ADDRESS,
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
