/** The relayer's state of a version 2 pool: settled tree, waiting deposits, numbered roots, spent set. */
import { Buffer } from "node:buffer";
import { FIELD_BYTES, fieldFromBytes, fieldToBytes } from "../../../core/crypto/field.ts";
import { RootWindow } from "../../../core/protocol/v2/root_window.ts";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { type SettlementInput, settlementInputs } from "../../../core/tree/settlement.ts";
import type { LogEntry, PoolId } from "../../../store/store.ts";
import type { PoolEvent } from "../../../ton/pool/history/pool_events.ts";
import type { TreeService } from "../../../tree/tree_service.ts";
import type { CommitmentsPage } from "./leaf_json.ts";
import { type KnownDeposit, type NewLeaf, PoolTree, type StoredPool } from "./pool_tree.ts";

/** The state of a version 2 pool: its tree, and what waits for it. `size` counts settled deposits. */
export class SettledPool extends PoolTree {
  override readonly version = 2;
  #queue: NewLeaf[] = [];
  #spent = new SpentSet();
  #roots = new RootWindow();
  #logLength = 0;
  #lastEntry: Logged | undefined;

  override get queue(): readonly NewLeaf[] {
    return this.#queue;
  }

  /** Returns the next settlement by `settler` (settlerToField). Throws a RangeError if no deposit waits. */
  settlementInputs(settler: bigint): SettlementInput {
    return settlementInputs(this.leaves, this.#queue.map(({ commitment }) => commitment), settler);
  }

  override get depositCount(): number {
    return this.size + this.#queue.length;
  }

  get spent(): SpentSet {
    return this.#spent;
  }

  override isSpent(nullifierHash: bigint): boolean {
    return this.#spent.has(nullifierHash);
  }

  override get rootCount(): number {
    return this.#roots.count;
  }

  override rootNumber(root: bigint): number | undefined {
    return this.#roots.numberOf(root);
  }

  override clear(): void {
    super.clear();
    this.#clearLog();
  }

  #clearLog(): void {
    this.nullifiers.clear();
    this.#queue = [];
    this.#spent = new SpentSet();
    this.#roots = new RootWindow();
    this.#logLength = 0;
    this.#lastEntry = undefined;
  }

  override find(commitment: bigint): KnownDeposit | undefined {
    const settled = super.find(commitment);
    const queued = this.#queue.flatMap((leaf, i) => leaf.commitment === commitment ? [this.size + i] : []);
    if (settled === undefined && queued.length === 0) return undefined;
    const leafIndexes = [...settled === undefined ? [] : this.#settledCopies(settled), ...queued];
    return {
      leafIndex: leafIndexes[0],
      timestamp: settled?.timestamp ?? this.#queue[queued[0] - this.size].timestamp,
      settled: settled !== undefined,
      leafIndexes,
    };
  }

  #settledCopies({ leafIndex }: KnownDeposit): number[] {
    const [leaves] = this.levels;
    const bytes = fieldToBytes(this.leaf(leafIndex));
    const found = [leafIndex];
    let at = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.length).indexOf(
      bytes,
      (leafIndex + 1) * FIELD_BYTES,
    );
    while (at >= 0) {
      if (at % FIELD_BYTES === 0) found.push(at / FIELD_BYTES);
      at = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.length).indexOf(bytes, at + 1);
    }
    return found;
  }

  override page(from: number, limit: number): CommitmentsPage {
    const page = super.page(from, limit);
    if (page.nextFrom !== null) return page;
    return {
      ...page,
      pending: this.#queue.map(({ commitment }, i) => ({ leafIndex: this.size + i, commitment })),
    };
  }

  /** Returns a copy of the affected slots with these nullifier hashes added, in this order. */
  spentAfter(nullifierHashes: readonly bigint[]): SpentSet {
    const after = this.#spent.slotsOf(nullifierHashes);
    for (const nullifierHash of nullifierHashes) after.add(nullifierHash);
    return after;
  }

  override logEntries(events: readonly PoolEvent[]): LogEntry[] {
    const preview = this.preview();
    const entries: LogEntry[] = [];
    for (const event of events) {
      preview.add(event);
      const logged = toLogged(event);
      if (logged === undefined) continue;
      const position = this.#logLength + entries.length;
      entries.push({ position, ...logged, settled: preview.ledger.settledLeaves, txHash: event.tx.hash });
    }
    return entries;
  }

  override async apply(events: readonly PoolEvent[]): Promise<void> {
    const entries = this.logEntries(events);
    const deposits = events.filter((event) => event.kind === "deposit");
    const queue = [...this.#queue, ...deposits];
    const settled = Math.max(this.size, entries.at(-1)?.settled ?? 0) - this.size;
    await this.append(queue.slice(0, settled));
    this.#queue = queue.slice(settled);
    for (const entry of entries) this.#addEntry(entry);
  }

  /** Reads the last known entry again, because another replica may have rolled the log back. */
  override async load(store: StoredPool, pool: PoolId, signal: AbortSignal): Promise<void> {
    if (!await this.#hasLastEntry(store, pool)) this.#clearLog();
    let settled = this.size;
    for await (const entry of store.poolLog(pool, this.#logLength)) {
      if (signal.aborted) return;
      if (entry.position !== this.#logLength) {
        throw new RangeError(`the stored log has a gap at ${this.#logLength}`);
      }
      this.#addEntry(entry);
      settled = entry.settled;
    }
    if (settled < this.size) this.clearLeaves(); // a snapshot of leaves that were rolled back
    const moved = this.#queue.splice(0, settled - this.size);
    await this.append(moved);
    const rest = await this.loadLeaves(store.leaves(pool, this.depositCount), settled, signal);
    this.#queue.push(...rest);
  }

  async #hasLastEntry(store: StoredPool, pool: PoolId): Promise<boolean> {
    const last = this.#lastEntry;
    if (last === undefined) return true;
    for await (const { kind, value } of store.poolLog(pool, this.#logLength - 1)) {
      return kind === last.kind && value === last.value;
    }
    return false;
  }

  override async matchesStore(store: StoredPool, pool: PoolId): Promise<boolean> {
    if (!await super.matchesStore(store, pool)) return false;
    let compared = this.size;
    for await (const { firstIndex, commitments, times } of store.leaves(pool, this.size)) {
      if (firstIndex !== compared) return false;
      for (const i of times.keys()) {
        const own = this.#queue[compared - this.size];
        if (own === undefined) return true;
        const stored = fieldFromBytes(commitments.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES));
        if (stored !== own.commitment || times[i] !== own.timestamp) return false;
        compared++;
      }
    }
    return compared === this.depositCount;
  }

  #addEntry({ kind, value }: Logged): void {
    this.#logLength++;
    this.#lastEntry = { kind, value };
    if (kind === "settlement") {
      this.#roots.push(value);
      return;
    }
    this.#spent.add(value);
    this.nullifiers.append(value);
  }
}

export function createPoolTree(version: number | undefined, service?: TreeService): PoolTree {
  return version === 2 ? new SettledPool(service) : new PoolTree(service);
}

type Logged = Pick<LogEntry, "kind" | "value">;

function toLogged(event: PoolEvent): Logged | undefined {
  if (event.kind === "settlement") return { kind: "settlement", value: event.newRoot };
  return event.kind === "withdrawal" ? { kind: "payment", value: event.nullifierHash } : undefined;
}
