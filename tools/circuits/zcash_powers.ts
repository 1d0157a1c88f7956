/**
 * Reads files of the public phase 1 over BLS12-381 in the format of Zcash (2^21 rows) and Filecoin (2^27):
 * ebfull/powersoftau, `src/lib.rs`. After 64 bytes of hash they hold tau^k in G1, tau^k in G2, alpha tau^k, beta
 * tau^k, and beta in G2, in ZCash's encoding: compressed in a `response`, uncompressed in a `challenge`.
 */
import { concatBytes } from "@noble/hashes/utils.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { pointFromHex } from "../../src/ops/ceremony/arithmetic/point_hex.ts";
import { BASE_FIELD_BYTES, COORDINATE_BYTES } from "../../src/ops/ceremony/arithmetic/points.ts";
import { type ByteSource, u32, writeSections } from "../../src/ops/ceremony/section_file.ts";

const HASH_BYTES = 64;
/** The end of a `response`: three points of G2 and six of G1, uncompressed. */
const PUBLIC_KEY_BYTES = 3 * 192 + 6 * 96;

/** Returns the size of a file for 2^power rows whose points of G1 have `point` bytes. */
export function fileSize(power: number, point: 48 | 96): number {
  const rows = 2 ** power;
  const points = (2 * rows - 1) + 2 * rows + 2 * rows + 2; // a point of G2 is as long as two of G1
  return HASH_BYTES + points * point + (point === 48 ? PUBLIC_KEY_BYTES : 0);
}

/**
 * Returns the first powers of such a file as a `.ptau` that is not prepared for phase 2.
 *
 * @param power of the result: 2^power rows
 * @throws Error if the size fits no such file, or if a point is malformed, off the curve or of another order
 */
export async function convertPowers(
  source: ByteSource,
  power: number,
  onProgress: (fraction: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const forms = ([48, 96] as const).flatMap((point) =>
    Array.from({ length: 28 }, (_, i) => ({ point, full: i + 1, size: fileSize(i + 1, point) }))
  );
  const form = forms.find(({ size }) => size === source.size);
  if (form === undefined) {
    throw new Error(`${source.size} bytes are the size of no challenge and no response`);
  }
  const { point, full } = form;
  if (power > full) throw new Error(`the file holds 2^${full} rows, not 2^${power}`);
  const [rows, all] = [2 ** power, 2 ** full];
  const lists = [
    { section: 2, bytes: point, of: 2 * all - 1, take: 2 * rows - 1 },
    { section: 3, bytes: 2 * point, of: all, take: rows },
    { section: 4, bytes: point, of: all, take: rows },
    { section: 5, bytes: point, of: all, take: rows },
    { section: 6, bytes: 2 * point, of: 1, take: 1 },
  ];
  const total = lists.reduce((sum, { take }) => sum + take, 0);
  const header = concatBytes(u32(COORDINATE_BYTES), BASE_FIELD_BYTES, u32(power), u32(full));
  const sections: [number, Uint8Array][] = [[1, header]];
  let [offset, done] = [HASH_BYTES, 0];
  for (const { section, bytes, of, take } of lists) {
    const read = await source.read(offset, take * bytes);
    const points: Uint8Array[] = [];
    for (let i = 0; i < take; i++) {
      points.push(convertPoint(read.slice(i * bytes, (i + 1) * bytes), section === 3 || section === 6));
      if (++done % 256 === 0) onProgress(done / total);
    }
    sections.push([section, concatBytes(...points)]);
    offset += of * bytes;
  }
  sections.push([7, u32(0)]); // the contributions stay in the source file
  return writeSections("ptau", sections);
}

/**
 * Converts a point to the encoding of a `.ptau`. noble rejects points off the curve; assertValidity checks the order.
 */
function convertPoint(encoded: Uint8Array, inG2: boolean): Uint8Array {
  const { G1, G2 } = bls12_381;
  const point = inG2 ? G2.Point.fromBytes(encoded) : G1.Point.fromBytes(encoded);
  point.assertValidity();
  return pointFromHex(point.toHex(false));
}
