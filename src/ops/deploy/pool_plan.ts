import { type Address, type Cell, contractAddress } from "@ton/core";
import { formatUnits, NATIVE_DECIMALS, parseUnits } from "../../core/protocol/units.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { RelayerTerms } from "./proposed_terms.ts";
import { jettonPoolInit, nativePoolInit } from "../../ton/pool/state_init.ts";

export interface JettonSpec {
  /** Must implement TEP-89. */
  readonly master: Address;
  readonly decimals: number;
  /** The value of one native coin in the jetton's smallest unit, to propose the relayer's terms. */
  readonly nativePrice?: bigint;
}

export interface PoolSpec {
  /** `native`, or the jetton's identifier. */
  readonly asset: string;
  /** In whole units. */
  readonly amount: string;
  /** null burns the key: the pool never has an admin. */
  readonly owner: Address | null;
  readonly jetton?: JettonSpec;
  /** Default: 0, the first pool; otherwise a successor's number. */
  readonly generation?: number;
}

export interface PoolPlan extends PoolSpec {
  readonly assetKind: "native" | "jetton";
  /** In the smallest unit. */
  readonly denomination: bigint;
  readonly init: { readonly code: Cell; readonly data: Cell };
  readonly address: Address;
  readonly terms?: RelayerTerms;
}

export function isJettonPlan(plan: PoolPlan): plan is PoolPlan & { readonly jetton: JettonSpec } {
  return plan.jetton !== undefined;
}

/** Throws `invalid_amount` if the amount is malformed or zero. */
export function planPool(spec: PoolSpec): PoolPlan {
  const { owner, jetton, generation } = spec;
  if ((spec.asset === "native") !== (jetton === undefined)) {
    throw new TypeError("every asset except native is a jetton and needs a master");
  }
  const decimals = jetton?.decimals ?? NATIVE_DECIMALS;
  const denomination = parseUnits(spec.amount, decimals);
  if (denomination <= 0n) throw new Problem("invalid_amount", "the denomination must be greater than 0");
  const init = jetton
    ? jettonPoolInit({ denomination, owner, generation, jettonMaster: jetton.master })
    : nativePoolInit({ denomination, owner, generation });
  return {
    ...spec,
    assetKind: jetton ? "jetton" : "native",
    amount: formatUnits(denomination, decimals),
    denomination,
    init,
    address: contractAddress(0, init),
  };
}
