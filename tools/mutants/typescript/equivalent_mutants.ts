/** Mutants of `src/` that no test can distinguish from the source, with the reason. */
import type { EquivalentMutant } from "../tolk/equivalent_mutants.ts";

const equivalentTypeScriptMutants: readonly EquivalentMutant[] = [
  {
    file: "relay/indexer/catch_up.ts",
    shows: /let end = i \+ 1; => let end = i \+ 0;/,
    reason: "the loop below passes the event at i, which has its own logical time",
  },
  {
    file: "client/deposit/deposit_payer.ts",
    shows: /leafIndex >= leafIndex && !stale\) \{ => if \(event\.leafIndex >= leafIndex\) \{/,
    reason: "a payer that was asked to stop is asked again, which does nothing",
  },
  {
    file: "client/withdrawal/withdrawal_wait.ts",
    shows: /const time = timeoutMs > 0 => const time = timeoutMs > 1/,
    reason: "another text for a wait of one millisecond, which no caller has",
  },
  {
    file: "store/postgres/rows.ts",
    shows:
      /row\.recipient === null \|\| row\.proof === null => .*row\.recipient === null && row\.proof === null/,
    reason: "the two columns are written together: both are null, or neither",
  },
];

/** Returns why a mutant is equivalent, or undefined. */
export function equivalenceReason({ file, shows }: { file: string; shows: string }): string | undefined {
  return equivalentTypeScriptMutants.find((mutant) => file.endsWith(mutant.file) && mutant.shows.test(shows))
    ?.reason;
}
