/** How many bytes the messages of a transfer may have, and what the transfer costs at most. */
import { SECONDS_PER_YEAR, uniqueCells } from "../../ton/account_storage.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";

/** All messages of a transfer. An external message has 64 KiB; the rest is for the signature and the wallet's code. */
const MAX_TRANSFER_BYTES = 64_000;
/** The withdrawals of a transfer. The rest is for settlements, so that withdrawals cannot delay them. */
export const MAX_WITHDRAWAL_BYTES = 60_500;
/** What a message needs besides its body: addresses, value, and the wallet's action that sends it. */
const ENVELOPE_BYTES = 75;

/** The wallet's code and the signature, also in its first transfer, and its account. A test checks these bounds. */
const WALLET_SIZE = { cells: 40n, bits: 16_384n };
const WALLET_GAS = 10_000n;
const MESSAGE_GAS = 1_500n;
/** What a message adds to a transfer besides its body: the action and the message's own cell. */
const ENVELOPE_SIZE = { cells: 2n, bits: 2n * 1023n };

/**
 * Returns what the wallet pays for a transfer besides the values, at most, in nano. The network charges for the size of
 * each message twice: in the transfer, and when the wallet sends it.
 */
export function maxTransferFee(messages: readonly OutgoingMessage[], prices: NetworkPrices): bigint {
  const gas = WALLET_GAS + MESSAGE_GAS * BigInt(messages.length);
  let fee = prices.gasFee(gas) + prices.storageFee({ ...WALLET_SIZE, seconds: SECONDS_PER_YEAR });
  let { cells, bits } = WALLET_SIZE;
  for (const { body } of messages) {
    const bodyCells = body ? uniqueCells([body]) : [];
    const size = {
      cells: BigInt(bodyCells.length),
      bits: BigInt(bodyCells.reduce((sum, cell) => sum + cell.bits.length, 0)),
    };
    fee += prices.forwardFee(size);
    cells += size.cells + ENVELOPE_SIZE.cells;
    bits += size.bits + ENVELOPE_SIZE.bits;
  }
  return fee + prices.forwardFee({ cells, bits });
}

/** Returns how many bytes a message adds to a transfer, at most. */
export function messageBytes({ body }: OutgoingMessage): number {
  return ENVELOPE_BYTES + (body?.toBoc().length ?? 0);
}

/** What a transfer with these messages has left for others: settlements, and then top-ups. */
export function roomAfter(
  messages: readonly OutgoingMessage[],
  { maxMessages }: Pick<Wallet, "maxMessages">,
): { readonly messages: number; readonly bytes: number } {
  return {
    messages: maxMessages - messages.length,
    bytes: messages.reduce((left, message) => left - messageBytes(message), MAX_TRANSFER_BYTES),
  };
}
