/** A tree's larger work, and the two ways to have it done: on worker threads, or on this one. */
import { FIELD_BYTES } from "../core/field.ts";
import { hashNewNodes, MERKLE_TREE_HEIGHT } from "../core/tree_levels.ts";
import { LEAST_HEIGHT, type TreeWork } from "../core/tree_work.ts";
import { threads } from "../threads/threads.ts";
import { transferable } from "../threads/transferable.ts";
import { WorkerPool } from "../threads/worker_pool.ts";
import { locations } from "./locations.ts";
import type { Snapshot } from "./snapshot.ts";
import { isShared, perform, type TreeResults, type TreeTask } from "./tree_task.ts";

/** Trees' work and their snapshots. */
export interface TreeService extends TreeWork {
  /** The bytes of a snapshot, sealed with `key`; its tree must not grow meanwhile. */
  pack(snapshot: Snapshot, key: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * What bytes hold, which may be taken away for it; undefined when they are damaged, or not sealed with `key`.
   *
   * @throws {Problem} `not_in_field` for nodes that are no elements
   */
  unpack(bytes: Uint8Array<ArrayBuffer>, key: Uint8Array): Promise<Snapshot | undefined>;
}

/** Does everything where it is called. */
export const thisThread: TreeService = {
  hash(levels, start, end) {
    hashNewNodes(levels, start, end);
    return Promise.resolve(MERKLE_TREE_HEIGHT);
  },
  index: (leaves, count) => perform({ kind: "index", leaves, count }),
  pack: (snapshot, key) => perform({ kind: "pack", snapshot, key }),
  unpack: (bytes, key) => perform({ kind: "unpack", bytes, key }),
};

/** How workers are started. */
export interface TreeWorkerOptions {
  /** Most worker threads; by default one for each core, at most 16. */
  readonly workers?: number;
  /** Ends workers that had no work for so long, in milliseconds; by default they live until `close`. */
  readonly idleMs?: number;
  readonly startWorker?: () => Worker;
}

const MAX_WORKERS = 16;
/** Fewer leaves are hashed at once where they are: that takes less than a few milliseconds. */
const FEW = 256;
/** A task is a subtree: large enough to make a message's cost vanish, small enough to keep all workers busy. */
const HEIGHTS = { least: LEAST_HEIGHT, most: 12 };
const TASKS_PER_WORKER = 4;

/**
 * Does the work on threads of its own.
 *
 * Its methods throw `internal` when a worker crashed, and `cancelled` once it is closed.
 */
export class TreeWorkers implements TreeService {
  readonly #pool: WorkerPool<TreeTask, TreeResults>;
  readonly #size: number;

  constructor(options: TreeWorkerOptions = {}) {
    this.#size = options.workers ?? Math.min(MAX_WORKERS, threads.cores());
    this.#pool = new WorkerPool({
      name: "tree",
      size: this.#size,
      maxWaiting: Infinity,
      idleMs: options.idleMs,
      startWorker: options.startWorker ?? (() => threads.start(locations.worker)),
      module: options.startWorker ? undefined : locations.worker,
    });
  }

  async hash(levels: readonly Uint8Array[], start: number, end: number): Promise<number> {
    if (end - start < FEW) return await thisThread.hash(levels, start, end);
    const even = Math.floor(Math.log2((end - start) / (TASKS_PER_WORKER * this.#size)));
    const height = Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, even));
    const leaves = 2 ** height;
    const subtrees: Promise<void>[] = [];
    for (let first = Math.floor(start / leaves) * leaves; first < end; first += leaves) {
      const bounds = { start: Math.max(start - first, 0), end: Math.min(end - first, leaves), height };
      subtrees.push(this.#hashSubtree(levels, first, bounds));
    }
    await Promise.all(subtrees);
    return height;
  }

  async index(leaves: Uint8Array, count: number): Promise<Uint32Array> {
    const own = handOver(leaves.subarray(0, count * FIELD_BYTES));
    return await this.#pool.run({ kind: "index", leaves: own, count }, { transfer: transferable([own]) });
  }

  async pack(snapshot: Snapshot, key: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const levels = snapshot.levels.map(handOver);
    const times = snapshot.times.slice();
    const task = { kind: "pack", snapshot: { ...snapshot, levels, times }, key } as const;
    return await this.#pool.run(task, { transfer: transferable([...levels, times]) });
  }

  async unpack(bytes: Uint8Array<ArrayBuffer>, key: Uint8Array): Promise<Snapshot | undefined> {
    return await this.#pool.run({ kind: "unpack", bytes, key }, { transfer: transferable([bytes]) });
  }

  /** Ends the workers; what runs is refused with `cancelled`. */
  close(): void {
    this.#pool.close();
  }

  /** One subtree of `levels`, whose first leaf is `first`. */
  async #hashSubtree(
    levels: readonly Uint8Array[],
    first: number,
    bounds: { readonly start: number; readonly end: number; readonly height: number },
  ): Promise<void> {
    const parts = levels.slice(0, bounds.height + 1).map((nodes, level) => {
      const from = first / 2 ** level;
      return nodes.subarray(from * FIELD_BYTES, (from + 2 ** (bounds.height - level)) * FIELD_BYTES);
    });
    const own = parts.map(handOver);
    const task = { kind: "hash", levels: own, ...bounds } as const;
    const hashed = await this.#pool.run(task, { transfer: transferable(own) });
    if (hashed === undefined) return;
    for (const [level, part] of parts.entries()) {
      const from = Math.ceil(bounds.start / 2 ** level) * FIELD_BYTES; // those before it are the old tree's
      part.set(hashed[level].subarray(from), from);
    }
  }
}

/** Memory for a worker: the same where it is shared, else a copy. */
function handOver(bytes: Uint8Array): Uint8Array {
  return isShared(bytes) ? bytes : bytes.slice();
}

const IDLE_MS = 500;
let own: TreeWorkers | undefined;

/** Workers for who has none of their own: started when there is work, ended soon after, so that a script ends too. */
export function ownTreeWorkers(): TreeService {
  return own ??= new TreeWorkers({ idleMs: IDLE_MS });
}
