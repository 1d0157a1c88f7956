/**
 * What a new pool is deployed with: its code, as `deno task contracts` compiled it, and its initial data. The address
 * follows from both, so it is known before anything is sent.
 */
import { Address, beginCell, Cell, contractAddress, type StateInit } from "@ton/core";
import native from "../../artifacts/contracts/native.json" with { type: "json" };
import { zeros } from "../core/zeros.ts";

/** Compiled code of a pool kind. */
export interface PoolCode {
  readonly code: Cell;
  /** Hex representation hash of the code cell. */
  readonly codeHash: string;
  /** Hex SHA-256 that ties the code to the verification keys in it. */
  readonly vkeyHash: string;
}

/** The native pool's code. */
export function loadPoolCode(): PoolCode {
  const { codeBoc64, codeHash, vkeyHash } = native;
  return { code: Cell.fromBase64(codeBoc64), codeHash, vkeyHash };
}

/** What tells one native pool from another. */
export interface NativePoolOptions {
  /** Nano. */
  readonly denomination: bigint;
  /** null: burned, nobody is admin. */
  readonly owner: Address | null;
}

/** StateInit of a native pool. */
export function nativePoolInit(
  { denomination, owner }: NativePoolOptions,
): StateInit & { code: Cell; data: Cell } {
  const empty = emptySet();
  const data = beginCell()
    .storeCoins(denomination)
    .storeUint(0, 32) // deposits
    .storeUint(0, 32) // withdrawals
    .storeCoins(0) // debt
    .storeUint(0, 32) // touched
    .storeRef(empty) // nullifiers
    .storeUint(zeros[20], 255)
    .storeRef(empty) // commitments
    .storeRef(Cell.EMPTY) // roots, young
    .storeRef(Cell.EMPTY) // roots, old
    .storeBit(false) // paused
    .storeAddress(owner)
    .endCell();
  return { code: loadPoolCode().code, data };
}

/** Address of a native pool, in workchain 0. */
export function nativePoolAddress(options: NativePoolOptions): Address {
  return contractAddress(0, nativePoolInit(options));
}

/** Six levels of forks over one empty node: seven cells, each stored once. */
function emptySet(): Cell {
  let cell = Cell.EMPTY;
  for (let level = 0; level < 6; level++) {
    cell = beginCell().storeRef(cell).storeRef(cell).storeRef(cell).storeRef(cell).endCell();
  }
  return cell;
}
