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

const PAGE = 20;

/**
 * Query ids of the withdrawals that left the wallet with `transfer`; empty when the transfer was never included.
 * The endpoint must know a seqno above the transfer's already.
 */
export async function sentQueryIds(
  chain: Chain,
  wallet: Address,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<Set<bigint>> {
  // From the account's newest transaction, so that a page that lags behind the seqno is noticed, not believed.
  let from: TransactionId | undefined | null = (await chain.account(wallet, { signal })).last;
  while (from) {
    const page = await chain.transactions(wallet, { limit: PAGE, from, signal });
    for (const { raw, now } of page) {
      if (now < transfer.signedAt) return new Set();
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
