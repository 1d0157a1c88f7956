/** The largest account that a pool can have: the bound of contracts/v1/SPEC.md, which the contracts' own fees use. */
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import {
  MAX_QUEUED,
  MAX_QUEUED_JETTON,
  V2_FIXED_JETTON_SIZE,
  V2_FIXED_SIZE,
} from "../../core/protocol/v2/pool_constants.ts";

/** Cells and bits of a pool without its keys, by kind, and of one key and one claim. A test compares the contracts. */
export const POOL_SIZE = {
  native: { cells: 90n, bits: 60_000n },
  jetton: { cells: 110n, bits: 70_000n },
  keyBits: 102n,
  claim: { cells: 2n, bits: 600n },
} as const;

export interface PoolCounts {
  readonly assetKind: "native" | "jetton";
  readonly deposits: number;
  readonly withdrawals: number;
  readonly claims: number;
  readonly version?: PoolVersion; // default: version 1
}

export function maxPoolSize(
  { assetKind, deposits, withdrawals, claims, version }: PoolCounts,
): { cells: bigint; bits: bigint } {
  if (version === 2) {
    const isJetton = assetKind === "jetton";
    const queued = BigInt(Math.min(deposits - withdrawals, isJetton ? MAX_QUEUED_JETTON : MAX_QUEUED));
    const fixed = isJetton ? V2_FIXED_JETTON_SIZE : V2_FIXED_SIZE;
    const { claim } = POOL_SIZE;
    return {
      cells: fixed.cells + (queued + 2n) / 3n + claim.cells * BigInt(claims),
      bits: fixed.bits + 300n * queued + claim.bits * BigInt(claims),
    };
  }
  const { [assetKind]: fixed, keyBits, claim } = POOL_SIZE;
  return {
    cells: fixed.cells + maxSetCells(deposits) + maxSetCells(withdrawals) + claim.cells * BigInt(claims),
    bits: fixed.bits + keyBits * BigInt(deposits + withdrawals) + claim.bits * BigInt(claims),
  };
}

/** SPEC.md, The set, Bound. */
function maxSetCells(keys: number): bigint {
  return BigInt(
    keys < 4096 ? 7 + Math.min(7 * keys, 1365 + keys) : 1365 + 4096 + 2 * Math.floor((keys - 4096) / 11),
  );
}
