/** Books the coins that jetton wallets return to the relayer's wallet some blocks after a withdrawal. */
import type { Message } from "@ton/core";
import { opCodes } from "../../core/protocol/messages/pool_messages.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { LedgerEntry, PoolId, Store } from "../../store/store.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Chain, ChainTransaction, TransactionId } from "../../ton/chain.ts";
import { readTransactionsBack } from "../../ton/transaction_history.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { Leadership } from "../operations/leadership.ts";
import { parseQueryIds } from "../wallet/transfer_lookup.ts";

const POLL_MS = 30_000;
const PAGE_SIZE = 40;
/** Number of the wallet's transactions that are read at startup. Coins return within minutes of a withdrawal. */
const START_TRANSACTIONS = 400;
/** Maximum number of withdrawals whose coins may still return. */
const MAX_QUERY_IDS = 5_000;
const EXCESSES_BITS = 32 + 64;

interface ReturnedCoinsDeps {
  readonly chain: Pick<Chain, "account" | "transactions">;
  readonly store: Pick<Store, "cursor" | "apply">;
  readonly wallet: Pick<Wallet, "address">;
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, "isLeader">;
  readonly log: Log;
}

export async function watchReturnedCoins(
  pools: readonly Pick<PoolState, "id" | "deployment">[],
  deps: ReturnedCoinsDeps,
  signal: AbortSignal,
): Promise<void> {
  const jettonPools = pools.filter(({ deployment }) => deployment.asset !== "native").map(({ id }) => id);
  const returned = new ReturnedCoins(new Set(jettonPools), deps);
  while (!signal.aborted && jettonPools.length > 0) {
    await deps.clock.sleep(POLL_MS, signal);
    if (signal.aborted || !deps.leadership.isLeader) continue;
    try {
      await returned.step(signal);
    } catch (error) {
      if (!signal.aborted) {
        deps.log.debug("returned coins are booked later: {error}", { error: String(error) });
      }
    }
  }
}

/** An entry's key is its transaction, so booking one again changes nothing. */
export class ReturnedCoins {
  /** The pools of our withdrawals by query id, oldest first. */
  readonly #poolOfQuery = new Map<bigint, PoolId>();
  #newest: TransactionId | undefined;

  constructor(
    private readonly pools: ReadonlySet<PoolId>,
    private readonly deps: Pick<ReturnedCoinsDeps, "chain" | "store" | "wallet">,
  ) {}

  /** Books coins that returned since the last step. Throws `chain_unavailable`, or if the store cannot be written. */
  async step(signal: AbortSignal): Promise<void> {
    const { chain, wallet } = this.deps;
    const { last } = await chain.account(wallet.address, { signal, lowPriority: true });
    if (!last || last.lt === this.#newest?.lt) return;
    const entries = (await this.#readBack(last, signal)).flatMap((transaction) => this.#bookOne(transaction));
    for (const [pool, ledger] of Map.groupBy(entries, (entry) => entry.pool)) await this.#write(pool, ledger);
    this.#newest = last;
  }

  /** Returns the transactions after the last step, oldest first. */
  async #readBack(last: TransactionId, signal: AbortSignal): Promise<ChainTransaction[]> {
    const { chain, wallet } = this.deps;
    const found: ChainTransaction[] = [];
    const known = this.#newest;
    const options = { from: last, pageSize: PAGE_SIZE, signal, lowPriority: true };
    for await (const transaction of readTransactionsBack(chain, wallet.address, options)) {
      if (known === undefined ? found.length >= START_TRANSACTIONS : transaction.id.lt <= known.lt) break;
      found.push(transaction);
    }
    return found.reverse();
  }

  #bookOne({ id, now, raw: { inMessage, outMessages, totalFees } }: ChainTransaction): LedgerEntry[] {
    for (const message of outMessages.values()) this.#remember(message);
    if (inMessage?.info.type !== "internal") return [];
    const pool = this.#poolOfQuery.get(parseExcesses(inMessage) ?? -1n);
    if (pool === undefined) return [];
    const gas = totalFees.coins - inMessage.info.value.coins;
    const entry = { pool, kind: "transfer", txHash: id.hash, lt: 0n, timestamp: now } as const;
    return [{ ...entry, fee: 0n, gas, refund: 0n }];
  }

  #remember(message: Message): void {
    if (message.info.type !== "internal") return;
    const pool = message.info.dest.toRawString();
    if (!this.pools.has(pool)) return;
    for (const queryId of parseQueryIds(message)) this.#poolOfQuery.set(queryId, pool);
    for (const oldest of this.#poolOfQuery.keys()) {
      if (this.#poolOfQuery.size <= MAX_QUERY_IDS) break;
      this.#poolOfQuery.delete(oldest);
    }
  }

  async #write(pool: PoolId, ledger: LedgerEntry[]): Promise<void> {
    const cursor = await this.deps.store.cursor(pool);
    if (cursor) await this.deps.store.apply({ pool, events: [], from: cursor, to: cursor, ledger }, keepJob);
  }
}

const keepJob = () => undefined;

/** Returns the query id of a TEP-74 `excesses` message. */
function parseExcesses({ body }: Message): bigint | undefined {
  if (body.bits.length !== EXCESSES_BITS) return undefined;
  const slice = body.beginParse();
  return slice.loadUint(32) === opCodes.excesses ? slice.loadUintBig(64) : undefined;
}
