/** How many bytes the messages of a transfer may have, so that the network accepts the transfer. */
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";

/** All messages of a transfer. An external message has 64 KiB; the rest is for the signature and the wallet's code. */
const MAX_TRANSFER_BYTES = 64_000;
/** The withdrawals of a transfer. The rest is for settlements, so that withdrawals cannot delay them. */
export const MAX_WITHDRAWAL_BYTES = 60_500;
/** What a message needs besides its body: addresses, value, and the wallet's action that sends it. */
const ENVELOPE_BYTES = 75;

/** Returns how many bytes a message adds to a transfer, at most. */
export function messageBytes({ body }: OutgoingMessage): number {
  return ENVELOPE_BYTES + (body?.toBoc().length ?? 0);
}

/** What a transfer with these withdrawals has left for settlements. */
export function roomForSettlements(
  withdrawals: readonly OutgoingMessage[],
  { maxMessages }: Pick<Wallet, "maxMessages">,
): { readonly messages: number; readonly bytes: number } {
  return {
    messages: maxMessages - withdrawals.length,
    bytes: withdrawals.reduce((left, message) => left - messageBytes(message), MAX_TRANSFER_BYTES),
  };
}
