/**
 * A relayer with a wallet, chain and clock that a test controls. Time passes only while the broadcaster
 * waits.
 */
import { Address, beginCell, type Cell, TupleReader } from "@ton/core";
import { Problem } from "../../src/core/errors/problem.ts";
import { opCodes } from "../../src/core/protocol/messages/pool_messages.ts";
import type { Clock } from "../../src/core/time/clock.ts";
import { ChangeSignal } from "../../src/relay/change_signal.ts";
import type { PoolState } from "../../src/relay/indexer/pool_state.ts";
import { getPollingIntervals } from "../../src/relay/polling_intervals.ts";
import type { Settlements } from "../../src/relay/settler/settlements.ts";
import { runBroadcaster } from "../../src/relay/wallet/broadcaster.ts";
import type { WalletMonitor } from "../../src/relay/wallet/wallet_monitor.ts";
import type { Job, JobId, Store, Transfer } from "../../src/store/store.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import type { Chain, ChainTransaction } from "../../src/ton/chain.ts";
import { normalizedMessageHash, type OutgoingMessage, type Wallet } from "../../src/ton/wallet/wallet.ts";
import { int } from "../simulation/scripted_chain.ts";
import { internalMessage, transactionOf } from "../simulation/transactions.ts";
import { memoryStore } from "./memory_store.ts";

export const START_MS = 1_700_000_000_000;
const relayer = new Address(0, Buffer.alloc(32, 2));
export const poolAddress = new Address(0, Buffer.alloc(32, 7));
export const poolId = poolAddress.toRawString();
export const intervals = getPollingIntervals("testnet", { requestsPerSecond: 10, pools: 1 });
export const job = (n: number): Job => ({
  pool: poolId,
  nullifierHash: BigInt(n),
  state: "accepted",
  queryId: BigInt(100 + n),
  root: 7n,
  fee: 1n,
  refund: 0n,
  failures: 0,
  acceptedAt: START_MS,
  message: { recipient: relayer.toRawString(), proof: beginCell().endCell().toBoc().toString("base64") },
});
export const ids = (...ns: number[]): JobId[] => ns.map((n) => ({ pool: poolId, nullifierHash: BigInt(n) }));

interface ScenePool {
  ready: boolean;
  isNearFreezing: boolean;
  payoutRoom: number;
  root: bigint;
  syncedAt: number;
}

export class BroadcasterScene {
  now = START_MS;
  seqno = 5;
  isLeader = true;
  quote: bigint | undefined = 100_000_000n;
  readonly pool: ScenePool = {
    ready: true,
    isNearFreezing: false,
    payoutRoom: 128,
    root: 7n,
    syncedAt: START_MS,
  };
  readonly store: Store;
  /** The sends, with the time in milliseconds since the start. */
  readonly sends: { readonly at: number; readonly hash: string }[] = [];
  readonly signed: {
    readonly seqno: number;
    readonly messages: readonly OutgoingMessage[];
    readonly body: Cell;
  }[] = [];
  readonly transfers: Transfer[] = [];
  observations = 0;
  lookups = 0;
  settlements: Settlements | undefined;
  readonly #history: ChainTransaction[] = [];
  readonly #due: { readonly at: number; readonly act: () => unknown }[] = [];
  readonly #end = new AbortController();

  constructor(isShared = false) {
    this.store = memoryStore({ now: () => this.now, shared: isShared })();
    const begin = this.store.beginTransfer;
    this.store.beginTransfer = async (transfer) => {
      await begin.call(this.store, transfer);
      this.transfers.push(transfer);
    };
  }

  get elapsed(): number {
    return this.now - START_MS;
  }

  at(ms: number, act: () => unknown): void {
    this.#due.push({ at: ms, act });
  }

