/** A jetton pool on a scripted chain, and relayers with real stores that may top it up. */
import { Address, beginCell, Cell, Dictionary } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import { slice } from "../../../testkit/simulation/scripted_chain.ts";
import {
  jettonMaster,
  jettonWalletOf,
  NO_ADDRESS,
  poolAddress,
  ScriptedPool,
  testAddress,
} from "../../../testkit/simulation/scripted_pool.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import type { Deployment } from "../../../src/core/protocol/deployments.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import type { Store } from "../../../src/store/store.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import type { AccountInfo, Chain } from "../../../src/ton/chain.ts";
import { fetchNetworkPrices } from "../../../src/ton/network_prices.ts";
import { openWallet, type OutgoingMessage } from "../../../src/ton/wallet/wallet.ts";
import { ChangeSignal } from "../../../src/relay/change_signal.ts";
import { PoolState } from "../../../src/relay/indexer/pool_state.ts";
import { PoolFundsMonitor } from "../../../src/relay/monitoring/pool_funds_monitor.ts";
import { bookTransfer } from "../../../src/relay/operations/ledger.ts";
import { TopUps } from "../../../src/relay/top_ups/top_ups.ts";
import { watchTopUps } from "../../../src/relay/top_ups/top_up_watch.ts";

export const HOUR = 3_600_000;
export const STEP = 3 * HOUR;
export const DAY = 24 * HOUR;
export const YEAR = 365.25 * DAY;
export const COIN = 1_000_000_000n;
/** The prices before 2026, at which a pool of few cells costs a lot. */
const config = Dictionary.loadDirect(
  Dictionary.Keys.Int(32),
  Dictionary.Values.Cell(),
  Cell.fromBase64(defaultConfig),
);
const configParam = (id: number) => Promise.resolve(config.get(id)!);
export const prices = await fetchNetworkPrices({ configParam });

/** Returns a cell with about `count` distinct cells below it. */
function cells(count: number, prefix = 1): Cell {
  const builder = beginCell().storeUint(prefix, 32);
  const each = Math.floor((count - 1) / 4);
  for (let i = 0; i < 4 && each > 0; i++) builder.storeRef(cells(each, 4 * prefix + i));
  return builder.endCell();
}

export const code = cells(5);
export const data = cells(1_365, 2);

/** What a test changes of a sound jetton pool without owner that can pay for `years`. */
export interface Change {
  readonly years?: number;
  readonly owner?: Address;
  readonly registered?: Partial<Deployment>;
  readonly account?: Partial<AccountInfo>;
  /** What the second endpoint reports of the account instead; absent: there is no second endpoint. */
  readonly verified?: Partial<AccountInfo>;
  readonly balance?: bigint; // of the relayer's wallet
}

/** A pool on a scripted chain, and a relayer with a real store that watches it for `days`. */
export class Scene {
  readonly chain: ScriptedPool;
  readonly paid: bigint[] = [];
  readonly perYear: bigint;
  #balance: bigint;
  readonly #waiting: (() => void)[] = [];
  relayers = 1;

  constructor(readonly change: Change = {}) {
    const { years = 4, owner } = change;
    const chain = this.chain = new ScriptedPool({ kind: 1, denomination: 10n });
    const { get_pool_info } = chain.getters;
    chain.getters.get_pool_info = (...args) => {
      const [kind, , ...rest] = get_pool_info(...args);
      return [kind, owner ? slice(owner) : NO_ADDRESS, ...rest];
    };
    this.perYear = prices.storageFee({ cells: cellCount + 1n, bits: bitCount + 300n, seconds: 31_557_600n });
    this.#balance = BigInt(Math.round(years * 1_000)) * this.perYear / 1_000n;
  }

