/** `tonado compliance` and `tonado pool stats` for a pool with deposits and withdrawals. */
import { openReport, openScene } from "./scene.ts";
import { makeReports } from "./make_reports.ts";
import { refuseFalseStatements } from "./false_statements.ts";
import { refuseFalseFiles } from "./false_files.ts";
import { countPools } from "./pool_stats.ts";

Deno.test("tonado compliance and pool stats", async (t) => {
  await using scene = await openScene();
  await makeReports(t, scene);
  const report = await openReport(scene);
  await refuseFalseStatements(t, report);
  await t.step(
    "a page whose text differs from its data is refused, and so are other files",
    () => refuseFalseFiles(scene, report),
  );
  await countPools(t, scene, report);
});
