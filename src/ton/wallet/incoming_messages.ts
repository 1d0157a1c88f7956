import type { Address, Message } from "@ton/core";
import type { CallOptions, Chain, TransactionId } from "../chain.ts";

const PAGE_SIZE = 20;

/** Returns the messages to `address` after transaction `after` (default: all), newest first. */
export async function incomingMessagesSince(
  chain: Chain,
  address: Address,
  after: TransactionId | undefined,
  options?: CallOptions,
): Promise<Message[]> {
  const messages: Message[] = [];
  let from = (await chain.account(address, options)).last ?? null;
  while (from && (!after || from.lt > after.lt)) {
    const page = await chain.transactions(address, { ...options, limit: PAGE_SIZE, from });
    for (const { id, raw } of page) {
      if ((!after || id.lt > after.lt) && raw.inMessage) messages.push(raw.inMessage);
    }
    from = page.at(-1)?.prev ?? null;
  }
  return messages;
}
