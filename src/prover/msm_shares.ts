import type { MsmName, MsmResults, MsmShare } from "./prover_task.ts";

/** Slowest first, so that the workers finish at about the same time. G2 costs twice as much as G1. */
const MSMS_SLOWEST_FIRST: readonly MsmName[] = ["b2", "h", "a", "c", "b1"];
/** Worth halving with enough workers. Both halves of `h` repeat the transforms before it. */
const SPLITTABLE_MSMS: ReadonlySet<MsmName> = new Set(["b2", "h"]);
/** With this many workers, all other sums finish before the two slowest ones. */
const MIN_WORKERS_TO_SPLIT = 4;

export function planMsmShares(workers: number): MsmShare[] {
  return MSMS_SLOWEST_FIRST.flatMap((msm) => {
    const partCount = workers >= MIN_WORKERS_TO_SPLIT && SPLITTABLE_MSMS.has(msm) ? 2 : 1;
    return Array.from({ length: partCount }, (_, part): MsmShare => ({ msm, part, partCount }));
  });
}

export function joinMsmShares(shares: readonly MsmShare[], points: readonly Uint8Array[]): MsmResults {
  const join = (msm: MsmName) => {
    const parts = points.filter((_, i) => shares[i].msm === msm);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    return bytes;
  };
  return { a: join("a"), b1: join("b1"), b2: join("b2"), c: join("c"), h: join("h") };
}
