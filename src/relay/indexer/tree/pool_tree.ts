/**
 * Holds a pool's leaves, their times and its payments in memory, and encodes pages of them. Only the indexer fills it:
 * from stored rows, new events or a snapshot.
 */
import { Buffer } from "node:buffer";
import { FIELD_BYTES, fieldFromBytes, writeFieldBytes } from "../../../core/crypto/field.ts";
import type { PoolVersion } from "../../../core/protocol/deployments.ts";
import type { HashedLeaves } from "../../../core/tree/hashed_leaves.ts";
import { type MerklePath, MerkleTree } from "../../../core/tree/merkle_tree.ts";
import { nodesOf } from "../../../core/tree/root_at.ts";
import type { Deposit, LeafRange, LogEntry, PoolId, Store } from "../../../store/store.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import { LeafBatcher } from "../../../tree/leaf_batcher.ts";
import { hashLeavesAfter } from "../../../tree/root_after.ts";
import { inlineTreeService, type TreeService } from "../../../tree/tree_service.ts";
import { LedgerPreview } from "./ledger_preview.ts";
import { type CommitmentsPage, encodeLeavesJson, type LeafPage } from "./leaf_json.ts";
import { NullifierLog, type SpentPage } from "./nullifier_log.ts";

const LEAVES_PER_BLOCK = 1_000;
/** More than a full pool needs. Clients read from first to last, so an LRU cache would never hit. */
const MAX_CACHED_BYTES = 16 * 2 ** 20;
const INITIAL_CAPACITY_LEAVES = 1_024;

export type NewLeaf = Pick<Deposit, "commitment" | "timestamp">;

export type TreePath = MerklePath & { readonly root: bigint };

export interface KnownDeposit extends Pick<Deposit, "leafIndex" | "timestamp"> {
  readonly settled?: boolean;
  /** Version 2 pools only: all leaves with the commitment, in order. */
  readonly leafIndexes?: readonly number[];
}

export type StoredPool = Pick<Store, "leaves" | "poolLog">;

/** The tree of a version 1 pool. */
export class PoolTree {
  readonly version: PoolVersion = 1;
  protected readonly nullifiers = new NullifierLog();
  #tree = new MerkleTree();
  /** Leaves of a verified history that are not in the tree yet. */
  #hashed: HashedLeaves | undefined;
  /** Encoded leaves, each followed by a comma. */
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  #cachedBytes = 0;
  /** Unix seconds by leaf, with spare capacity. */
  #times: Uint32Array = new Uint32Array(INITIAL_CAPACITY_LEAVES);

  constructor(
    readonly service: TreeService = inlineTreeService,
    readonly maxCachedBytes: number = MAX_CACHED_BYTES,
  ) {}

  get size(): number {
    return this.#tree.size;
  }

  get depositCount(): number {
    return this.size;
  }

  /** Deposits that are not in the tree yet. */
  get queue(): readonly NewLeaf[] {
    return [];
  }

  get rootCount(): number {
    return 0;
  }

  get paymentCount(): number {
    return this.nullifiers.length;
  }

  get root(): bigint {
    return this.#tree.root;
  }

  leaf(i: number): bigint {
    return this.#tree.leaf(i);
  }

  protected get leaves(): MerkleTree {
    return this.#tree;
  }

  /** In the format of {@linkcode restore}; not copied. */
  get levels(): readonly Uint8Array[] {
    return this.#tree.levels;
  }

  /** Unix seconds. */
  get times(): Uint32Array {
    return this.#times.subarray(0, this.size);
  }

  /** Replaces the tree. Throws a RangeError unless nodes and times match `size` leaves. */
  async restore(size: number, levels: readonly Uint8Array[], times: Uint32Array): Promise<void> {
    const tree = MerkleTree.fromLevels(size, levels);
    await tree.buildIndexUsing(this.service);
    this.#tree = tree;
    this.#hashed = undefined;
    this.#times = times;
    this.#clearBlocks();
  }

