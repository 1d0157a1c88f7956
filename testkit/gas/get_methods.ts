/** The get methods of pools, as the gas tables list them. */
import type { PoolState } from "../chain/pool_storage.ts";
import { BLOCKING_CLAIMS, withClaims } from "./claim_entry_points.ts";
import type { MeasuredPool, PoolKind } from "./measured_pool.ts";

/**
 * A get method, its arguments, the kind of pool that has it (default: both), and the state in which it is
 * measured.
 */
interface GetMethod {
  readonly name: string;
  readonly poolKind?: PoolKind;
  readonly args?: (bench: MeasuredPool) => bigint[];
  readonly state?: (bench: MeasuredPool) => Partial<PoolState>;
}

export const getters: readonly GetMethod[] = [
  { name: "getCurrentRoot" },
  { name: "getNextIndex" },
  { name: "getDenomination" },
  { name: "getIsDeposited", args: ({ fill }) => [fill.keys.commitment] },
  { name: "getIsSpent", args: ({ fill }) => [fill.keys.nullifierHash] },
  { name: "get_root_history" },
  { name: "get_deposit_value" },
  { name: "get_withdraw_value", args: () => [0n] },
  { name: "get_pool_info" },
  {
    name: "get_claims",
    poolKind: "jetton",
    args: () => [0n, 64n],
    state: (bench) => withClaims(bench, BLOCKING_CLAIMS),
  },
];
