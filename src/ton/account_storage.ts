/** Storage of an account, counted like the chain: each distinct cell once. */
import type { Cell } from "@ton/core";

export function uniqueCells(roots: readonly Cell[]): Cell[] {
  const found = new Map<string, Cell>();
  const open = [...roots];
  for (let cell = open.pop(); cell; cell = open.pop()) {
    const hash = cell.hash().toString("hex");
    if (found.has(hash)) continue;
    found.set(hash, cell);
    open.push(...cell.refs);
  }
  return [...found.values()];
}

/** Upper bound for the bits of an account's own cell: balance, lt and flags. */
const ACCOUNT_BITS = 300;

export function storageSize(state: { code: Cell; data: Cell }): { cells: bigint; bits: bigint } {
  const cells = uniqueCells([state.code, state.data]);
  const bits = cells.reduce((sum, cell) => sum + cell.bits.length, ACCOUNT_BITS);
  return { cells: BigInt(cells.length + 1), bits: BigInt(bits) };
}
