/**
 * A store as a process sees it over a network: it takes time, it may be down, and the connection may break after it has
 * written and before it says so.
 */
import { Problem } from "../../../src/core/errors.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Life } from "./life.ts";
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** What goes wrong; each a probability a call. */
export interface StoreFaults {
  readonly refuse: number;
  /** After the work is done. */
  readonly breakOff: number;
}

/** `store` behind that network, for one process. */
export function behindNetwork(
  store: Store,
  { random, time, life, faults, struck }: {
    random: Random;
    time: Timeline;
    life: Life;
    faults: () => StoreFaults;
    /** Told of each fault that happens. */
    struck: () => void;
  },
): Store {
  const strikes = (p: number) => {
    const hit = random.chance(p);
    if (hit) struck();
    return hit;
  };
  async function call<T>(work: () => Promise<T>): Promise<T> {
    await time.delay(random.int(0, 20));
    if (strikes(faults().refuse)) throw new Problem("store_unavailable");
    const done = await work();
    await time.delay(random.int(0, 20));
    if (strikes(faults().breakOff)) throw new Problem("store_unavailable");
    return done;
  }
  const guarded = <A extends unknown[], T>(method: (...args: A) => Promise<T>) => (...args: A): Promise<T> =>
    life.guard(call(() => method(...args)));

  return {
    batchLimit: store.batchLimit,
    shared: store.shared,
    health: store.health,
    lead: guarded(store.lead),
    resign: guarded(store.resign),
    cursor: guarded(store.cursor),
    apply: guarded(store.apply),
    takeBack: guarded(store.takeBack),
    async *payments(pool) {
      await guarded(() => Promise.resolve())();
      yield* await Array.fromAsync(store.payments(pool));
    },
    async *leaves(pool, leafIndex) {
      await guarded(() => Promise.resolve())();
      const pieces = [];
      for await (const piece of store.leaves(pool, leafIndex)) pieces.push(piece);
      yield* pieces;
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
    forgetJobs: guarded(store.forgetJobs),
    close: () => Promise.resolve(),
  };
}
