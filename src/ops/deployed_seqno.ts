/** Since when a pool stands that was found, and not deployed here. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { CallOptions, Chain, ChainTransaction, TransactionId } from "../ton/chain.ts";

/** Seconds before the first transaction: a shard's block is a little older than the masterchain's that names it. */
const BEFORE = 30;
const PAGE = 100;

/**
 * Masterchain seqno of a block shortly before the account's first transaction.
 *
 * @throws {Problem} `chain_inconsistent` for an account that never had one; what the {@link Chain} throws
 */
export async function seqnoOfFirstTransaction(
  chain: Chain,
  address: Address,
  options?: CallOptions,
): Promise<number> {
  let first: ChainTransaction | undefined;
  let from: TransactionId | null = (await chain.account(address, options)).last ?? null;
  while (from) {
    const page = await chain.transactions(address, { ...options, limit: PAGE, from });
    first = page.at(-1);
    from = first?.prev ?? null;
  }
  if (!first) {
    throw new Problem("chain_inconsistent", `account ${shownAddress(address, chain.network)} has no history`);
  }
  return await chain.masterchainSeqnoAt(first.now - BEFORE, options);
}
