/** Mutants of `src/` that no test can distinguish from the source, with the reason. */
import type { EquivalentMutant } from "../tolk/equivalent_mutants.ts";

const equivalentTypeScriptMutants: readonly EquivalentMutant[] = [];

/** Returns why a mutant is equivalent, or undefined. */
export function equivalenceReason({ file, shows }: { file: string; shows: string }): string | undefined {
  return equivalentTypeScriptMutants.find((mutant) => file.endsWith(mutant.file) && mutant.shows.test(shows))
    ?.reason;
}
