/** Counts outcomes of the stateful tests, so that no test passes because it never tried a case. */
import assert from "node:assert/strict";
import { depth, isDeep, isPlain } from "../../../testkit/random/property_runs.ts";

/** The number of messages with each outcome in a test. */
export type OutcomeCounts = Map<string, number>;

/** Outcomes that a few scenarios already produce. */
const EXPECTED_OUTCOMES = [
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
/** Outcomes that only many scenarios produce. */
const EXPECTED_DEEP_OUTCOMES = [
  "surplus swept",
  "paused",
  "ERR_PAUSED",
  "ERR_POOL_FULL",
  "ERR_DUPLICATE_COMMITMENT",
  "ERR_FEE_TOO_HIGH",
];
const DEEP_THRESHOLD = 8;

/**
 * Asserts that a full run had all expected outcomes, and those of one kind of asset: `always`, and in a deep
 * run `deep`. Prints the counts of a deep run.
 */
export function assertCoverage(
  what: string,
  tally: OutcomeCounts,
  { always = [], deep = [] }: { readonly always?: readonly string[]; readonly deep?: readonly string[] } = {},
): void {
  if (!isPlain && !isDeep) return; // one selected case, or a few with a given seed
  if (isDeep) {
    const total = [...tally.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${what}, ${depth} times as deep: ${total} messages and quotes`);
    console.table(Object.fromEntries([...tally].sort()));
  }
  const wanted = [
    ...EXPECTED_OUTCOMES,
    ...always,
    ...depth >= DEEP_THRESHOLD ? [...EXPECTED_DEEP_OUTCOMES, ...deep] : [],
  ];
  assert.deepEqual(wanted.filter((name) => !tally.has(name)), [], "never met");
}