  clear(): void {
    this.clearLeaves();
    this.nullifiers.clear();
  }

  protected clearLeaves(): void {
    this.#tree = new MerkleTree();
    this.#hashed = undefined;
    this.#times = new Uint32Array(INITIAL_CAPACITY_LEAVES);
    this.#clearBlocks();
  }

  /** Returns what logs after the tree's would change. */
  preview(): LedgerPreview {
    return new LedgerPreview(this);
  }

  isSpent(nullifierHash: bigint): boolean {
    return this.nullifiers.has(nullifierHash);
  }

  /** Throws `chain_inconsistent` for logs that no pool writes after the tree's. */
  logEntries(events: readonly PoolEvent[]): LogEntry[] {
    const preview = this.preview();
    for (const event of events) preview.add(event);
    return events.filter((event) => event.kind === "withdrawal").map(({ nullifierHash, tx }, i) => ({
      position: this.nullifiers.length + i,
      kind: "payment",
      value: nullifierHash,
      settled: 0,
      txHash: tx.hash,
    }));
  }

  async apply(events: readonly PoolEvent[]): Promise<void> {
    await this.append(events.filter((event) => event.kind === "deposit"));
    for (const event of events) if (event.kind === "withdrawal") this.nullifiers.append(event.nullifierHash);
  }

  /** Returns the root's number in a version 2 pool, undefined if the pool does not accept it. */
  rootNumber(_root: bigint): number | undefined {
    return undefined;
  }

