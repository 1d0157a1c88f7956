/**
 * A store as a file, and back: a header line, one line a row, and a last line with their number and the SHA-256 of all
 * bytes before it. A file that was cut off, or changed, is refused before a single row of it is written.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { Problem } from "../core/errors.ts";
import type { Archive, ArchiveRow } from "../store/archive.ts";
import { lineOfRow, rowOfLine } from "./store_rows.ts";

const FORMAT = "tonado-store";
const VERSION = 1;
/** Rows between two reports of progress, and bytes that are written together. */
const REPORT = 1_000;
const CHUNK = 65_536;
/** A line that is longer is none of ours: the longest carries a transfer of 64 KiB. */
const LONGEST_LINE = 1_000_000;

/** How many rows of each kind. */
export type RowCounts = Readonly<Record<ArchiveRow["kind"], number>>;

/** What was exported or imported. */
export interface ExportSummary {
  readonly rows: number;
  readonly counts: RowCounts;
  /** Of all lines but the last, hex. */
  readonly sha256: string;
}

type Progress = (rows: number) => void;

const header = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  exportedAt: z.string(),
});
const trailer = z.strictObject({ rows: z.int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) });

/** The file's bytes, as they come; `done` is called with the summary before the last of them. */
export async function* exportStore(
  store: Archive,
  { exportedAt, onProgress, done }: {
    readonly exportedAt: Date;
    readonly onProgress: Progress;
    readonly done: (summary: ExportSummary) => void;
  },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const hash = createHash("sha256");
  const tally = new Tally();
  let text = JSON.stringify({ format: FORMAT, version: VERSION, exportedAt: exportedAt.toISOString() }) +
    "\n";
  for await (const row of store.rows()) {
    text += lineOfRow(row) + "\n";
    if (tally.add(row) % REPORT === 0) onProgress(tally.rows);
    if (text.length < CHUNK) continue;
    const bytes = encoder.encode(text);
    hash.update(bytes);
    yield bytes;
    text = "";
  }
  const bytes = encoder.encode(text);
  const sha256 = hash.update(bytes).digest("hex");
  yield bytes;
  done({ rows: tally.rows, counts: tally.counts, sha256 });
  yield encoder.encode(JSON.stringify({ rows: tally.rows, sha256 }) + "\n");
}

/**
 * Reads a file to its end and changes nothing.
 *
 * @throws {Problem} `invalid_export`
 */
export async function verifyExport(
  file: ReadableStream<Uint8Array>,
  onProgress: Progress,
): Promise<ExportSummary> {
  const tally = new Tally();
  const rows = readRows(file);
  for (;;) {
    const { value, done } = await rows.next();
    if (done) return { rows: tally.rows, counts: tally.counts, sha256: value };
    if (tally.add(value) % REPORT === 0) onProgress(tally.rows);
  }
}

/**
 * Writes a file's rows into an empty store.
 *
 * @param open opens the file; it is read twice, so that a bad one changes nothing
 * @throws {Problem} `invalid_export`, `store_not_empty`
 */
export async function importStore(
  store: Archive,
  open: () => Promise<ReadableStream<Uint8Array>>,
  onProgress: (stage: "verified" | "imported", rows: number) => void,
): Promise<ExportSummary> {
  const verified = await verifyExport(await open(), (rows) => onProgress("verified", rows));
  const file = await open();
  await store.restore((async function* () {
    let count = 0;
    for await (const row of readRows(file)) {
      if (++count % REPORT === 0) onProgress("imported", count);
      yield row;
    }
  })());
  return verified;
}

/** The rows of a file; returns its hash when it is whole. */
async function* readRows(file: ReadableStream<Uint8Array>): AsyncGenerator<ArchiveRow, string> {
  const decoder = new TextDecoder();
  const hash = createHash("sha256");
  let line = 0;
  let rows = 0;
  let last: Uint8Array | undefined;
  for await (const bytes of lines(file)) {
    if (last !== undefined) {
      hash.update(last).update("\n");
      if (++line === 1) {
        if (!header.safeParse(json(decoder.decode(last))).success) {
          throw invalid("it does not begin as a store's export of this version");
        }
      } else {
        const row = rowOfLine(decoder.decode(last));
        if (row === undefined) throw invalid(`line ${line} is no row`);
        rows++;
        yield row;
      }
    }
    last = bytes;
  }
  const sha256 = hash.digest("hex");
  const end = last && trailer.safeParse(json(decoder.decode(last)));
  if (line === 0 || !end?.success) throw invalid("it was cut off: its last line is missing");
  if (end.data.rows !== rows || end.data.sha256 !== sha256) {
    throw invalid("it was changed: its rows do not have the number and the hash that its last line names");
  }
  return sha256;
}

/** Whole lines without their ends; what follows the last end is no line. */
async function* lines(file: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
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
    if (rest.length > LONGEST_LINE) throw invalid("a line of it is too long");
  }
  if (rest.length > 0) throw invalid("it was cut off in the middle of a line");
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(detail: string): Problem {
  return new Problem("invalid_export", detail);
}

class Tally {
  rows = 0;
  readonly #counts: Record<ArchiveRow["kind"], number> = {
    identity: 0,
    cursor: 0,
    deposit: 0,
    withdrawal: 0,
    job: 0,
    transfer: 0,
  };

  get counts(): RowCounts {
    return this.#counts;
  }

  add(row: ArchiveRow): number {
    this.#counts[row.kind]++;
    return ++this.rows;
  }
}
