/** Carried paths of version 2 pools that both kinds refuse. */
import { beginCell, Cell } from "@ton/core";
import type { ExitCodeName } from "../../../src/core/errors/problem.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";

/** Returns a spent set whose slot 5 has `keys` keys. */
export function slotOf(keys: number): SpentSet {
  const spent = new SpentSet();
  for (let i = 0; i < keys; i++) spent.add((BigInt(i) << 12n) | 5n);
  return spent;
}

/** Builds a path of nodes with these bits, first node first. */
const pathOf = (nodes: readonly Uint8Array[]) =>
  nodes.reduceRight<Cell | null>((next, node) => {
    const builder = beginCell().storeBuffer(Buffer.from(node));
    return (next ? builder.storeRef(next) : builder).endCell();
  }, null);
const nodesOf = (path: Cell | null): Buffer[] => {
  const nodes: Buffer[] = [];
  for (let cell = path; cell; cell = cell.refs[0] ?? null) {
    nodes.push(cell.beginParse().loadBuffer(cell.bits.length / 8));
  }
  return nodes;
};
const flip = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => i === at ? byte ^ 1 : byte);
const exotic = (path: Cell) =>
  new Cell({ exotic: true, bits: beginCell().storeUint(2, 8).storeBuffer(path.hash()).endCell().bits });

/** Returns paths for a new key of slot 5 that are not the stored one, with the code that refuses them. */
export function wrongPaths(
  spent: SpentSet,
  nullifierHash: bigint,
): Record<string, readonly [path: Cell | null, code: ExitCodeName]> {
  const right = spent.slotPath(nullifierHash)!;
  const nodes = nodesOf(right);
  const last = nodes.length - 1;
  const spareRef = (cell: Cell, at: number): Cell =>
    at === 0
      ? beginCell().storeSlice(cell.beginParse()).storeRef(Cell.EMPTY).endCell()
      : beginCell().storeBits(cell.bits).storeRef(spareRef(cell.refs[0], at - 1)).endCell();
  const wrong: Record<string, [path: Cell | null, code?: ExitCodeName]> = {
    "no path": [null],
    "an empty cell": [Cell.EMPTY],
    "a forged first node": [pathOf([flip(nodes[0], 3), ...nodes.slice(1)])],
    "a forged last node": [pathOf([...nodes.slice(0, last), flip(nodes[last], 3)])],
    "one byte less": [pathOf([...nodes.slice(0, last), nodes[last].subarray(1)])],
    "one byte more": [pathOf([...nodes.slice(0, last), Buffer.concat([nodes[last], Buffer.from([0])])])],
    "one bit more": [
      beginCell().storeSlice(right.beginParse()).storeBit(0).endCell(),
      "ERR_MALFORMED",
    ],
    "one bit less": [
      beginCell().storeBits(right.bits.substring(0, right.bits.length - 1)).endCell(),
      "ERR_MALFORMED",
    ],
    "the tags of another slot": [spent.slotPath(6n) ?? beginCell().storeUint(9, 96).endCell()],
    "an exotic cell": [exotic(right), "ERR_MALFORMED"],
  };
  for (let at = 0; at <= last; at++) {
    wrong[`a spare reference at node ${at}`] = [spareRef(right, at), "ERR_MALFORMED"];
  }
  if (last > 0) {
    wrong["a path that is cut"] = [pathOf(nodes.slice(0, last)), "ERR_MALFORMED"];
    wrong["a path without its first node"] = [pathOf(nodes.slice(1))];
    wrong["its nodes in reverse"] = [pathOf(nodes.toReversed())];
    wrong["an exotic last node"] = [
      nodes.slice(0, last).reduceRight(
        (next, node) => beginCell().storeBuffer(node).storeRef(next).endCell(),
        exotic(pathOf([nodes[last]])!),
      ),
      "ERR_MALFORMED",
    ];
  }
  return Object.fromEntries(
    Object.entries(wrong).map(([what, [path, code = "ERR_STALE_SLOT"]]) => [what, [path, code]]),
  );
}
