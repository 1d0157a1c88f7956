// A higher seqno does not prove that messages were sent: the wallet skips those it cannot pay for, the
// mnemonic may be used elsewhere, and the response may be false. The wallet's transactions are the proof.
import type { Address, Message } from "@ton/core";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { v2OpCodes } from "../../core/protocol/v2/messages.ts";
import type { PoolId } from "../../store/store.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { readTransactionsBack } from "../../ton/transaction_history.ts";
import { normalizedMessageHash } from "../../ton/wallet/wallet.ts";
import { MAX_BLOCK_TIME_SKEW_SECONDS } from "../withdrawals/policy.ts";

const PAGE_SIZE = 20;
const WITHDRAWAL_OPS: readonly number[] = [opCodes.withdraw, v2OpCodes.withdraw2, v2OpCodes.withdraw_many];
const OP_BITS = 32;
const QUERY_ID_BITS = 64;

export interface IncludedTransfer {
  readonly queryIds: ReadonlySet<bigint>;
  readonly timestamp: number; // the block's time in Unix seconds
  /** In nano: all fees of the wallet's transaction, without the value of its messages. */
  readonly fees: bigint;
  readonly recipients: readonly PoolId[];
}

/** `newest` must come from the same response as the seqno, or a transfer could be signed twice. */
export async function findIncludedTransfer(
  chain: Chain,
  wallet: Address,
  transfer: { readonly hash: string; readonly since: number },
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<IncludedTransfer | undefined> {
  if (newest === undefined) return undefined;
  const history = readTransactionsBack(chain, wallet, { from: newest, pageSize: PAGE_SIZE, signal });
  for await (const { raw, now } of history) {
    if (now < transfer.since - MAX_BLOCK_TIME_SKEW_SECONDS) return undefined;
    const { inMessage } = raw;
    if (inMessage?.info.type !== "external-in") continue;
    if (normalizedMessageHash(wallet, inMessage.body) !== transfer.hash) continue;
    const sent = raw.outMessages.values();
    return {
      timestamp: now,
      queryIds: new Set(sent.flatMap(parseQueryIds)),
      fees: sent.reduce(addForwardFee, raw.totalFees.coins),
      recipients: sent.flatMap(({ info }) => info.type === "internal" ? [info.dest.toRawString()] : []),
    };
  }
  return undefined;
}

/** A forward fee is separate from the message's value; the transaction's fees contain its first part. */
function addForwardFee(fees: bigint, { info }: Message): bigint {
  return info.type === "internal" ? fees + info.forwardFee : fees;
}

/** Returns the query ids of the withdrawals in a message of ours. Every body begins with op and query id. */
export function parseQueryIds({ body }: Message): bigint[] {
  const slice = body.beginParse();
  if (slice.remainingBits < OP_BITS + QUERY_ID_BITS) return [];
  return WITHDRAWAL_OPS.includes(slice.loadUint(OP_BITS)) ? [slice.loadUintBig(QUERY_ID_BITS)] : [];
}