  /** Runs the broadcaster until `ms` after the start. */
  async run(ms: number): Promise<void> {
    this.at(ms, () => this.#end.abort());
    const clock: Clock = { now: () => this.now, sleep: (ms, signal) => this.#sleep(ms, signal) };
    const pool = {
      id: poolId,
      key: "native-10",
      deployment: { address: poolAddress },
      settledPool: undefined,
      readiness: () => ({ ready: this.pool.ready }),
      rootPlacesLeft: (root: bigint) => root === this.pool.root ? 5 : 0,
    };
    const properties = Object.getOwnPropertyDescriptors({
      get payoutRoom() {
        return payoutRoom();
      },
      get isNearFreezing() {
        return isNearFreezing();
      },
      get syncedAt() {
        return syncedAt();
      },
    });
    const [payoutRoom, syncedAt] = [() => this.pool.payoutRoom, () => this.pool.syncedAt];
    const isNearFreezing = () => this.pool.isNearFreezing;
    await runBroadcaster({
      chain: this.#chain(),
      store: this.store,
      wallet: this.#wallet(),
      clock,
      intervals,
      changes: new ChangeSignal(),
      walletMonitor: { observe: () => Promise.resolve(this.#observe()) } as unknown as WalletMonitor,
      pools: new Map([[poolId, Object.defineProperties(pool, properties) as unknown as PoolState]]),
      leadership: Object.defineProperty({ isLeader: true }, "isLeader", { get: () => this.isLeader }),
      batchMs: 0,
      log: rootLog(),
      ...this.settlements && { settlements: this.settlements },
    }, this.#end.signal);
  }

  /** Includes the n-th transfer in the chain. Its messages with these query ids leave the wallet. */
  include(n: number, queryIds: readonly bigint[]): void {
    const lt = BigInt(1_000 * (this.#history.length + 1));
    const time = Math.floor(this.now / 1000);
    this.#history.push(transactionOf({
      account: relayer,
      lt,
      now: time,
      exitCode: 0,
      prev: this.#history.at(-1)?.id ?? null,
      inMessage: { info: { type: "external-in", dest: relayer, importFee: 0n }, body: this.signed[n].body },
      outMessages: queryIds.map((queryId) => {
        const body = beginCell().storeUint(opCodes.withdraw, 32).storeUint(queryId, 64).endCell();
        return internalMessage({ src: relayer, dest: poolAddress, value: 1n, lt: lt + 1n, now: time, body });
      }),
    }));
    this.seqno++;
  }

  /** Uses the wallet for another transfer. */
  useElsewhere(): void {
    const lt = BigInt(1_000 * (this.#history.length + 1));
    const time = Math.floor(this.now / 1000);
    const body = beginCell().storeUint(1, 8).endCell();
    this.#history.push(transactionOf({
      account: relayer,
      lt,
      now: time,
      exitCode: 0,
      prev: this.#history.at(-1)?.id ?? null,
      inMessage: { info: { type: "external-in", dest: relayer, importFee: 0n }, body },
      outMessages: [],
    }));
    this.seqno++;
  }

  async #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0)); // work that does not wait runs first
    if (signal?.aborted) return;
    this.now += Math.max(ms, 1);
    for (const due of this.#due.filter(({ at }) => at <= this.elapsed)) {
      this.#due.splice(this.#due.indexOf(due), 1);
      await due.act();
    }
  }

  #observe() {
    this.observations++;
    const time = Math.floor(this.now / 1000);
    const last = this.#history.at(-1)?.id;
    return {
      seqno: this.seqno,
      now: time,
      elapsedUntil: time,
      maxPlausibleTime: time + 240,
      ...last && { last },
    };
  }

  #chain(): Chain {
    return {
      send: () => {
        this.sends.push({ at: this.elapsed, hash: this.transfers.at(-1)!.hash });
        return Promise.resolve();
      },
      transactions: () => {
        this.lookups++;
        return Promise.resolve(this.#history.toReversed());
      },
      runGetMethod: () =>
        this.quote === undefined
          ? Promise.reject(new Problem("chain_unavailable"))
          : Promise.resolve(new TupleReader([int(this.quote)])),
    } as unknown as Chain;
  }

  #wallet(): Wallet {
    return {
      address: relayer,
      maxMessages: 4,
      sign: (
        { seqno, validUntil, messages }: { seqno: number; validUntil: number; messages: OutgoingMessage[] },
      ) => {
        const body = beginCell().storeUint(seqno, 32).storeUint(this.signed.length, 32).endCell();
        this.signed.push({ seqno, messages, body });
        const hash = normalizedMessageHash(relayer, body);
        return { message: body, hash, validUntil };
      },
    } as unknown as Wallet;
  }
}
