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

/** A transfer that is on chain. */
export interface SentTransfer {
  /** Of the withdrawals that left the wallet with it. */
  readonly queryIds: ReadonlySet<bigint>;
  /** Nano that the wallet paid for sending it: all fees of its transaction, not what the messages carry. */
  readonly fees: bigint;
}

/**
 * A transfer as the wallet's transactions show it; undefined when it is not on chain.
 *
 * @param transfer its normalised hash, and a time (unix seconds) before which it was not signed
 * @param newest the wallet's newest transaction in the very answer that showed how far the wallet is: another answer may
 *   come from a node that is behind, and a transfer that it does not know yet would be signed a second time
 */
export async function sentTransfer(
  chain: Chain,
  wallet: Address,
  transfer: { readonly hash: string; readonly since: number },
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<SentTransfer | undefined> {
  let from: TransactionId | undefined | null = newest;
  while (from) {
    const page = await chain.transactions(wallet, { limit: PAGE, from, signal });
    for (const { raw, now } of page) {
      if (now < transfer.since - CLOCK_SKEW) return undefined;
      const { inMessage } = raw;
      if (inMessage?.info.type !== "external-in") continue;
      if (normalizedHash(wallet, inMessage.body) !== transfer.hash) continue;
      const sent = raw.outMessages.values();
      return {
        queryIds: new Set(sent.flatMap(queryIdOf)),
        fees: sent.reduce(addForwardFee, raw.totalFees.coins),
      };
    }
    from = page.at(-1)?.prev;
  }
  return undefined;
}

/** A message carries its forward fee apart from its value; the first part of it is among the transaction's fees. */
function addForwardFee(fees: bigint, { info }: Message): bigint {
  return info.type === "internal" ? fees + info.forwardFee : fees;
}

function queryIdOf({ body }: Message): bigint[] {
  try {
    return [loadWithdraw(body).queryId];
  } catch {
    return []; // not one of our withdrawals
  }
}
