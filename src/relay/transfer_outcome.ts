/**
 * What became of a transfer whose seqno is used up. A moved seqno does not mean sent: a message that the wallet could
 * not pay for is skipped, and the seqno may have been used by the same mnemonic elsewhere. The wallet's own transactions
 * tell.
 */
import type { Address, Message } from "@ton/core";
import { loadWithdraw } from "../core/messages.ts";
import type { Transfer } from "../store/store.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { normalizedHash } from "../ton/wallet.ts";
import { CLOCK_SKEW } from "./terms.ts";

const PAGE = 20;

/**
 * Query ids of the withdrawals that left the wallet with `transfer`; empty when the transfer was never included.
 *
 * @param newest the wallet's newest transaction in the very answer that showed a seqno above the transfer's: another
 *   answer may come from a node that is behind, and a transfer that it does not know yet would be signed a second time
 */
export async function sentQueryIds(
  chain: Chain,
  wallet: Address,
  transfer: Transfer,
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<Set<bigint>> {
  let from: TransactionId | undefined | null = newest;
  while (from) {
    const page = await chain.transactions(wallet, { limit: PAGE, from, signal });
    for (const { raw, now } of page) {
      if (now < transfer.signedAt - CLOCK_SKEW) return new Set();
      const { inMessage } = raw;
      if (inMessage?.info.type !== "external-in") continue;
      if (normalizedHash(wallet, inMessage.body) !== transfer.hash) continue;
      return new Set([...raw.outMessages.values()].flatMap(queryIdOf));
    }
    from = page.at(-1)?.prev;
  }
  return new Set();
}

function queryIdOf({ body }: Message): bigint[] {
  try {
    return [loadWithdraw(body).queryId];
  } catch {
    return []; // not one of our withdrawals
  }
}
