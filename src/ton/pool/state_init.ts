import { Address, beginCell, Cell, contractAddress, type StateInit } from "@ton/core";
import jetton from "../../../artifacts/contracts/jetton.json" with { type: "json" };
import native from "../../../artifacts/contracts/native.json" with { type: "json" };
import jetton2 from "../../../artifacts/contracts/jetton2.json" with { type: "json" };
import native2 from "../../../artifacts/contracts/native2.json" with { type: "json" };
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import { MAX_GENERATION } from "../../core/protocol/pool_constants.ts";
import { zeros } from "../../core/tree/zeros.ts";
import { encodePoolData, PackedSet, RootLog } from "./pool_storage.ts";
import { emptyV2PoolState, encodeV2PoolData } from "./v2/pool_state.ts";

/** A pool contract, by its file in `artifacts/contracts/`. */
export type PoolKind = "native" | "jetton" | "native2" | "jetton2";

export interface PoolCode {
  readonly code: Cell;
  readonly codeHash: string;
  readonly vkeyHash: string; // hex SHA-256 of the verification keys in the code
  readonly version: PoolVersion;
}

export function poolKindOf(assetKind: "native" | "jetton", version: PoolVersion = 1): PoolKind {
  return version === 1 ? assetKind : `${assetKind}2`;
}

export function loadPoolCode(kind: PoolKind = "native"): PoolCode {
  return parsePoolCode(kind, { native, jetton, native2, jetton2 }[kind]);
}

/** Throws `artifact_corrupted`, naming the file, if the code does not match its hash. */
export function parsePoolCode(
  kind: PoolKind,
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
  return { code, codeHash, vkeyHash, version: kind === "native2" || kind === "jetton2" ? 2 : 1 };
}

interface NativePoolOptions {
  readonly denomination: bigint; // nano
  readonly owner: Address | null;
  /** 0 (default, the first pool) to {@linkcode MAX_GENERATION}. Generations differ in nothing else. */
  readonly generation?: number;
}

/** The parameters of a jetton pool; the denomination is in the jetton's smallest unit. */
interface JettonPoolOptions extends NativePoolOptions {
  readonly jettonMaster: Address;
}

type PoolInit = StateInit & { code: Cell; data: Cell };

export function nativePoolInit(options: NativePoolOptions): PoolInit {
  return { code: loadPoolCode().code, data: initialData(options) };
}

/** Throws a RangeError for a generation beyond {@linkcode MAX_GENERATION}. */
export function v2NativePoolInit(options: NativePoolOptions): PoolInit {
  return { code: loadPoolCode("native2").code, data: initialData({ ...options, version: 2 }) };
}

/** The pool's jetton wallet stays unknown until the master answers the pool's request. */
export function jettonPoolInit(options: JettonPoolOptions): PoolInit {
  return { code: loadPoolCode("jetton").code, data: initialData(options) };
}

/** Throws as {@linkcode v2NativePoolInit}. The jetton wallet is unknown until the master answers the pool. */
export function v2JettonPoolInit(options: JettonPoolOptions): PoolInit {
  return { code: loadPoolCode("jetton2").code, data: initialData({ ...options, version: 2 }) };
}

/** The parameters that a pool's address commits to, besides its code. */
type PoolOptions = NativePoolOptions & Partial<JettonPoolOptions> & { readonly version?: PoolVersion };

function initialData({ denomination, owner, generation = 0, jettonMaster, version }: PoolOptions): Cell {
  if (!Number.isInteger(generation) || generation < 0 || generation > MAX_GENERATION) {
    throw new RangeError(`a pool's generation is an integer from 0 to ${MAX_GENERATION}`);
  }
  if (version === 2) {
    const jetton = jettonMaster && { master: jettonMaster, wallet: null, claims: [] };
    return encodeV2PoolData(emptyV2PoolState({ denomination, owner, generation, jetton }));
  }
  const history = new RootLog();
  // Takes the place of the older roots until the first deposit; afterwards only the address shows it.
  if (generation > 0) history.oldGeneration = beginCell().storeUint(generation, 8).endCell();
  return encodePoolData({
    denomination,
    deposits: 0,
    withdrawals: 0,
    debt: 0n,
    touched: 0,
    nullifiers: new PackedSet(),
    root: zeros[20],
    commitments: new PackedSet(),
    history,
    paused: false,
    owner,
    jetton: jettonMaster && { master: jettonMaster, wallet: null },
  });
}

export function findPoolGeneration(
  address: Address,
  pool: Omit<PoolOptions, "generation">,
): number | undefined {
  const { code } = loadPoolCode(poolKindOf(pool.jettonMaster ? "jetton" : "native", pool.version));
  for (let generation = 0; generation <= MAX_GENERATION; generation++) {
    if (contractAddress(0, { code, data: initialData({ ...pool, generation }) }).equals(address)) {
      return generation;
    }
  }
  return undefined;
}

export function deploymentMatchesBuild(
  { address, codeHash, ...pool }: PoolOptions & { readonly address: Address; readonly codeHash: string },
): boolean {
  const built = loadPoolCode(poolKindOf(pool.jettonMaster ? "jetton" : "native", pool.version));
  return codeHash === built.codeHash &&
    contractAddress(0, { code: built.code, data: initialData(pool) }).equals(address);
}
