import type { Address, Message } from "@ton/core";
import type { CallOptions, Chain, TransactionId } from "../chain.ts";
import { readTransactionsBack } from "../transaction_history.ts";

const PAGE_SIZE = 20;

/** Returns the messages to `address` after transaction `after` (default: all), newest first. */
export async function incomingMessagesSince(
  chain: Chain,
  address: Address,
  after: TransactionId | undefined,
  options?: CallOptions,
): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const { id, raw } of readTransactionsBack(chain, address, { ...options, pageSize: PAGE_SIZE })) {
    if (after && id.lt <= after.lt) break;
    if (raw.inMessage) messages.push(raw.inMessage);
  }
  return messages;
}
