import type { Chain } from "../../src/ton/chain.ts";
import { isTransferAccepted } from "../../src/ton/wallet/transfer_inclusion.ts";
import type { OutgoingMessage, Wallet } from "../../src/ton/wallet/wallet.ts";

const POLL_INTERVAL_MS = 50;

/** Sends a transfer until the wallet has accepted it. On a slow machine one can expire before it is in a block. */
export async function sendUntilAccepted(
  chain: Chain,
  wallet: Wallet,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  for (let isAccepted = false; !isAccepted;) {
    const transfer = await wallet.send(messages);
    isAccepted = await isTransferAccepted(chain, wallet.address, transfer, {
      pollIntervalMs: POLL_INTERVAL_MS,
    });
  }
}
