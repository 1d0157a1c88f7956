/** What the stateful tests have met, so that none can hold by not having tried. */
import assert from "node:assert/strict";
import { depth, isDeep, isPlain } from "./property_runs.ts";

/** Messages that pools got in a test, by what came of them. */
export type Tally = Map<string, number>;

/** What few histories meet already. */
const common = [
  "deposit taken",
  "withdrawal paid",
  "quote",
  "landed as quoted",
  "stray kept",
  "topped up",
  "ERR_WRONG_DENOMINATION",
  "ERR_STALE_DEPOSIT",
  "ERR_PROOF_INVALID",
  "ERR_ALREADY_SPENT",
  "ERR_UNKNOWN_ROOT",
  "ERR_INSUFFICIENT_VALUE",
  "ERR_NOT_IN_FIELD",
  "ERR_BAD_ADDRESS",
  "ERR_MALFORMED",
  "ERR_NOT_OWNER",
  "ERR_NOT_SURPLUS",
];
/** What many do. */
const rare = [
  "surplus swept",
  "paused",
  "ERR_PAUSED",
  "ERR_POOL_FULL",
  "ERR_DUPLICATE_COMMITMENT",
  "ERR_FEE_TOO_HIGH",
];
const MANY = 8;

/** Prints the tally of a deep run, and holds whole runs to having met all that they should, `special` of an asset too. */
export function reportTally(what: string, tally: Tally, special: readonly string[] = []): void {
  if (!isPlain && !isDeep) return; // a chosen case, or few of a chosen seed
  if (isDeep) {
    const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${what}, ${depth} times as deep: ${total} messages and quotes`);
    console.table(Object.fromEntries([...tally].sort()));
  }
  const wanted = [...common, ...depth >= MANY ? [...rare, ...special] : []];
  assert.deepEqual(wanted.filter((name) => !tally.has(name)), [], "never met");
}
