/**
 * Finds a transfer on chain. An advanced seqno does not prove that messages were sent: the wallet skips messages that
 * it cannot pay for, another user of the mnemonic may have used the seqno, and the answer may be false. The wallet's
 * transactions are the proof.
 */
import type { Address, Message } from "@ton/core";
import { loadWithdraw } from "../../core/protocol/messages.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { normalizedMessageHash } from "../../ton/wallet/wallet.ts";
import { MAX_BLOCK_TIME_SKEW_SECONDS } from "../withdrawals/policy.ts";

const PAGE_SIZE = 20;

/** A transfer that is on chain. */
export interface IncludedTransfer {
  /** Query ids of the withdrawals that the wallet sent with it. */
  readonly queryIds: ReadonlySet<bigint>;
  /** Unix seconds of its block. */
  readonly timestamp: number;
  /** Nano: all fees of the wallet's transaction, without the value of its messages. */
  readonly fees: bigint;
}

/**
 * Returns the transfer as the wallet's transactions show it; undefined if it is not on chain.
 * @param transfer its normalised hash, and the earliest signing time (unix seconds)
 * @param newest the wallet's newest transaction from the same answer as its seqno: another answer may come from a
 * node that is behind, and the transfer would be signed a second time
 */
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

/** Adds a message's forward fee, which is separate from its value; the transaction's fees contain its first part. */
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
