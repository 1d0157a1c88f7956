/**
 * Files in sections, as iden3's tools write `.ptau` and `.zkey`: four letters, version, count, then sections of { u32 id,
 * u64 length }, all little endian. Files come from strangers: what is cut short or does not add up is refused.
 */
import { Problem } from "../../core/errors.ts";

/** Something to read parts of: files of phase 1 may be larger than memory. */
export interface Source {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A source that can be closed. */
export interface FileSource extends Source {
  close(): void;
}

/** Where a section's content lies. */
export interface Section {
  readonly offset: number;
  readonly length: number;
}

const PREFIX = 12;
const VERSION = 1;
/** More than either kind of file has. */
const MOST_SECTIONS = 32;

/** Bytes as a source. */
export function inMemory(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}

/**
 * The sections of a file by their number.
 *
 * @param what how errors call the file
 * @throws {Problem} `invalid_ceremony` for another kind of file, a section twice, missing or surplus bytes
 */
export async function readSections(
  source: Source,
  magic: "ptau" | "zkey",
  what: string,
): Promise<ReadonlyMap<number, Section>> {
  const prefix = view(await source.read(0, PREFIX));
  if (prefix.byteLength < PREFIX) throw refused(what, "is cut short");
  if (new TextDecoder().decode(new Uint8Array(prefix.buffer, 0, 4)) !== magic) {
    throw refused(what, `is not a ${magic} file`);
  }
  if (prefix.getUint32(4, true) !== VERSION) throw refused(what, "is of an unknown version");
  const sections = new Map<number, Section>();
  let offset = PREFIX;
  const count = prefix.getUint32(8, true);
  if (count > MOST_SECTIONS) throw refused(what, `has ${count} sections, which no such file has`);
  for (let read = 0; read < count; read++) {
    const head = view(await source.read(offset, 12));
    if (head.byteLength < 12) throw refused(what, "is cut short");
    const [id, length] = [head.getUint32(0, true), Number(head.getBigUint64(4, true))];
    offset += 12;
    if (sections.has(id)) throw refused(what, `has section ${id} twice`);
    if (length > source.size - offset) throw refused(what, "is cut short");
    sections.set(id, { offset, length });
    offset += length;
  }
  if (offset !== source.size) throw refused(what, "has bytes after its last section");
  return sections;
}

/** A file of these sections, in this order. */
export function writeSections(
  magic: "zkey",
  sections: readonly (readonly [id: number, content: Uint8Array])[],
): Uint8Array<ArrayBuffer> {
  const heads = sections.map(([id, content]) => joined(u32(id), u64(content.length)));
  return joined(
    new TextEncoder().encode(magic),
    u32(VERSION),
    u32(sections.length),
    ...sections.flatMap(([, content], i) => [heads[i], content]),
  );
}

/** Little endian. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  view(bytes).setUint32(0, value, true);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  view(bytes).setBigUint64(0, BigInt(value), true);
  return bytes;
}

/** One after another. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Whether both are the same bytes. */
export function sameBytes(x: Uint8Array, y: Uint8Array): boolean {
  return x.length === y.length && x.every((byte, i) => byte === y[i]);
}

/**
 * The error for a file, transcript or key that is not what it must be.
 *
 * @param todo the next step where nothing is wrong with the ceremony itself
 */
export function refused(what: string, detail: string, todo?: string): Problem {
  return new Problem("invalid_ceremony", `${what} ${detail}`, todo === undefined ? {} : { todo });
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
