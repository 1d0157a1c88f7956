/** Snapshots of version 2 pools: a store's public rows, from which a new relayer starts. */
import { Address } from "@ton/core";
import type { Network } from "../../core/protocol/network.ts";
import type { Archive, ArchiveRow } from "../../store/archive.ts";
import type { Cursor, LogEntry, PoolId } from "../../store/store.ts";
import { type AuditOptions, auditPool, type PoolAudit } from "../audit/audit.ts";
import { V2PoolRebuild } from "../audit/v2/rebuilt_pool.ts";
import { decodeRows, encodeRows, type ExportOptions, invalidExport, type RowFileFormat } from "./export.ts";

const PROGRESS_INTERVAL_ROWS = 1_000;
const HISTORY_CHECKS: readonly string[] = ["tree", "queue", "spent"];

/** A pool of a snapshot whose rows agree with each other. */
export interface SnapshotPool {
  readonly id: PoolId;
  readonly cursor: Cursor; // the pool's last transaction in the snapshot
  readonly deposits: number;
  readonly settled: number;
  readonly payments: number;
  readonly root: bigint; // of the settled deposits
  readonly rebuild: V2PoolRebuild;
}

export interface Snapshot {
  readonly pools: readonly SnapshotPool[];
  readonly sha256: string;
}

export function snapshotFormat(network: Network): RowFileFormat {
  return { format: "tonado-snapshot", network };
}

/** `pools`: raw addresses of version 2 pools. */
export function exportSnapshot(
  store: Pick<Archive, "rows">,
  pools: ReadonlySet<PoolId>,
  network: Network,
  options: ExportOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return encodeRows(publicRows(store.rows(), pools), snapshotFormat(network), options);
}

async function* publicRows(rows: AsyncIterable<ArchiveRow>, pools: ReadonlySet<PoolId>) {
  for await (const row of rows) if (isPublic(row) && pools.has(row.pool)) yield row;
}

type PublicRow = Extract<ArchiveRow, { kind: "cursor" | "deposit" | "withdrawal" | "log" }>;

function isPublic(row: ArchiveRow): row is PublicRow {
  return row.kind === "cursor" || row.kind === "deposit" || row.kind === "withdrawal" || row.kind === "log";
}

/** Reads a snapshot and rebuilds its pools. Does not query the chain. Throws `invalid_export` for rows that contradict each other. */
export async function readSnapshot(
  file: ReadableStream<Uint8Array>,
  network: Network,
  onProgress: (rows: number) => void,
): Promise<Snapshot> {
  const pools = new Map<PoolId, PoolReader>();
  const rows = decodeRows(file, snapshotFormat(network));
  for (let count = 1;; count++) {
    const { value, done } = await rows.next();
    if (done) {
      if (pools.size === 0) throw invalidExport("it has no pool");
      return { pools: [...pools.values()].map((pool) => pool.finish()), sha256: value };
    }
    if (!isPublic(value)) throw invalidExport(`it has a row of the kind ${value.kind}, which is not public`);
    if (value.kind === "cursor" && !pools.has(value.pool)) {
      pools.set(value.pool, new PoolReader(value.pool, value.cursor));
    } else {
      const pool = pools.get(value.pool);
      if (value.kind === "cursor" || pool === undefined) {
        throw invalidExport(`it has no cursor, or two, for the pool ${value.pool}`);
      }
      pool.add(value);
    }
    if (count % PROGRESS_INTERVAL_ROWS === 0) onProgress(count);
  }
}

class PoolReader {
  readonly #rebuild = new V2PoolRebuild();
  /** Transaction hash by nullifier hash, of payments that the log has not named yet. */
  readonly #unlogged = new Map<bigint, string>();
  #deposits = 0;
  #payments = 0;
  #settlements = 0;
  #settled = 0;
  #position = 0;

  constructor(readonly id: PoolId, readonly cursor: Cursor) {}

  add(row: Exclude<PublicRow, { kind: "cursor" }>): void {
    if (row.kind === "deposit") {
      const { leafIndex, commitment, timestamp } = row.deposit;
      if (leafIndex !== this.#deposits) this.#refuse(`leaf ${this.#deposits} is missing`);
      this.#rebuild.add({ kind: "deposit", leafIndex, commitment, timestamp });
      this.#deposits++;
    } else if (row.kind === "withdrawal") {
      const { nullifierHash, txHash } = row.withdrawal;
      if (this.#unlogged.has(nullifierHash)) this.#refuse("a note is paid twice");
      this.#unlogged.set(nullifierHash, txHash);
    } else this.#addLogged(row.entry);
  }

  #addLogged({ position, kind, value, settled, txHash }: LogEntry): void {
    if (position !== this.#position) this.#refuse(`entry ${this.#position} of its log is missing`);
    this.#position++;
    if (kind === "settlement") {
      const rootNumber = this.#settlements++;
      this.#rebuild.add({ kind: "settlement", rootNumber, newRoot: value, end: settled, timestamp: 0 });
      this.#settled = settled;
      return;
    }
    if (settled !== this.#settled) this.#refuse(`entry ${position} of its log is out of order`);
    if (this.#unlogged.get(value) !== txHash) this.#refuse(`entry ${position} of its log names no payment`);
    this.#unlogged.delete(value);
    this.#rebuild.add({ kind: "withdrawal", nullifierHash: value, timestamp: 0 });
    this.#payments++;
  }

  finish(): SnapshotPool {
    const { fault, distinctNullifiers, rootHistory: [root] } = this.#rebuild.result();
    if (fault !== undefined) this.#refuse(fault);
    if (this.#unlogged.size > 0) this.#refuse("a payment is missing in its log");
    if (distinctNullifiers !== this.#payments) this.#refuse("a note is paid twice");
    return {
      id: this.id,
      cursor: this.cursor,
      deposits: this.#deposits,
      settled: this.#settled,
      payments: this.#payments,
      root,
      rebuild: this.#rebuild,
    };
  }

  #refuse(what: string): never {
    throw invalidExport(`pool ${this.id}: ${what}`);
  }
}

/**
 * The pool's last transaction must be on chain, and its rows with all later logs must give the account's
 * roots, queue and spent set. Nodes delete what times and hashes of rows could be compared with. Throws
 * `invalid_export` if the chain contradicts the snapshot; `chain_unavailable`, `chain_inconsistent`.
 */
export async function verifySnapshotPool(
  { id, cursor, rebuild }: SnapshotPool,
  options: Omit<AuditOptions, "address" | "known">,
): Promise<PoolAudit> {
  const address = Address.parse(id);
  const audit = await auditPool({ ...options, address, known: { rebuild, after: cursor } });
  if (audit.facts === undefined || audit.facts.version2 === undefined) {
    throw invalidExport(`there is no version 2 pool at ${id}`);
  }
  const failed = audit.checks.filter(({ name, verdict }) =>
    verdict === "failed" && HISTORY_CHECKS.includes(name)
  );
  if (failed.length > 0) {
    const details = failed.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
    throw invalidExport(`pool ${id} is not as on chain: ${details}`);
  }
  return audit;
}
