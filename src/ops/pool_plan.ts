/** What a pool to deploy comes to: its first state, and the address that follows from it. It asks nobody. */
import { type Address, type Cell, contractAddress } from "@ton/core";
import { formatUnits, NATIVE_DECIMALS, parseUnits } from "../core/units.ts";
import { Problem } from "../core/errors.ts";
import { jettonPoolInit, nativePoolInit } from "../ton/pool_state.ts";

/** Which jetton a pool is of. */
export interface PoolJetton {
  /** Must answer TEP-89. */
  readonly master: Address;
  readonly decimals: number;
}

/** A pool to deploy. */
export interface PoolSpec {
  /** `native`, or the identifier that a jetton has in the registry and in notes. */
  readonly asset: string;
  /** Denomination in whole units. */
  readonly amount: string;
  /** null burns the key: nobody will ever be its admin. */
  readonly owner: Address | null;
  /** Of every asset but `native`. */
  readonly jetton?: PoolJetton;
  /** 0 or absent: the first pool; else a successor's (contracts/SPEC.md, First state). */
  readonly generation?: number;
}

/** A pool as it will stand. */
export interface PoolPlan extends PoolSpec {
  readonly kind: "native" | "jetton";
  /** In the smallest unit. */
  readonly denomination: bigint;
  readonly init: { readonly code: Cell; readonly data: Cell };
  readonly address: Address;
}

/** @throws {Problem} `invalid_amount` for an amount that is malformed or nothing */
export function planPool(spec: PoolSpec): PoolPlan {
  const { owner, jetton, generation } = spec;
  if ((spec.asset === "native") !== (jetton === undefined)) {
    throw new TypeError("every asset but native is a jetton, and has a master");
  }
  const decimals = jetton?.decimals ?? NATIVE_DECIMALS;
  const denomination = parseUnits(spec.amount, decimals);
  if (denomination <= 0n) throw new Problem("invalid_amount", "a denomination of 0 is no pool");
  const init = jetton
    ? jettonPoolInit({ denomination, owner, generation, jettonMaster: jetton.master })
    : nativePoolInit({ denomination, owner, generation });
  return {
    ...spec,
    kind: jetton ? "jetton" : "native",
    amount: formatUnits(denomination, decimals),
    denomination,
    init,
    address: contractAddress(0, init),
  };
}
