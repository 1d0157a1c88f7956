/**
 * Whether a note and a pool belong together. A proof names no pool: it fits every pool whose history holds the same
 * root, so the client must refuse a pool that is not the note's own.
 */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import type { Note } from "../core/note.ts";
import { formatUnits, NATIVE_DECIMALS } from "../core/units.ts";
import type { Pool, PoolInfo } from "../ton/pool.ts";

/**
 * The jetton that a pool is meant to hold: an entry of a registry, or of a relayer's `/pools`. Anybody can make a jetton
 * and give it any name, so compare the master with what the issuer publishes.
 */
export interface PoolJetton {
  /** As notes have it. */
  readonly asset: string;
  readonly decimals: number;
  readonly jettonMaster: Address;
}

/** What a pool that fits says of itself. */
export interface FittingPool {
  /** In the asset's smallest unit. */
  readonly denomination: bigint;
  readonly info: PoolInfo;
}

/**
 * Asks the pool what it is.
 *
 * @param jetton needed for every note but a native one
 * @throws {Problem} `wrong_pool` when asset, amount or network is not the note's
 */
export async function assertNoteFits(
  pool: Pool,
  note: Note,
  network: Network,
  jetton?: PoolJetton,
): Promise<FittingPool> {
  const wrong = (detail: string) => new Problem("wrong_pool", detail);
  if (note.network !== network) throw wrong(`the note is for ${note.network}, the pool is on ${network}`);
  const [info, denomination] = await Promise.all([pool.getPoolInfo(), pool.getDenomination()]);
  if ((info.assetKind === "native") !== (note.asset === "native")) {
    throw wrong(`the note is for ${note.asset}, the pool holds ${info.assetKind}`);
  }
  if (info.assetKind === "jetton") {
    if (!jetton) throw wrong(`the note is for ${note.asset}: say which jetton that is`);
    if (note.asset !== jetton.asset) throw wrong(`the note is for ${note.asset}, not for ${jetton.asset}`);
    if (!info.jettonMaster?.equals(jetton.jettonMaster)) {
      const shown = (master: Address | null) => master?.toString({ testOnly: network !== "mainnet" });
      throw wrong(
        `the pool is of jetton ${shown(info.jettonMaster)}, ${jetton.asset} is ${shown(jetton.jettonMaster)}`,
      );
    }
  }
  const decimals = info.assetKind === "jetton" ? jetton!.decimals : NATIVE_DECIMALS;
  if (note.amount !== formatUnits(denomination, decimals)) {
    throw wrong(`the note is for ${note.amount}, the pool takes ${formatUnits(denomination, decimals)}`);
  }
  return { denomination, info };
}
