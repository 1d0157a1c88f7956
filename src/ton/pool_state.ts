/**
 * What a new pool is deployed with: its code, as `deno task contracts` compiled it, and its initial data. The address
 * follows from both, so it is known before anything is sent.
 */
import { Address, beginCell, Cell, contractAddress, type StateInit } from "@ton/core";
import jetton from "../../artifacts/contracts/jetton.json" with { type: "json" };
import native from "../../artifacts/contracts/native.json" with { type: "json" };
import { Problem } from "../core/errors.ts";
import { HIGHEST_GENERATION } from "../core/pool_constants.ts";
import { zeros } from "../core/zeros.ts";

/** Compiled code of a pool kind. */
export interface PoolCode {
  readonly code: Cell;
  /** Hex representation hash of the code cell. */
  readonly codeHash: string;
  /** Hex SHA-256 that ties the code to the verification keys in it. */
  readonly vkeyHash: string;
}

/** The code of a pool of the native coin, or of a jetton. */
export function loadPoolCode(kind: "native" | "jetton" = "native"): PoolCode {
  return parsePoolCode(kind, { native, jetton }[kind]);
}

/**
 * Reads a compiled contract.
 *
 * @throws {Problem} `artifact_corrupted` naming the file when the code is not the one that its hash names
 */
export function parsePoolCode(
  kind: string,
  { codeBoc64, codeHash, vkeyHash }: { codeBoc64: string; codeHash: string; vkeyHash: string },
): PoolCode {
  const corrupted = (cause?: unknown) =>
    new Problem("artifact_corrupted", `artifact contracts/${kind}.json does not match its code hash`, {
      cause,
    });
  let code: Cell;
  try {
    code = Cell.fromBase64(codeBoc64);
  } catch (cause) {
    throw corrupted(cause);
  }
  if (code.hash().toString("hex") !== codeHash) throw corrupted();
  return { code, codeHash, vkeyHash };
}

/** What tells one native pool from another. */
export interface NativePoolOptions {
  /** Nano. */
  readonly denomination: bigint;
  /** null: burned, nobody is admin. */
  readonly owner: Address | null;
  /** 0 to {@linkcode HIGHEST_GENERATION}; default 0, the first pool. Successors differ in nothing else. */
  readonly generation?: number;
}

/** What tells one jetton pool from another; the denomination is in the jetton's smallest unit. */
export interface JettonPoolOptions extends NativePoolOptions {
  readonly jettonMaster: Address;
}

/** StateInit of a native pool. */
export function nativePoolInit(
  options: NativePoolOptions,
): StateInit & { code: Cell; data: Cell } {
  return { code: loadPoolCode().code, data: emptyPool(options) };
}

/** StateInit of a jetton pool. Its wallet is not known yet: the master tells the pool when it is asked to discover it. */
export function jettonPoolInit(
  options: JettonPoolOptions,
): StateInit & { code: Cell; data: Cell } {
  return { code: loadPoolCode("jetton").code, data: emptyPool(options) };
}

function emptyPool(
  { denomination, owner, generation = 0, jettonMaster }: NativePoolOptions & Partial<JettonPoolOptions>,
): Cell {
  const empty = emptySet();
  // Master and wallet lie in the bits of the nullifiers' root fork.
  const nullifiers = jettonMaster
    ? beginCell().storeAddress(jettonMaster).storeAddress(null).storeSlice(empty.beginParse()).endCell()
    : empty;
  return beginCell()
    .storeCoins(denomination)
    .storeUint(0, 32) // deposits
    .storeUint(0, 32) // withdrawals
    .storeCoins(0) // debt
    .storeUint(0, 32) // touched
    .storeRef(nullifiers)
    .storeUint(zeros[20], 255)
    .storeRef(empty) // commitments
    .storeRef(Cell.EMPTY) // roots, young
    .storeRef(generationMark(generation)) // roots, old
    .storeBit(false) // paused
    .storeAddress(owner)
    .endCell();
}

/** Address of a native pool, in workchain 0. */
export function nativePoolAddress(options: NativePoolOptions): Address {
  return contractAddress(0, nativePoolInit(options));
}

/** Address of a jetton pool, in workchain 0. */
export function jettonPoolAddress(options: JettonPoolOptions): Address {
  return contractAddress(0, jettonPoolInit(options));
}

/**
 * Which generation of an empty pool a pool at this address began as; undefined when it began as none.
 *
 * @param pool what it says of itself; `jettonMaster` of a jetton pool only
 */
export function poolGeneration(
  address: Address,
  pool: Omit<NativePoolOptions, "generation"> & Partial<JettonPoolOptions>,
): number | undefined {
  const { code } = loadPoolCode(pool.jettonMaster ? "jetton" : "native");
  for (let generation = 0; generation <= HIGHEST_GENERATION; generation++) {
    if (contractAddress(0, { code, data: emptyPool({ ...pool, generation }) }).equals(address)) {
      return generation;
    }
  }
  return undefined;
}

/**
 * Whether a registry's entry is of this build: its code's hash, and an address that follows from that code and an empty
 * pool of the entry's denomination, owner, generation and master.
 */
export function isDeploymentOfBuild(
  { address, codeHash, ...pool }: NativePoolOptions & Partial<JettonPoolOptions> & {
    readonly address: Address;
    readonly codeHash: string;
  },
): boolean {
  const built = loadPoolCode(pool.jettonMaster ? "jetton" : "native");
  return codeHash === built.codeHash &&
    contractAddress(0, { code: built.code, data: emptyPool(pool) }).equals(address);
}

/**
 * Stands where the older roots will be. Nothing looks there before the first deposit, which puts the empty cell in its
 * place: a generation is in the address, and nowhere else from then on.
 */
function generationMark(generation: number): Cell {
  if (!Number.isInteger(generation) || generation < 0 || generation > HIGHEST_GENERATION) {
    throw new RangeError(`a pool's generation is an integer from 0 to ${HIGHEST_GENERATION}`);
  }
  return generation === 0 ? Cell.EMPTY : beginCell().storeUint(generation, 8).endCell();
}

/** Six levels of forks over one empty node: seven cells, each stored once. */
function emptySet(): Cell {
  let cell = Cell.EMPTY;
  for (let level = 0; level < 6; level++) {
    cell = beginCell().storeRef(cell).storeRef(cell).storeRef(cell).storeRef(cell).endCell();
  }
  return cell;
}
