/** The gas of messages relative to the verification of their proof, and the limits that the tests check. */
import { fills } from "./fills.ts";
import type { PoolKind } from "./measured_pool.ts";
import type { GasSnapshot } from "./snapshot.ts";

/** The gas that a lite server gives a get method. */
export const GETTER_LIMIT = 300_000;
/** The target for the gas of a message divided by the gas of its verification. Not every message meets it. */
export const MAX_GAS_RATIO = 1.2;
/** Fills that have notes to withdraw. */
export const ratioFills = fills.filter(({ deposits }) => deposits > 0).map(({ name }) => name);
/** Messages that the target applies to. */
export const targeted = ["deposit", "withdraw, newest root"] as const;

/** Returns the gas of a message divided by the gas of its verification alone. */
export function gasRatio(
  { gas, verification }: GasSnapshot,
  kind: PoolKind,
  name: string,
  fill: string,
): number {
  return gas[kind][fill].messages[name] / verification[name.split(",")[0]];
}
