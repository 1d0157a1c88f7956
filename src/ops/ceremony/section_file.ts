/** iden3's `.ptau` and `.zkey`: sections of { u32 id, u64 length }, little endian. Files are not trusted. */
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { Problem } from "../../core/errors/problem.ts";

/** Read in parts: files of phase 1 may be larger than memory. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface FileByteSource extends ByteSource {
  close(): void;
}

export interface Section {
  readonly offset: number;
  readonly length: number;
}

const PREFIX_BYTES = 12;
const VERSION = 1;
const MAX_SECTIONS = 32; // more than either format uses

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}

/** Throws `invalid_ceremony`, naming `what`, for a duplicate section, missing or surplus bytes. */
export async function readSections(
  source: ByteSource,
  magic: "ptau" | "zkey",
  what: string,
): Promise<ReadonlyMap<number, Section>> {
  const prefix = dataViewOf(await source.read(0, PREFIX_BYTES));
  if (prefix.byteLength < PREFIX_BYTES) throw ceremonyProblem(what, "is truncated");
  if (new TextDecoder().decode(new Uint8Array(prefix.buffer, 0, 4)) !== magic) {
    throw ceremonyProblem(what, `is not a ${magic} file`);
  }
  if (prefix.getUint32(4, true) !== VERSION) throw ceremonyProblem(what, "has an unknown version");
  const sections = new Map<number, Section>();
  let offset = PREFIX_BYTES;
  const count = prefix.getUint32(8, true);
  if (count > MAX_SECTIONS) throw ceremonyProblem(what, `has ${count} sections, which no such file has`);
  for (let read = 0; read < count; read++) {
    const head = dataViewOf(await source.read(offset, 12));
    if (head.byteLength < 12) throw ceremonyProblem(what, "is truncated");
    const [id, length] = [head.getUint32(0, true), Number(head.getBigUint64(4, true))];
    offset += 12;
    if (sections.has(id)) throw ceremonyProblem(what, `has section ${id} twice`);
    if (length > source.size - offset) throw ceremonyProblem(what, "is truncated");
    sections.set(id, { offset, length });
    offset += length;
  }
  if (offset !== source.size) throw ceremonyProblem(what, "has bytes after its last section");
  return sections;
}

export function writeSections(
  magic: "ptau" | "zkey" | "r1cs" | "wtns",
  sections: readonly (readonly [id: number, content: Uint8Array])[],
  version = VERSION,
): Uint8Array<ArrayBuffer> {
  return concatBytes(
    utf8ToBytes(magic),
    u32(version),
    u32(sections.length),
    ...sections.flatMap(([id, content]) => [u32(id), u64(content.length), content]),
  );
}

/** Little endian. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  dataViewOf(bytes).setUint32(0, value, true);
  return bytes;
}

export function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  dataViewOf(bytes).setBigUint64(0, BigInt(value), true);
  return bytes;
}

export function equalBytes(x: Uint8Array, y: Uint8Array): boolean {
  return x.length === y.length && x.every((byte, i) => byte === y[i]);
}

/** `hint`: the next step if the ceremony itself is valid. */
export function ceremonyProblem(what: string, detail: string, hint?: string): Problem {
  return new Problem("invalid_ceremony", `${what} ${detail}`, hint === undefined ? {} : { hint });
}

function dataViewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
