/**
 * What became of a transfer. A moved seqno does not mean sent: a message that the wallet could not pay for is skipped,
 * the seqno may have been used by the same mnemonic elsewhere, and the answer may be untrue. The wallet's own
 * transactions tell.
 */
import type { Address, Message } from "@ton/core";
import { loadWithdraw } from "../core/messages.ts";
import type { Chain, TransactionId } from "../ton/chain.ts";
import { normalizedHash } from "../ton/wallet.ts";
import { CLOCK_SKEW } from "./terms.ts";

const PAGE = 20;

/**
 * Query ids of the withdrawals that left the wallet with a transfer; undefined when it is not on chain.
 *
 * @param transfer its normalised hash, and a time (unix seconds) before which it was not signed
 * @param newest the wallet's newest transaction in the very answer that showed how far the wallet is: another answer may
 *   come from a node that is behind, and a transfer that it does not know yet would be signed a second time
 */
export async function sentQueryIds(
  chain: Chain,
  wallet: Address,
  transfer: { readonly hash: string; readonly since: number },
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<Set<bigint> | undefined> {
  let from: TransactionId | undefined | null = newest;
  while (from) {
    const page = await chain.transactions(wallet, { limit: PAGE, from, signal });
    for (const { raw, now } of page) {
      if (now < transfer.since - CLOCK_SKEW) return undefined;
      const { inMessage } = raw;
      if (inMessage?.info.type !== "external-in") continue;
      if (normalizedHash(wallet, inMessage.body) !== transfer.hash) continue;
      return new Set([...raw.outMessages.values()].flatMap(queryIdOf));
    }
    from = page.at(-1)?.prev;
  }
  return undefined;
}

function queryIdOf({ body }: Message): bigint[] {
  try {
    return [loadWithdraw(body).queryId];
  } catch {
    return []; // not one of our withdrawals
  }
}
