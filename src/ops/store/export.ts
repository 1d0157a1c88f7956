/** Exports of a store, in the format of snapshots: header, rows, and a line with row count and SHA-256. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Archive, ArchiveRow } from "../../store/archive.ts";
import { decodeRow, encodeRow, tryParseJson } from "./row_codec.ts";

const VERSION = 1;
const PROGRESS_INTERVAL_ROWS = 1_000;
const MIN_CHUNK_CHARS = 65_536;
/** The longest valid line contains a transfer of 64 KiB. */
const MAX_LINE_BYTES = 1_000_000;

type RowCounts = Readonly<Record<ArchiveRow["kind"], number>>;

export interface ExportSummary {
  readonly rows: number;
  readonly counts: RowCounts;
  readonly sha256: string; // hex digest of all lines except the last
}

type RowProgress = (rows: number) => void;

/** `network` only in snapshots. */
export interface RowFileFormat {
  readonly format: "tonado-store" | "tonado-snapshot";
  readonly network?: Network;
}

const storeFormat: RowFileFormat = { format: "tonado-store" };
const exportTrailer = z.strictObject({
  rows: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface ExportOptions {
  readonly exportedAt: Date;
  readonly onProgress: RowProgress;
  readonly done: (summary: ExportSummary) => void; // called with the summary before the last line
}

export function exportStore(store: Archive, options: ExportOptions): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return encodeRows(store.rows(), storeFormat, options);
}

export async function* encodeRows(
  rows: AsyncIterable<ArchiveRow>,
  format: RowFileFormat,
  { exportedAt, onProgress, done }: ExportOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const hash = createHash("sha256");
  const counter = new RowCounter();
  let text = JSON.stringify({ ...format, version: VERSION, exportedAt: exportedAt.toISOString() }) + "\n";
  for await (const row of rows) {
    text += encodeRow(row) + "\n";
    if (counter.add(row) % PROGRESS_INTERVAL_ROWS === 0) onProgress(counter.rows);
    if (text.length < MIN_CHUNK_CHARS) continue;
    const bytes = encoder.encode(text);
    hash.update(bytes);
    yield bytes;
    text = "";
  }
  const bytes = encoder.encode(text);
  const sha256 = hash.update(bytes).digest("hex");
  yield bytes;
  done({ rows: counter.rows, counts: counter.counts, sha256 });
  yield encoder.encode(JSON.stringify({ rows: counter.rows, sha256 }) + "\n");
}

/** Verifies a file without changing anything. Throws `invalid_export`. */
export async function verifyExport(
  file: ReadableStream<Uint8Array>,
  onProgress: RowProgress,
): Promise<ExportSummary> {
  const counter = new RowCounter();
  const rows = decodeRows(file, storeFormat);
  for (;;) {
    const { value, done } = await rows.next();
    if (done) return { rows: counter.rows, counts: counter.counts, sha256: value };
    if (counter.add(value) % PROGRESS_INTERVAL_ROWS === 0) onProgress(counter.rows);
  }
}

/** Reads the file twice, so an invalid one changes nothing. Throws `invalid_export` or `store_not_empty`. */
export async function importStore(
  store: Archive,
  open: () => Promise<ReadableStream<Uint8Array>>,
  onProgress: (stage: "verified" | "imported", rows: number) => void,
): Promise<ExportSummary> {
  const verified = await verifyExport(await open(), (rows) => onProgress("verified", rows));
  const { sha256 } = verified;
  await restoreRows(store, await open(), {
    format: storeFormat,
    sha256,
    onProgress: (rows) => onProgress("imported", rows),
  });
  return verified;
}

export async function restoreRows(
  store: Archive,
  file: ReadableStream<Uint8Array>,
  { format, sha256, onProgress }: {
    readonly format: RowFileFormat;
    readonly sha256: string;
    readonly onProgress: RowProgress;
  },
): Promise<void> {
  await store.restore((async function* () {
    const rows = decodeRows(file, format);
    for (let count = 1;; count++) {
      const { value, done } = await rows.next();
      if (!done) yield value;
      else if (value === sha256) return;
      else throw invalidExport("it was replaced while it was imported");
      if (count % PROGRESS_INTERVAL_ROWS === 0) onProgress(count);
    }
  })());
}

/** Yields the rows of a file and returns its SHA-256. Throws `invalid_export`, also after rows of a truncated file. */
export async function* decodeRows(
  file: ReadableStream<Uint8Array>,
  { format, network }: RowFileFormat,
): AsyncGenerator<ArchiveRow, string> {
  const header = z.strictObject({
    format: z.literal(format),
    ...network && { network: z.literal(network) },
    version: z.literal(VERSION),
    exportedAt: z.string(),
  });
  const decoder = new TextDecoder();
  const hash = createHash("sha256");
  let line = 0;
  let rows = 0;
  let last: Uint8Array | undefined;
  for await (const bytes of readLines(file)) {
    if (last !== undefined) {
      hash.update(last).update("\n");
      if (++line === 1) {
        if (!header.safeParse(tryParseJson(decoder.decode(last))).success) {
          const what = network === undefined ? "an export" : `a snapshot of ${network}`;
          throw invalidExport(`it does not begin with the header of ${what} of this version`);
        }
      } else {
        const row = decodeRow(decoder.decode(last));
        if (row === undefined) throw invalidExport(`line ${line} is not a valid row`);
        rows++;
        yield row;
      }
    }
    last = bytes;
  }
  const sha256 = hash.digest("hex");
  const end = last && exportTrailer.safeParse(tryParseJson(decoder.decode(last)));
  if (line === 0 || !end?.success) throw invalidExport("it is truncated: its last line is missing");
  if (end.data.rows !== rows || end.data.sha256 !== sha256) {
    throw invalidExport("it was changed: its rows do not match the number and the hash in its last line");
  }
  return sha256;
}

/** Bytes after the last terminator are an error. */
async function* readLines(file: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array();
  for await (const chunk of file) {
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.slice(start);
    if (rest.length > MAX_LINE_BYTES) throw invalidExport(`a line has more than ${MAX_LINE_BYTES} bytes`);
  }
  if (rest.length > 0) throw invalidExport("it is truncated in the middle of a line");
}

export function invalidExport(detail: string): Problem {
  return new Problem("invalid_export", detail);
}

class RowCounter {
  rows = 0;
  readonly #counts: Record<ArchiveRow["kind"], number> = {
    identity: 0,
    cursor: 0,
    deposit: 0,
    withdrawal: 0,
    job: 0,
    transfer: 0,
    ledger: 0,
    log: 0,
  };

  get counts(): RowCounts {
    return this.#counts;
  }

  add(row: ArchiveRow): number {
    this.#counts[row.kind]++;
    return ++this.rows;
  }
}
