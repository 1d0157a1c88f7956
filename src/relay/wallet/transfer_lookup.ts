// A higher seqno does not prove that messages were sent: the wallet skips those it cannot pay for, the
// mnemonic may be used elsewhere, and the response may be false. The wallet's transactions are the proof.
import type { Address, Message } from "@ton/core";
import { loadWithdraw } from "../../core/protocol/messages.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { normalizedMessageHash } from "../../ton/wallet/wallet.ts";
import { MAX_BLOCK_TIME_SKEW_SECONDS } from "../withdrawals/policy.ts";

const PAGE_SIZE = 20;

export interface IncludedTransfer {
  /** Of the withdrawals that the wallet sent with it. */
  readonly queryIds: ReadonlySet<bigint>;
  /** The block's time in Unix seconds. */
  readonly timestamp: number;
  /** In nano: all fees of the wallet's transaction, without the value of its messages. */
  readonly fees: bigint;
}

/** `newest` must come from the same response as the seqno, or a transfer could be signed twice. */
export async function findIncludedTransfer(
  chain: Chain,
  wallet: Address,
  transfer: { readonly hash: string; readonly since: number },
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<IncludedTransfer | undefined> {
  let from: TransactionId | undefined | null = newest;
  while (from) {
    const page = await chain.transactions(wallet, { limit: PAGE_SIZE, from, signal });
    for (const { raw, now } of page) {
      if (now < transfer.since - MAX_BLOCK_TIME_SKEW_SECONDS) return undefined;
      const { inMessage } = raw;
      if (inMessage?.info.type !== "external-in") continue;
      if (normalizedMessageHash(wallet, inMessage.body) !== transfer.hash) continue;
      const sent = raw.outMessages.values();
      return {
        timestamp: now,
        queryIds: new Set(sent.flatMap(parseQueryIds)),
        fees: sent.reduce(addForwardFee, raw.totalFees.coins),
      };
    }
    from = page.at(-1)?.prev;
  }
  return undefined;
}

/** A forward fee is separate from the message's value; the transaction's fees contain its first part. */
function addForwardFee(fees: bigint, { info }: Message): bigint {
  return info.type === "internal" ? fees + info.forwardFee : fees;
}

function parseQueryIds({ body }: Message): bigint[] {
  try {
    return [loadWithdraw(body).queryId];
  } catch {
    return []; // not one of our withdrawals
  }
}
