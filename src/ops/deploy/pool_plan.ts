import { type Address, type Cell, contractAddress } from "@ton/core";
import type { PoolVersion } from "../../core/protocol/deployments.ts";
import { formatUnits, NATIVE_DECIMALS, parseUnits } from "../../core/protocol/units.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { RelayerTerms } from "./proposed_terms.ts";
import {
  jettonPoolInit,
  nativePoolInit,
  type PoolKind,
  poolKindOf,
  v2JettonPoolInit,
  v2NativePoolInit,
} from "../../ton/pool/state_init.ts";

export interface JettonSpec {
  readonly master: Address; // must implement TEP-89
  readonly decimals: number;
  /** The value of one native coin in the jetton's smallest unit, to propose the relayer's terms. */
  readonly nativePrice?: bigint;
}

export interface PoolSpec {
  readonly asset: string; // `native`, or the jetton's identifier
  readonly amount: string; // whole units
  readonly owner: Address | null; // null burns the key: the pool never has an admin
  readonly jetton?: JettonSpec;
  /** Default: 0, the first pool; otherwise a successor's number. */
  readonly generation?: number;
  readonly version?: PoolVersion; // default: 1
}

export interface PoolPlan extends PoolSpec {
  readonly assetKind: "native" | "jetton";
  readonly kind: PoolKind;
  readonly version: PoolVersion;
  readonly denomination: bigint; // in the smallest unit
  readonly init: { readonly code: Cell; readonly data: Cell };
  readonly address: Address;
  readonly terms?: RelayerTerms;
}

export function isJettonPlan(plan: PoolPlan): plan is PoolPlan & { readonly jetton: JettonSpec } {
  return plan.jetton !== undefined;
}

/** Throws `invalid_amount` if the amount is malformed or zero. */
export function planPool(spec: PoolSpec): PoolPlan {
  const { owner, jetton, generation, version = 1 } = spec;
  if ((spec.asset === "native") !== (jetton === undefined)) {
    throw new TypeError("every asset except native is a jetton and needs a master");
  }
  const assetKind = jetton ? "jetton" : "native";
  const kind = poolKindOf(assetKind, version);
  const decimals = jetton?.decimals ?? NATIVE_DECIMALS;
  const denomination = parseUnits(spec.amount, decimals);
  if (denomination <= 0n) throw new Problem("invalid_amount", "the denomination must be greater than 0");
  const init = jetton
    ? (version === 2 ? v2JettonPoolInit : jettonPoolInit)({
      denomination,
      owner,
      generation,
      jettonMaster: jetton.master,
    })
    : (version === 2 ? v2NativePoolInit : nativePoolInit)({ denomination, owner, generation });
  return {
    ...spec,
    assetKind,
    kind,
    version,
    amount: formatUnits(denomination, decimals),
    denomination,
    init,
    address: contractAddress(0, init),
  };
}
