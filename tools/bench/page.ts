/** Writes docs/performance.md and its charts from what was measured. */
import { page } from "../generated_page.ts";
import { curves, distances } from "./charts.ts";
import { readResults } from "./results.ts";
import { studies } from "./studies.ts";
import { detailTables, targetTable } from "./tables.ts";

const docs = new URL("../../docs/", import.meta.url);

/** Everything on the page comes from the results that are kept. */
export async function writePage(): Promise<void> {
  const results = await readResults();
  const points = (study: string) =>
    results.filter((result) => result.study === study).flatMap((result) => result.points ?? []);
  const charts: Record<string, string> = { "targets.svg": await distances(studies, results) };
  const tree = points("tree-growth");
  if (tree.length > 0) charts["tree.svg"] = await curves(tree, "leaves", "ms", "Building a tree");
  const proofs = points("proof-workers");
  if (proofs.length > 0) {
    charts["proofs.svg"] = await curves(proofs, "workers", "ms a proof", "A proof by workers");
  }
  for (const [name, content] of Object.entries(charts)) {
    await Deno.writeTextFile(new URL(`performance/${name}`, docs), content);
  }
  const { path, content } = await page(new URL("performance.md", docs).pathname, {
    targets: targetTable(studies, results),
    details: detailTables(studies, results),
  });
  await Deno.writeTextFile(path, content);
}
