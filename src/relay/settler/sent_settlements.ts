/** Finds the settlements that an earlier process of this relayer sent. The journal and the wallet's history have them. */
import { type Address, Cell } from "@ton/core";
import { loadSettle } from "../../core/protocol/v2/messages.ts";
import type { PoolId, Store } from "../../store/store.ts";
import type { Chain } from "../../ton/chain.ts";
import { readTransactionsBack } from "../../ton/transaction_history.ts";
import { messagesIn, toInternalMessage } from "../../ton/wallet/message_list.ts";
import { SENT_TIMEOUT_MS, type SentSettlement } from "./settlements.ts";

const PAGE_SIZE = 20;

/** Returns those in the transfer that is in flight, and in the wallet's transactions of its last two minutes. */
export async function findSentSettlements(
  { store, chain, wallet }: {
    readonly store: Pick<Store, "transfer">;
    readonly chain: Pick<Chain, "account" | "transactions">;
    readonly wallet: { readonly address: Address };
  },
  signal: AbortSignal,
): Promise<(SentSettlement & { readonly pool: PoolId })[]> {
  const transfer = await store.transfer(); // read first: later, it can only be in the wallet's history
  const messages = transfer === undefined ? [] : messagesIn(Cell.fromBoc(Buffer.from(transfer.boc))[0]);
  let newest: number | undefined;
  const history = readTransactionsBack(chain, wallet.address, { pageSize: PAGE_SIZE, signal });
  for await (const { raw, now } of history) {
    newest ??= now;
    if (now < newest - SENT_TIMEOUT_MS / 1000) break;
    messages.push(...raw.outMessages.values().flatMap(toInternalMessage));
  }
  return messages.flatMap(({ dest, body }) => {
    const settle = attempt(() => loadSettle(body));
    return settle === undefined
      ? []
      : [{ pool: dest.toRawString(), start: Number(settle.queryId), end: settle.end }];
  });
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
