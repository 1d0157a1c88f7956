/** A relayer's indexer over a scripted pool. */
import type { Deployment } from "../../src/core/protocol/deployments.ts";
import { ChangeSignal } from "../../src/relay/change_signal.ts";
import { followPool } from "../../src/relay/indexer/indexer.ts";
import { PoolState } from "../../src/relay/indexer/pool_state.ts";
import { getPollingIntervals } from "../../src/relay/polling_intervals.ts";
import type { Job, LedgerEntry } from "../../src/store/store.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import { loadPoolCode, type PoolKind } from "../../src/ton/pool/state_init.ts";
import {
  jettonMaster,
  jettonWalletOf,
  poolAddress,
  ScriptedPool,
  testAddress,
} from "../simulation/scripted_pool.ts";
import { withdrawalLog } from "../simulation/transactions.ts";
import { memoryStore } from "./memory_store.ts";

export const relayer = testAddress(2);
export const recipient = testAddress(3);
const intervals = getPollingIntervals("testnet", { requestsPerSecond: 10, pools: 1 });
const DENOMINATION = 10_000_000_000n;
const deploymentOf = (kind: 0 | 1 | 2, change: Partial<Deployment> = {}): Deployment => {
  const file: PoolKind = kind === 0 ? "native" : kind === 1 ? "jetton" : "native2";
  return {
    address: poolAddress,
    asset: kind === 1 ? "jet" : "native",
    amount: "10",
    denomination: DENOMINATION,
    deployedSeqno: 1,
    codeHash: loadPoolCode(file).codeHash,
    vkeyHash: "keys",
    owner: null,
    feeMin: 1n,
    ...kind === 1 && { jettonMaster, jettonWallet: jettonWalletOf(poolAddress), decimals: 9 },
    ...kind === 2 && { version: 2 },
    ...change,
  };
};

/** Creates a relayer's indexer of one pool. Time passes only while it waits. */
export function indexer(kind: 0 | 1 | 2 = 0, change: Partial<Deployment> = {}) {
  const scene = new ScriptedPool({ kind, denomination: DENOMINATION });
  const file: PoolKind = kind === 0 ? "native" : kind === 1 ? "jetton" : "native2";
  scene.accounts[poolAddress.toRawString()] = { code: loadPoolCode(file).code };
  const store = memoryStore({ now: () => scene.now, shared: false })();
  const ledger: LedgerEntry[] = [];
  const open = () =>
    new PoolState("native-10", deploymentOf(kind, change), intervals.staleAfterMs, "testnet");
  const run = async (ms: number, { isLeader = true, pool = open() } = {}) => {
    const end = new AbortController();
    scene.at(scene.now + ms, () => end.abort());
    await followPool(pool, {
      chain: scene.chain,
      clock: scene.clock,
      store,
      intervals,
      log: rootLog(),
      walletAddress: relayer,
      vkeyHashes: { 1: "keys", 2: "keys" },
      changes: new ChangeSignal(),
      leadership: { isLeader, firstAnswer: Promise.resolve() },
      onLedgerEntries: (entries) => void ledger.push(...entries),
    }, end.signal);
    return pool;
  };
  const readiness = (pool: PoolState) => {
    const state = pool.readiness(scene.now);
    return state.ready ? "ready" : state.reason;
  };
  const leaves = async () => {
    const counts = await Array.fromAsync(
      store.leaves(poolAddress.toRawString(), 0),
      ({ times }) => times.length,
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  return { scene, store, ledger, run, open, readiness, leaves };
}

/** Makes the relayer's wallet withdraw a note. */
export function pay(scene: ScriptedPool, nullifierHash: bigint, fee = 50n) {
  scene.spent.add(nullifierHash);
  const log = { nullifierHash, fee, refund: 0n, recipient, relayer };
  return scene.add(poolAddress, { from: relayer, logs: [withdrawalLog(log)], value: 1_000n });
}

export const id = poolAddress.toRawString();
/** Returns a sent withdrawal of the journal. */
export const job = (n: bigint): Job => ({
  pool: id,
  nullifierHash: n,
  state: "broadcast",
  queryId: n,
  root: 1n,
  fee: 50n,
  refund: 0n,
  failures: 0,
  acceptedAt: 0,
  message: { recipient: recipient.toRawString(), proof: "" },
});
