/** The mutants of the contracts, with their committed results. */
import { mutantsOf } from "../operators.ts";
import { MutationRun, root } from "../run.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import { type PoolKind, readSources } from "./pools.ts";

/** Returns the sources that are mutated, with their contracts, and the run of their mutants. */
export async function openTolkRun(): Promise<
  { readonly sources: ReadonlyMap<string, readonly PoolKind[]>; readonly trials: MutationRun }
> {
  // The table of zeros has its own test (`deno task zeros --check`).
  const sources = new Map([...readSources(root)].filter(([path]) => !path.endsWith("zeros.tolk")));
  const results = new URL("tools/mutants/tolk/results.jsonl", root);
  return {
    sources,
    trials: await MutationRun.open(results, [...sources.keys()], mutantsOf, equivalenceReason),
  };
}
