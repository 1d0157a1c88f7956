/**
 * A store behind a network: it is slow, sometimes unreachable, and sometimes loses the connection between its
 * write and its answer.
 */
import { Problem } from "../../src/core/errors/problem.ts";
import type { Store } from "../../src/store/store.ts";
import type { SimulatedProcess } from "./simulated_process.ts";
import type { SeededRandom } from "../random/seeded_random.ts";
import type { VirtualTime } from "./virtual_time.ts";

/** Faults as probabilities per call. */
export interface StoreFaults {
  readonly refuse: number;
  /** The probability of losing the response after the work is done. */
  readonly loseResponse: number;
}

/** Returns `store` behind such a network, for one process. */
export function withStoreFaults(
  store: Store,
  { random, time, life, faults, onFault }: {
    random: SeededRandom;
    time: VirtualTime;
    life: SimulatedProcess;
    faults: () => StoreFaults;
    /** Called for each fault. */
    onFault: () => void;
  },
): Store {
  const faultOccurs = (p: number) => {
    const hit = random.chance(p);
    if (hit) onFault();
    return hit;
  };
  async function call<T>(work: () => Promise<T>): Promise<T> {
    await time.delay(random.int(0, 20));
    if (faultOccurs(faults().refuse)) throw new Problem("store_unavailable");
    const done = await work();
    await time.delay(random.int(0, 20));
    if (faultOccurs(faults().loseResponse)) throw new Problem("store_unavailable");
    return done;
  }
  const guarded = <A extends unknown[], T>(method: (...args: A) => Promise<T>) => (...args: A): Promise<T> =>
    life.guard(call(() => method(...args)));

  return {
    batchLimit: store.batchLimit,
    isShared: store.isShared,
    health: store.health,
    acquireLease: guarded(store.acquireLease),
    releaseLease: guarded(store.releaseLease),
    cursor: guarded(store.cursor),
    apply: guarded(store.apply),
    rollBack: guarded(store.rollBack),
    async *withdrawals(pool) {
      await guarded(() => Promise.resolve())();
      yield* await Array.fromAsync(store.withdrawals(pool));
    },
    async *leaves(pool, leafIndex) {
      await guarded(() => Promise.resolve())();
      const pieces = [];
      for await (const piece of store.leaves(pool, leafIndex)) pieces.push(piece);
      yield* pieces;
    },
    async *poolLog(pool, position) {
      await guarded(() => Promise.resolve())();
      yield* await Array.fromAsync(store.poolLog(pool, position));
    },
    deposit: guarded(store.deposit),
    withdrawal: guarded(store.withdrawal),
    job: guarded(store.job),
    addJob: guarded(store.addJob),
    changeJob: guarded(store.changeJob),
    liveJobs: guarded(store.liveJobs),
    transfer: guarded(store.transfer),
    beginTransfer: guarded(store.beginTransfer),
    endTransfer: guarded(store.endTransfer),
    ledger: store.ledger,
    deleteEndedJobs: guarded(store.deleteEndedJobs),
    close: () => Promise.resolve(),
  };
}
