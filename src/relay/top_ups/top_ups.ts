/** Top-ups of pools that are decided and not sent yet. They count only in the term in which they were decided. */
import type { PoolId } from "../../store/store.ts";
import type { NetworkPrices } from "../../ton/network_prices.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { Leadership } from "../operations/leadership.ts";
import type { WalletBalance } from "../wallet/balance.ts";
import { maxTransferFee, messageBytes } from "../wallet/transfer_size.ts";

interface PendingTopUp {
  readonly key: string;
  readonly message: OutgoingMessage;
  readonly term: number;
}

export class TopUps {
  readonly #pending = new Map<PoolId, PendingTopUp>();
  readonly #short = new Set<string>();

  constructor(
    private readonly leadership: Pick<Leadership, "isLeader" | "term">,
    private readonly balance: Pick<WalletBalance, "current" | "thresholds">,
    private readonly prices: { getPrices(): Promise<NetworkPrices> },
  ) {}

  get isEmpty(): boolean {
    return this.#current.length === 0;
  }

  /** Keys of the pools that need more than this relayer adds, in the order in which they were found. */
  get shortPools(): readonly string[] {
    return [...this.#short];
  }

  setShort({ key }: Pick<PoolState, "key">, isShort: boolean): void {
    if (isShort) this.#short.add(key);
    else this.#short.delete(key);
  }

  has({ id }: Pick<PoolState, "id">): boolean {
    return this.#current.some(([pool]) => pool === id);
  }

  /** @param term the term in which the limit was checked */
  add({ id, key, deployment: { address } }: PoolState, value: bigint, term: number): void {
    this.#pending.set(id, { key, term, message: { to: address, value, bounce: false } });
  }

  /**
   * Returns the top-ups that the next transfer carries besides `messages`, and forgets all others. The wallet must be
   * able to pay each without going below its stop balance.
   */
  async take(
    messages: readonly OutgoingMessage[],
    room: { readonly messages: number; readonly bytes: number },
  ): Promise<OutgoingMessage[]> {
    const pending = this.#current;
    this.#pending.clear();
    if (pending.length === 0) return [];
    const prices = await this.prices.getPrices();
    const free = await this.balance.current() - this.balance.thresholds.stop;
    const cost = (list: readonly OutgoingMessage[]) =>
      list.reduce((sum, { value }) => sum + value, maxTransferFee(list, prices));
    let { bytes } = room;
    const taken: OutgoingMessage[] = [];
    for (const [, { key, message }] of pending) {
      bytes -= messageBytes(message);
      if (taken.length >= room.messages || bytes < 0 || cost([...messages, ...taken, message]) > free) {
        this.#short.add(key);
        continue;
      }
      taken.push(message);
    }
    return taken;
  }

  get #current(): [PoolId, PendingTopUp][] {
    const { isLeader, term } = this.leadership;
    return isLeader ? [...this.#pending].filter(([, pending]) => pending.term === term) : [];
  }
}