  /** The old tree stays in place until the promise resolves. Leaves of {@linkcode hashLeaves} are not hashed again. */
  async append(deposits: readonly NewLeaf[]): Promise<void> {
    if (deposits.length === 0) return;
    const [hashed, first] = [this.#hashed, this.size];
    const leaves = new Uint8Array(deposits.length * FIELD_BYTES);
    for (const [i, { commitment }] of deposits.entries()) {
      writeFieldBytes(commitment, leaves, i * FIELD_BYTES);
    }
    this.#setTimes(first, deposits.map(({ timestamp }) => timestamp));
    if (hashed?.contains(first, leaves)) {
      await this.#tree.appendHashed(hashed, first + deposits.length, this.service);
      if (this.size < hashed.end) return;
    } else {
      const batcher = new LeafBatcher(this.#tree, this.service);
      await batcher.addBytes(leaves);
      await batcher.flush();
    }
    this.#hashed = undefined;
  }

  matchesStore(store: StoredPool, pool: PoolId): Promise<boolean> {
    return this.matchesStoredLeaves(store.leaves(pool, 0));
  }

  async matchesStoredLeaves(stored: AsyncIterable<LeafRange>): Promise<boolean> {
    const [leaves] = this.levels;
    let compared = 0;
    for await (const { firstIndex: first, commitments, times } of stored) {
      if (first !== compared) return false;
      const end = Math.min(this.size, first + times.length);
      const own = leaves.subarray(first * FIELD_BYTES, end * FIELD_BYTES);
      if (Buffer.compare(own, commitments.subarray(0, own.length)) !== 0) return false;
      for (let i = first; i < end; i++) if (this.#times[i] !== times[i - first]) return false;
      compared = end;
      if (compared === this.size) return true;
    }
    return compared === this.size;
  }

  /** Keeps the new nodes for {@linkcode append}. Throws `chain_inconsistent` for a settlement with a wrong root. */
  async rootAfter(preview: LedgerPreview): Promise<bigint> {
    const waiting = [...this.queue.map(({ commitment }) => commitment), ...preview.queued];
    const settled = waiting.slice(0, preview.ledger.settledLeaves - this.size);
    const hashed = this.#hashed = await hashLeavesAfter(this.#tree, settled, this.service);
    const known = nodesOf(this.levels);
    await preview.checkRoots((level, i) => hashed.nodeAt(level, i) ?? known(level, i));
    return hashed.root;
  }

  async load(store: StoredPool, pool: PoolId, signal: AbortSignal): Promise<void> {
    await this.nullifiers.load((position) => store.poolLog(pool, position), signal);
    await this.loadLeaves(store.leaves(pool, this.size), Infinity, signal);
  }

  /** Appends the leaves before `end`, and returns the others. */
  protected async loadLeaves(
    stored: AsyncIterable<LeafRange>,
    end: number,
    signal: AbortSignal,
  ): Promise<NewLeaf[]> {
    const rest: NewLeaf[] = [];
    let next = this.depositCount;
    const leaves = new LeafBatcher(this.#tree, this.service);
    try {
      for await (const { firstIndex: first, commitments, times } of stored) {
        if (signal.aborted) break;
        if (first !== next) throw new RangeError(`stored deposits have a gap at ${first}`);
        next += times.length;
        const count = Math.min(times.length, Math.max(0, end - first));
        this.#setTimes(first, times.subarray(0, count));
        await leaves.addBytes(commitments.subarray(0, count * FIELD_BYTES));
        for (let i = count; i < times.length; i++) {
          const commitment = fieldFromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
          rest.push({ commitment, timestamp: times[i] });
        }
      }
      await leaves.flush();
      return rest;
    } finally {
      await leaves.waitUntilIdle();
    }
  }

  #setTimes(first: number, times: ArrayLike<number>): void {
    const end = first + times.length;
    if (end > this.#times.length) {
      const wider = new Uint32Array(Math.max(INITIAL_CAPACITY_LEAVES, 2 ** Math.ceil(Math.log2(end))));
      wider.set(this.#times);
      this.#times = wider;
    }
    this.#times.set(times, first);
  }

  find(commitment: bigint): KnownDeposit | undefined {
    const leafIndex = this.#tree.indexOf(commitment);
    return leafIndex < 0 ? undefined : { leafIndex, timestamp: this.#times[leafIndex] };
  }

  path(commitment: bigint): TreePath | undefined {
    const index = this.#tree.indexOf(commitment);
    return index < 0 ? undefined : { root: this.root, ...this.#tree.path(index) };
  }

  page(from: number, limit: number): CommitmentsPage {
    const end = Math.min(this.size, from + limit);
    const count = Math.max(0, end - from);
    const items: Uint8Array<ArrayBuffer>[] = [];
    for (let start = from; start < end;) {
      const block = Math.floor(start / LEAVES_PER_BLOCK);
      const stop = Math.min(end, (block + 1) * LEAVES_PER_BLOCK);
      const whole = start === block * LEAVES_PER_BLOCK && stop - start === LEAVES_PER_BLOCK;
      const piece = whole ? this.#block(block) : this.#encode(start, stop);
      items.push(stop === end ? piece.subarray(0, -1) : piece); // no comma after the last one
      start = stop;
    }
    return { from, count, nextFrom: count > 0 && end < this.size ? end : null, items };
  }

  leafPage(from: number, limit: number): LeafPage {
    const end = Math.min(this.size, from + limit);
    const leaves = this.#tree.levels[0].subarray(from * FIELD_BYTES, Math.max(from, end) * FIELD_BYTES);
    return { bytes: new Uint8Array(leaves), isImmutable: end < this.size };
  }

  spentPage(from: number, limit: number): SpentPage {
    return this.nullifiers.page(from, limit);
  }

  #block(block: number): Uint8Array<ArrayBuffer> {
    const cached = this.#blocks[block];
    if (cached) return cached;
    const encoded = this.#encode(block * LEAVES_PER_BLOCK, (block + 1) * LEAVES_PER_BLOCK);
    if (this.#cachedBytes + encoded.length <= this.maxCachedBytes) {
      this.#blocks[block] = encoded;
      this.#cachedBytes += encoded.length;
    }
    return encoded;
  }

  #clearBlocks(): void {
    this.#blocks = [];
    this.#cachedBytes = 0;
  }

  #encode(start: number, stop: number): Uint8Array<ArrayBuffer> {
    return encodeLeavesJson(this.#tree.levels[0], start, stop);
  }
}
