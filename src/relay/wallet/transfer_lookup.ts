// Reads from the wallet's transaction what a transfer did: the wallet skips messages that it cannot pay for.
import type { Address, Message } from "@ton/core";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import { v2OpCodes } from "../../core/protocol/v2/messages.ts";
import type { PoolId } from "../../store/store.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { toInternalMessage } from "../../ton/wallet/message_list.ts";
import { findTransfer } from "../../ton/wallet/transfer_inclusion.ts";
import { parseTopUp, type SentTopUp } from "../top_ups/top_up_policy.ts";

const WITHDRAWAL_OPS: readonly number[] = [opCodes.withdraw, v2OpCodes.withdraw2, v2OpCodes.withdraw_many];
const OP_BITS = 32;
const QUERY_ID_BITS = 64;

export interface IncludedTransfer {
  readonly queryIds: ReadonlySet<bigint>;
  readonly timestamp: number; // the block's time in Unix seconds
  /** In nano: all fees of the wallet's transaction, without the value of its messages. */
  readonly fees: bigint;
  readonly recipients: readonly PoolId[];
  readonly topUps: readonly SentTopUp[];
  readonly txHash: string;
}

/** `newest` must come from the same response as the seqno, or a transfer could be signed twice. */
export async function findIncludedTransfer(
  chain: Chain,
  wallet: Address,
  transfer: { readonly hash: string; readonly since: number },
  newest: TransactionId | undefined,
  signal: AbortSignal,
): Promise<IncludedTransfer | undefined> {
  const found = await findTransfer(chain, wallet, transfer, { from: newest, signal });
  if (found === undefined) return undefined;
  const sent = found.raw.outMessages.values();
  return {
    timestamp: found.now,
    queryIds: new Set(sent.flatMap(parseQueryIds)),
    fees: sent.reduce(addForwardFee, found.raw.totalFees.coins),
    topUps: sent.flatMap(toInternalMessage).flatMap(parseTopUp),
    txHash: found.id.hash,
    recipients: sent.flatMap(({ info }) => info.type === "internal" ? [info.dest.toRawString()] : []),
  };
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
