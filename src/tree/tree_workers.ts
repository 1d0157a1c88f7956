import { FIELD_BYTES } from "../core/crypto/field.ts";
import { SUBTREE_HEIGHT } from "../core/tree/tree_hasher.ts";
import { threadRuntime } from "../threads/thread_runtime.ts";
import { transferableBuffers } from "../threads/transferable.ts";
import { WorkerPool } from "../threads/worker_pool.ts";
import { treeLocations } from "./locations.ts";
import type { TreeSnapshot } from "./snapshot_codec.ts";
import { isSharedMemory, type TreeTask, type TreeTaskResults } from "./tree_task.ts";
import { inlineTreeService, type TreeService } from "./tree_service.ts";

export interface TreeWorkerOptions {
  readonly maxWorkers?: number; // default: one for each core, at most 16
  /** Milliseconds after which an idle worker ends. Default: workers live until `close`. */
  readonly idleTimeoutMs?: number;
  readonly startWorker?: () => Worker;
}

const MAX_WORKERS = 16;
/** Fewer leaves take at most a few milliseconds on the calling thread. */
const MIN_LEAVES_FOR_WORKERS = 256;
/** A task is one subtree: large compared to its message, small enough to keep all workers busy. */
const SUBTREE_HEIGHTS = { min: SUBTREE_HEIGHT, max: 12 };
const TASKS_PER_WORKER = 4;

export class TreeWorkers implements TreeService {
  readonly #pool: WorkerPool<TreeTask, TreeTaskResults>;
  readonly #maxWorkers: number;

  constructor(options: TreeWorkerOptions = {}) {
    this.#maxWorkers = options.maxWorkers ?? Math.min(MAX_WORKERS, threadRuntime.coreCount());
    this.#pool = new WorkerPool({
      name: "tree",
      maxWorkers: this.#maxWorkers,
      maxQueuedTasks: Infinity,
      idleTimeoutMs: options.idleTimeoutMs,
      startWorker: options.startWorker ?? (() => threadRuntime.startWorker(treeLocations.worker)),
      workerModule: options.startWorker ? undefined : treeLocations.worker,
    });
  }

  async hashLevels(levels: readonly Uint8Array[], start: number, end: number): Promise<number> {
    if (end - start < MIN_LEAVES_FOR_WORKERS) return await inlineTreeService.hashLevels(levels, start, end);
    const even = Math.floor(Math.log2((end - start) / (TASKS_PER_WORKER * this.#maxWorkers)));
    const height = Math.min(SUBTREE_HEIGHTS.max, Math.max(SUBTREE_HEIGHTS.min, even));
    const leaves = 2 ** height;
    const subtrees: Promise<void>[] = [];
    for (let first = Math.floor(start / leaves) * leaves; first < end; first += leaves) {
      const bounds = { start: Math.max(start - first, 0), end: Math.min(end - first, leaves), height };
      subtrees.push(this.#hashSubtree(levels, first, bounds));
    }
    await Promise.all(subtrees);
    return height;
  }

  async buildIndex(leaves: Uint8Array, count: number): Promise<Uint32Array> {
    return await this.#run({
      kind: "index",
      leaves: shareOrCopy(leaves.subarray(0, count * FIELD_BYTES)),
      count,
    });
  }

  async encodeSnapshot(snapshot: TreeSnapshot, key: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const [levels, timestamps] = [snapshot.levels.map(shareOrCopy), snapshot.timestamps.slice()];
    return await this.#run({
      kind: "encode_snapshot",
      snapshot: { ...snapshot, levels, timestamps },
      key: key.slice(),
    });
  }

  async decodeSnapshot(bytes: Uint8Array<ArrayBuffer>, key: Uint8Array): Promise<TreeSnapshot | undefined> {
    return await this.#run({ kind: "decode_snapshot", bytes, key: key.slice() });
  }

  close(): void {
    this.#pool.close();
  }

  /** Memory that is not shared moves to the worker. */
  #run<One extends TreeTask>(task: One): Promise<TreeTaskResults[One["kind"]]> {
    return this.#pool.run(task, { transfer: transferableBuffers(task) });
  }

  async #hashSubtree(
    levels: readonly Uint8Array[],
    first: number,
    bounds: { readonly start: number; readonly end: number; readonly height: number },
  ): Promise<void> {
    const parts = levels.slice(0, bounds.height + 1).map((nodes, level) => {
      const from = first / 2 ** level;
      return nodes.subarray(from * FIELD_BYTES, (from + 2 ** (bounds.height - level)) * FIELD_BYTES);
    });
    const hashed = await this.#run({ kind: "hash", levels: parts.map(shareOrCopy), ...bounds });
    if (hashed === undefined) return;
    for (const [level, part] of parts.entries()) {
      const from = Math.ceil(bounds.start / 2 ** level) * FIELD_BYTES; // earlier nodes belong to the old tree
      part.set(hashed[level].subarray(from), from);
    }
  }
}

function shareOrCopy(bytes: Uint8Array): Uint8Array {
  return isSharedMemory(bytes) ? bytes : bytes.slice();
}

const WORKER_IDLE_TIMEOUT_MS = 500;
let sharedWorkers: TreeWorkers | undefined;

/** Workers for callers without their own. They end when idle, so that a script can end. */
export function sharedTreeService(): TreeService {
  return sharedWorkers ??= new TreeWorkers({ idleTimeoutMs: WORKER_IDLE_TIMEOUT_MS });
}
