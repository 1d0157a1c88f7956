/** Checks that a note belongs to a pool, because a proof does not: every pool with the same root accepts it. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { Note } from "../../core/protocol/note.ts";
import { formatUnits, NATIVE_DECIMALS } from "../../core/protocol/units.ts";
import type { AnyPool } from "../../ton/pool/any_pool.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";

/**
 * The jetton that a pool must hold. Anyone can create a jetton with any name, so compare the master with the
 * address that the issuer publishes.
 */
export interface PoolJetton {
  readonly asset: string;
  readonly decimals: number;
  readonly jettonMaster: Address;
}

export function toPoolJetton({ asset, decimals, jettonMaster }: Deployment): PoolJetton | undefined {
  return jettonMaster && { asset, decimals: decimals!, jettonMaster };
}

export interface MatchedPool {
  readonly denomination: bigint;
  readonly info: PoolInfo;
}

/** Throws `wrong_pool` if asset, amount or network differ from the note's. `jetton` is required for jettons. */
export async function assertNoteMatchesPool(
  pool: AnyPool,
  note: Pick<Note, "asset" | "amount" | "network" | "version">,
  network: Network,
  jetton?: PoolJetton,
): Promise<MatchedPool> {
  const wrong = (detail: string) => new Problem("wrong_pool", detail);
  if (note.network !== network) throw wrong(`the note is for ${note.network}, the pool is on ${network}`);
  const [info, denomination] = await Promise.all([pool.getPoolInfo(), pool.getDenomination()]);
  if (info.version !== note.version) {
    throw wrong(`the note is for pools of version ${note.version}, the pool is of version ${info.version}`);
  }
  if ((info.assetKind === "native") !== (note.asset === "native")) {
    throw wrong(`the note is for ${note.asset}, the pool holds ${info.assetKind}`);
  }
  if (info.assetKind === "jetton") {
    if (!jetton) throw wrong(`the note is for ${note.asset}, and no jetton was given`);
    if (note.asset !== jetton.asset) throw wrong(`the note is for ${note.asset}, not for ${jetton.asset}`);
    if (!info.jettonMaster?.equals(jetton.jettonMaster)) {
      const formatMaster = (master: Address | null) => master?.toString({ testOnly: network !== "mainnet" });
      throw wrong(
        `the pool holds jetton ${formatMaster(info.jettonMaster)}, but ${jetton.asset} is ${
          formatMaster(jetton.jettonMaster)
        }`,
      );
    }
  }
  const decimals = info.assetKind === "jetton" ? jetton!.decimals : NATIVE_DECIMALS;
  if (note.amount !== formatUnits(denomination, decimals)) {
    throw wrong(
      `the note is for ${note.amount}, the denomination of the pool is ${
        formatUnits(denomination, decimals)
      }`,
    );
  }
  return { denomination, info };
}
