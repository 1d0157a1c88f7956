/** How one proof is spread over workers: the sums that it is made of, whole or in parts, and joined again. */
import type { PieceName, Pieces, PieceShare } from "./worker_task.ts";

/** Longest first, so that workers that take the next one end at about the same time; G2 costs twice as much as G1. */
const LONGEST_FIRST: readonly PieceName[] = ["b2", "h", "a", "c", "b1"];
/** What is worth halving where there are workers for it. The transforms before `h` are then done twice. */
const HALVED: ReadonlySet<PieceName> = new Set(["b2", "h"]);
/** So many workers finish all else before the two longest pieces are done. */
const WORKERS_FOR_HALVES = 4;

/** The shares of a proof for so many workers. */
export function spread(workers: number): PieceShare[] {
  return LONGEST_FIRST.flatMap((piece) => {
    const parts = workers >= WORKERS_FOR_HALVES && HALVED.has(piece) ? 2 : 1;
    return Array.from({ length: parts }, (_, part): PieceShare => ({ piece, part, parts }));
  });
}

/** The pieces, of each its parts in order: a point for each share. */
export function joined(shares: readonly PieceShare[], points: readonly Uint8Array[]): Pieces {
  const of = (piece: PieceName) => {
    const parts = points.filter((_, i) => shares[i].piece === piece);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  };
  return { a: of("a"), b1: of("b1"), b2: of("b2"), c: of("c"), h: of("h") };
}
