/** The locations of the npm package's files that are not imported: workers and artifacts. */
import { proverLocations } from "../../src/prover/locations.ts";
import { treeLocations } from "../../src/tree/locations.ts";

/**
 * Says where the package's folder is served, for bundlers that move its code elsewhere. Must be called before the first
 * prover and the first tree.
 *
 * @param folder URL of the folder that has `dist/` and `artifacts/`; ends in a slash. Default: where the package lies
 */
export function locate(folder: URL | string): void {
  const at = (path: string) => new URL(path, new URL(folder, globalThis.location?.href));
  proverLocations.worker = at("dist/prover_worker.js");
  treeLocations.worker = at("dist/tree_worker.js");
  proverLocations.artifacts = at("artifacts/");
}
