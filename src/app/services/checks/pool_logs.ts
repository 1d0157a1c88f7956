/** The public data of a pool in which notes are looked up on this device, and how it is read from the pool's log. */
import { type NoteStatus, PoolHistoryReader } from "../../../client/notes/note_check.ts";
import type { NotePageStatus } from "../../../client/pages/note_pages.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { NoteHashes } from "../../../core/protocol/note.ts";
import { type AppContext, withdrawalChain } from "../context.ts";

/** What pages and logs tell of a note. Only logs contain times and payments. */
export type FoundStatus = NotePageStatus & Partial<NoteStatus>;

/** A pool's public data, in which notes are looked up on this device. */
export interface PoolLookup {
  /** Whether the pool has a leaf with this commitment, or its log a waiting deposit. */
  isDeposited(commitment: bigint): boolean;
  /** Returns, for each commitment, the leaves that have it. */
  leavesOf(commitments: readonly bigint[]): readonly (readonly number[])[];
  statusesOf(notes: readonly NoteHashes[]): readonly FoundStatus[];
}
export type ReadPool = (deployment: Deployment) => Promise<PoolLookup>;

/** The pools' logs, as far as this visit has read them. */
export class PoolLogs {
  readonly #readers = new Map<string, PoolHistoryReader>(); // by endpoint and pool

  constructor(private readonly context: AppContext) {}

  /** Then every later check reads what is new. If only some did, a read would tell that a note has arrived. */
  get wereRead(): boolean {
    return this.#readers.size > 0;
  }

  async read(
    { address, version }: Deployment,
    signal: AbortSignal,
    onProgress: (seen: number) => void,
  ): Promise<PoolLookup> {
    const key = `${this.context.connections().withdrawalEndpoint} ${address.toRawString()}`;
    const reader = this.#readers.get(key) ??
      new PoolHistoryReader(withdrawalChain(this.context), address, version);
    this.#readers.set(key, reader);
    const { isDeposited, leavesOf, statusOf } = await reader.read({ signal, onProgress });
    return {
      isDeposited,
      leavesOf: (commitments) => commitments.map(leavesOf),
      statusesOf: (notes) => notes.map(statusOf),
    };
  }
}