  account(change: Partial<AccountInfo> = {}): Partial<AccountInfo> {
    return { code, data, balance: this.#balance, ...change };
  }

  /** Waits until all relayers wait, and lets three hours pass. */
  async nextStep(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#waiting.length === this.relayers) {
      this.chain.pass(STEP);
      for (const wake of this.#waiting.splice(0)) wake();
    }
    await promise;
  }

  /** Lets the pool receive coins. */
  receive(value: bigint): void {
    this.chain.add(poolAddress, { from: testAddress(3), value });
    this.#balance += value;
    this.paid.push(value);
  }

  port(): Chain {
    const of = (change: Partial<AccountInfo> = {}) => ({
      ...this.chain.chain,
      configParam,
      account: async (address: Address) => ({
        ...await this.chain.chain.account(address),
        ...this.account(change),
      }),
    });
    const { account, verified } = this.change;
    return { ...of(account), ...verified && { verifier: { endpoint: of(verified) } } } as unknown as Chain;
  }

  deployment(): Deployment {
    return {
      address: poolAddress,
      asset: "jet",
      denomination: 10n,
      owner: null,
      codeHash: code.hash().toString("hex"),
      jettonMaster,
      jettonWallet: jettonWalletOf(poolAddress),
      ...this.change.registered,
    } as Deployment;
  }
}

const { cells: cellTotal, bits: bitTotal } = (() => {
  const seen = new Map<string, number>();
  const visit = (cell: Cell): void => {
    seen.set(cell.hash().toString("hex"), cell.bits.length);
    cell.refs.forEach(visit);
  };
  [code, data].forEach(visit);
  return { cells: seen.size, bits: [...seen.values()].reduce((sum, bits) => sum + bits, 0) };
})();
const [cellCount, bitCount] = [BigInt(cellTotal), BigInt(bitTotal)];

export interface Watch {
  readonly store: Store;
  readonly wallet?: Address;
  readonly limitNano?: bigint;
  readonly isLeader?: () => boolean;
  /** What becomes of a transfer. Default: it pays the pool. */
  readonly send?: (messages: readonly OutgoingMessage[]) => Promise<void>;
}

/** Starts the relayer's monitor and top-ups, with the broadcaster's part: it journals, sends and books. */
export function relayer(
  scene: Scene,
  { store, wallet = testAddress(1), ...watch }: Watch,
  end: AbortController,
) {
  const { clock } = scene.chain;
  const chain = scene.port();
  const leadership = {
    term: 1,
    get isLeader() {
      return watch.isLeader?.() ?? true;
    },
  };
  const { balance: held = 100n * COIN } = scene.change;
  const topUps = new TopUps(leadership, {
    current: () => Promise.resolve(held - scene.paid.reduce((sum, value) => sum + value, 0n)),
    thresholds: { warn: 5n * COIN, stop: COIN },
  }, { getPrices: () => Promise.resolve(prices) });
  const pool = new PoolState("jet-10", scene.deployment(), 1, "localnet");
  const poolFunds = new PoolFundsMonitor();
  const changes = new ChangeSignal();
  const deps = {
    chain,
    store,
    wallet: { address: wallet },
    poolFunds,
    limitNano: watch.limitNano ?? COIN,
    leadership,
    clock: {
      now: () => clock.now() + 1_700_000_000_000,
      // Each wait of ten seconds is three hours here, in which the pool is read and the wallet sends.
      async sleep() {
        await scene.nextStep();
        if (clock.now() % (6 * HOUR) === 0) {
          await poolFunds.update(pool, {
            chain,
            prices: { getPrices: () => Promise.resolve(prices) },
            log: rootLog(),
          }, end.signal);
        }
        const messages = await topUps.take([], { messages: 4, bytes: 60_000 });
        if (messages.length > 0) await (watch.send ?? send)(messages);
      },
    },
    intervals: { topUpSlotMs: DAY },
    changes,
    log: rootLog(),
  };
  async function send(messages: readonly OutgoingMessage[]): Promise<void> {
    const { transfer, sent } = await sign(messages, Math.floor(deps.clock.now() / 1000));
    await store.beginTransfer(transfer);
    for (const { value } of messages) scene.receive(value);
    const included = { fees: 9n, timestamp: transfer.signedAt, recipients: sent.map(({ pool }) => pool) };
    await store.endTransfer(
      transfer.hash,
      bookTransfer(transfer, { ...included, topUps: sent, txHash: "aa" + seqno }),
    );
  }
  return { topUps, watch: () => watchTopUps(topUps, [pool], deps, end.signal), now: deps.clock.now };
}

let seqno = 0;
const signer = await openWallet("zebra ".repeat(23) + "abandon", {
  version: "v5R1",
  network: "mainnet",
  chain: {} as Chain,
});

export async function sign(messages: readonly OutgoingMessage[], signedAt: number) {
  const { message, hash } = await Promise.resolve(
    signer.sign({ seqno: ++seqno, validUntil: signedAt + 60, messages: [...messages] }),
  );
  const transfer = {
    seqno,
    validUntil: signedAt + 60,
    hash,
    boc: new Uint8Array(message.toBoc()),
    jobs: [],
    signedAt,
  };
  return { transfer, sent: messages.map(({ to, value }) => ({ pool: to.toRawString(), value })) };
}

/** Runs relayers over one pool until `ms` have passed. */
export async function run(scene: Scene, ms: number, watches: (store: Store, i: number) => Watch[]) {
  return await withTempDirectory(async (dir) => {
    const stores = [await openKvStore(`${dir}/0`), await openKvStore(`${dir}/1`)];
    try {
      const end = new AbortController();
      scene.chain.at(ms, () => end.abort());
      scene.relayers = stores.flatMap((store, i) => watches(store, i)).length;
      const started = stores.flatMap((store, i) => watches(store, i)).map((watch) =>
        relayer(scene, watch, end)
      );
      await Promise.all(started.map(({ watch }) => watch()));
      return { shorts: started.map(({ topUps }) => topUps.shortPools) };
    } finally {
      for (const store of stores) await store.close();
    }
  });
}
