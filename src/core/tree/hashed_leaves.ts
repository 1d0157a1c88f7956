/** The nodes above new leaves, hashed before the tree takes them. */
import { FIELD_BYTES } from "../crypto/field.ts";

/** Consecutive nodes of one level. */
export interface NodeRange {
  readonly level: number;
  readonly first: number;
  /** 32 big-endian bytes each. */
  readonly nodes: Uint8Array;
}

/** Belongs to the tree of `start` leaves for which it was hashed. */
export class HashedLeaves {
  constructor(
    readonly start: number,
    readonly end: number,
    /** The root of the tree with all these leaves. */
    readonly root: bigint,
    private readonly ranges: readonly NodeRange[],
  ) {}

  /** Returns 32 bytes; undefined if the node has no new leaf below it. */
  nodeAt(level: number, i: number): Uint8Array | undefined {
    const range = this.ranges.find(({ level: own, first, nodes }) =>
      own === level && i >= first && i < first + nodes.length / FIELD_BYTES
    );
    const start = (i - (range?.first ?? 0)) * FIELD_BYTES;
    return range?.nodes.subarray(start, start + FIELD_BYTES);
  }

  /** Returns whether `leaves` (n * 32 bytes) are the ones from number `first` on. */
  contains(first: number, leaves: Uint8Array): boolean {
    const end = first + leaves.length / FIELD_BYTES;
    if (first < this.start || end > this.end) return false;
    return this.ranges.every((range) => {
      if (range.level > 0) return true;
      const [from, to] = overlap(range, first, end);
      const own = range.nodes.subarray((from - range.first) * FIELD_BYTES, (to - range.first) * FIELD_BYTES);
      const given = leaves.subarray((from - first) * FIELD_BYTES, (to - first) * FIELD_BYTES);
      return isEqual(own, given);
    });
  }

  copyLeavesTo(leaves: Uint8Array, first: number, end: number): void {
    for (const range of this.ranges) if (range.level === 0) copyNodes(range, first, end, leaves);
  }

  /** Copies the nodes above leaves `first` to `end` that no later leaf changes. */
  copyNodesTo(levels: readonly Uint8Array[], first: number, end: number): void {
    for (const range of this.ranges) {
      const leaves = 2 ** range.level;
      const last = end === this.end ? Math.ceil(end / leaves) : Math.floor(end / leaves);
      if (range.level > 0) copyNodes(range, Math.floor(first / leaves), last, levels[range.level]);
    }
  }
}

function copyNodes(range: NodeRange, from: number, to: number, target: Uint8Array): void {
  const [start, end] = overlap(range, from, to);
  if (start === end) return;
  const nodes = range.nodes.subarray((start - range.first) * FIELD_BYTES, (end - range.first) * FIELD_BYTES);
  target.set(nodes, start * FIELD_BYTES);
}

/** Returns the part of the range between nodes `from` and `to`; it may be empty. */
function overlap({ first, nodes }: NodeRange, from: number, to: number): [number, number] {
  const start = Math.max(first, from);
  return [start, Math.max(start, Math.min(first + nodes.length / FIELD_BYTES, to))];
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}
