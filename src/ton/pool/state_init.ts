import { Address, beginCell, Cell, contractAddress, type StateInit } from "@ton/core";
import jetton from "../../../artifacts/contracts/jetton.json" with { type: "json" };
import native from "../../../artifacts/contracts/native.json" with { type: "json" };
import { Problem } from "../../core/errors/problem.ts";
import { MAX_GENERATION } from "../../core/protocol/pool_constants.ts";
import { zeros } from "../../core/tree/zeros.ts";

export interface PoolCode {
  readonly code: Cell;
  readonly codeHash: string;
  /** Hex SHA-256 of the verification keys in the code. */
  readonly vkeyHash: string;
}

export function loadPoolCode(kind: "native" | "jetton" = "native"): PoolCode {
  return parsePoolCode(kind, { native, jetton }[kind]);
}

/** Throws `artifact_corrupted`, naming the file, if the code does not match its hash. */
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

export interface NativePoolOptions {
  /** In nano. */
  readonly denomination: bigint;
  readonly owner: Address | null;
  /** 0 (default, the first pool) to {@linkcode MAX_GENERATION}. Generations differ in nothing else. */
  readonly generation?: number;
}

/** The parameters of a jetton pool; the denomination is in the jetton's smallest unit. */
export interface JettonPoolOptions extends NativePoolOptions {
  readonly jettonMaster: Address;
}

export function nativePoolInit(
  options: NativePoolOptions,
): StateInit & { code: Cell; data: Cell } {
  return { code: loadPoolCode().code, data: initialPoolData(options) };
}

/** The pool's jetton wallet stays unknown until the master answers the pool's request. */
export function jettonPoolInit(
  options: JettonPoolOptions,
): StateInit & { code: Cell; data: Cell } {
  return { code: loadPoolCode("jetton").code, data: initialPoolData(options) };
}

function initialPoolData(
  { denomination, owner, generation = 0, jettonMaster }: NativePoolOptions & Partial<JettonPoolOptions>,
): Cell {
  const empty = emptySet();
  const oldRoots = generationCell(generation);
  // A jetton pool keeps master, wallet and number of claims in the root fork of its nullifiers,
  // and its claims next to the older roots.
  const nullifiers = jettonMaster
    ? beginCell().storeAddress(jettonMaster).storeAddress(null).storeUint(0, 16).storeSlice(
      empty.beginParse(),
    )
      .endCell()
    : empty;
  const archive = beginCell().storeRef(oldRoots).storeBit(false).endCell();
  return beginCell()
    .storeCoins(denomination)
    .storeUint(0, 32) // deposits
    .storeUint(0, 32) // withdrawals
    .storeCoins(0) // debt
    .storeUint(0, 32) // touched
    .storeRef(nullifiers)
    .storeUint(zeros[20], 255)
    .storeRef(empty) // commitments
    .storeRef(Cell.EMPTY) // newer roots
    .storeRef(jettonMaster ? archive : oldRoots) // older roots
    .storeBit(false) // paused
    .storeAddress(owner)
    .endCell();
}

export function nativePoolAddress(options: NativePoolOptions): Address {
  return contractAddress(0, nativePoolInit(options));
}

export function jettonPoolAddress(options: JettonPoolOptions): Address {
  return contractAddress(0, jettonPoolInit(options));
}

export function findPoolGeneration(
  address: Address,
  pool: Omit<NativePoolOptions, "generation"> & Partial<JettonPoolOptions>,
): number | undefined {
  const { code } = loadPoolCode(pool.jettonMaster ? "jetton" : "native");
  for (let generation = 0; generation <= MAX_GENERATION; generation++) {
    if (contractAddress(0, { code, data: initialPoolData({ ...pool, generation }) }).equals(address)) {
      return generation;
    }
  }
  return undefined;
}

export function deploymentMatchesBuild(
  { address, codeHash, ...pool }: NativePoolOptions & Partial<JettonPoolOptions> & {
    readonly address: Address;
    readonly codeHash: string;
  },
): boolean {
  const built = loadPoolCode(pool.jettonMaster ? "jetton" : "native");
  return codeHash === built.codeHash &&
    contractAddress(0, { code: built.code, data: initialPoolData(pool) }).equals(address);
}

/** Takes the place of the older roots until the first deposit; afterwards only the address shows it. */
function generationCell(generation: number): Cell {
  if (!Number.isInteger(generation) || generation < 0 || generation > MAX_GENERATION) {
    throw new RangeError(`a pool's generation is an integer from 0 to ${MAX_GENERATION}`);
  }
  return generation === 0 ? Cell.EMPTY : beginCell().storeUint(generation, 8).endCell();
}

/** Six levels of forks over one empty node: seven distinct cells. */
function emptySet(): Cell {
  let cell = Cell.EMPTY;
  for (let level = 0; level < 6; level++) {
    cell = beginCell().storeRef(cell).storeRef(cell).storeRef(cell).storeRef(cell).endCell();
  }
  return cell;
}
