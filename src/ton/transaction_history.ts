import type { Address } from "@ton/core";
import type { CallOptions, Chain, ChainTransaction, TransactionId } from "./chain.ts";

/** Yields an account's transactions, newest first, from `from` (inclusive; default: the newest) to the first. */
export async function* readTransactionsBack(
  chain: Pick<Chain, "account" | "transactions">,
  address: Address,
  { from, pageSize, ...options }: CallOptions & {
    readonly from?: TransactionId | undefined;
    readonly pageSize: number;
  },
): AsyncGenerator<ChainTransaction, void, undefined> {
  let next: TransactionId | null = from ?? (await chain.account(address, options)).last ?? null;
  while (next) {
    const page: ChainTransaction[] = await chain.transactions(address, {
      ...options,
      limit: pageSize,
      from: next,
    });
    yield* page;
    next = page.at(-1)?.prev ?? null;
  }
}
