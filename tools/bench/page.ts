/** Writes docs/performance.md and its charts from the stored results. */
import { fillTables } from "../shared/generated_tables.ts";
import { drawCurves, drawTargets } from "./charts.ts";
import { readResults } from "./results.ts";
import { studies } from "./all_studies.ts";
import { detailTables, targetTable } from "./tables.ts";

const docs = new URL("../../docs/", import.meta.url);

export async function writePerformancePage(): Promise<void> {
  const results = await readResults();
  const points = (study: string) =>
    results.filter((result) => result.study === study).flatMap((result) => result.points ?? []);
  const charts: Record<string, string> = { "targets.svg": await drawTargets(studies, results) };
  const tree = points("tree-growth");
  if (tree.length > 0) charts["tree.svg"] = await drawCurves(tree, "leaves", "ms", "Building a tree");
  const proofs = points("proof-workers");
  if (proofs.length > 0) {
    charts["proofs.svg"] = await drawCurves(proofs, "workers", "ms a proof", "A proof by workers");
  }
  for (const [name, content] of Object.entries(charts)) {
    await Deno.writeTextFile(new URL(`performance/${name}`, docs), content);
  }
  const { path, content } = await fillTables(new URL("performance.md", docs).pathname, {
    targets: targetTable(studies, results),
    details: detailTables(studies, results),
  });
  await Deno.writeTextFile(path, content);
}
