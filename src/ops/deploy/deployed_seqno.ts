import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import type { CallOptions, Chain, ChainTransaction } from "../../ton/chain.ts";
import { readTransactionsBack } from "../../ton/transaction_history.ts";

/** A shard block is slightly older than the masterchain block that names it. */
const SAFETY_MARGIN_SECONDS = 30;
const PAGE_SIZE = 100;

/** Returns a masterchain seqno before the first transaction. Throws `chain_inconsistent` without one. */
export async function seqnoOfFirstTransaction(
  chain: Chain,
  address: Address,
  options?: CallOptions,
): Promise<number> {
  let first: ChainTransaction | undefined;
  const history = readTransactionsBack(chain, address, { ...options, pageSize: PAGE_SIZE });
  for await (const transaction of history) first = transaction;
  if (!first) {
    throw new Problem(
      "chain_inconsistent",
      `account ${formatAddress(address, chain.network)} has no history`,
    );
  }
  return await chain.masterchainSeqnoAt(first.now - SAFETY_MARGIN_SECONDS, options);
}
