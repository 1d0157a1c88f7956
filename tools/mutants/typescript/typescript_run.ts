/** The mutants of `src/`, with their committed results. */
import { MutationRun, root } from "../run.ts";
import { equivalenceReason } from "./equivalent_mutants.ts";
import { typeScriptMutants } from "./operators.ts";
import { listTypeScriptFiles } from "./test_selection.ts";

export async function openTypeScriptRun(): Promise<MutationRun> {
  const paths = (await listTypeScriptFiles(root, "src/"))
    .filter((path) => !/_test\.ts$|\/generated\//.test(path));
  const results = new URL("tools/mutants/typescript/results.jsonl", root);
  return await MutationRun.open(results, paths, typeScriptMutants, equivalenceReason);
}
