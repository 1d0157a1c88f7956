import { Command } from "commander";
import { Problem } from "../../../core/errors/problem.ts";
import { checkStore } from "../../../ops/store/consistency_check.ts";
import { exportStore, type ExportSummary, importStore, verifyExport } from "../../../ops/store/export.ts";
import { pluralize } from "../../../core/protocol/units.ts";
import { addOutputOptions, printResult, withProgressLine, writeJson } from "../../output/print.ts";
import { colours } from "../../output/progress.ts";
import {
  addDataDirOption,
  locateStore,
  storeLabel,
  type StoreOptions,
  withStore,
  writeExport,
} from "../../options/store_options.ts";
import { escapeLine } from "../../output/sanitize.ts";
import type { CliContext } from "../../context.ts";
import { parseTimeArgument, printReport, type ReportOptions } from "./report.ts";

export function storeCommand(context: CliContext): Command {
  const command = (name: string, description: string, examples: string) =>
    addOutputOptions(
      addDataDirOption(new Command(name).description(description)),
      "print one JSON object",
    ).addHelpText(
      "after",
      "\nThe store is the one that `tonado serve` would use: DATABASE_URL, else the embedded one in RELAYER_DATA_DIR.\n\n" +
        `Examples:\n${examples}`,
    );
  const migrateCommand = command(
    "migrate",
    "migrate the tables of the database, as `serve` does on start",
    "  DATABASE_URL=postgres://tonado@db/tonado tonado store migrate",
  ).action((options: StoreOptions) => migrate(context, options));
  const check = command(
    "check",
    "check the consistency of the store; exits with 1 if it is inconsistent",
    "  tonado store check\n  tonado store check --json | jq '.checks[] | select(.holds | not)'",
  ).action((options: StoreOptions) => checkStoreConsistency(context, options));
  const exportCommand = command(
    "export",
    "export the whole store to a new file and print its hash",
    "  tonado store export relayer.jsonl --data-dir ./data",
  ).argument("<file>").action((file: string, options: StoreOptions) => exportToFile(context, file, options));
  const importCommand = command(
    "import",
    "import an export into an empty store, all or nothing",
    "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl",
  ).argument("<file>").action((file: string, options: StoreOptions) =>
    importFromFile(context, file, options)
  );
  const reportCommand = command(
    "report",
    "report fees earned, gas paid and refunds, by day (UTC) and pool",
    "  tonado store report --since 7d\n  tonado store report --since 2026-11-01 --until 2026-11-30\n" +
      "  tonado store report --json | jq '.totals[] | {pool, profit}'",
  )
    .option("--since <time>", "from this UTC date, time or age: 2026-11-01, 7d, 24h", parseTimeArgument)
    .option("--until <time>", "to this UTC date (included), time or age", parseTimeArgument)
    .option("--registry <file>", "names the pools; default: RELAYER_DEPLOYMENTS, or this release's")
    .action((options: StoreOptions & ReportOptions) => report(context, options));
  const store = new Command("store").description(
    "migrate, check, export or import the relayer's store, or report its profit",
  );
  for (const each of [migrateCommand, check, exportCommand, importCommand, reportCommand]) {
    store.addCommand(each);
  }
  return store.addHelpText(
    "after",
    "\nExamples:\n  tonado store export relayer.jsonl --data-dir ./data\n" +
      "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl\n  tonado store check",
  );
}

async function migrate(context: CliContext, options: StoreOptions): Promise<void> {
  const location = locateStore(context, options);
  const store = storeLabel(location);
  const { databaseUrl } = location;
  if (databaseUrl === undefined) {
    const members = { store, found: null, now: null };
    return printResult(context, options, members, "an embedded store has no tables");
  }
  const { found, now } = await context.migrateDatabase(databaseUrl);
  const text = found === now ? `version ${now} already` : `migrated from version ${found} to ${now}`;
  printResult(context, options, { store, found, now }, text);
}

async function checkStoreConsistency(context: CliContext, options: StoreOptions): Promise<void> {
  const { checks, store } = await withStore(
    context,
    { ...options, create: false },
    async (store, progress, label) => ({
      checks: await checkStore(store, (rows) => progress.update(`${rows} rows read`, 0)),
      store: label,
    }),
  );
  const sound = checks.every(({ passed }) => passed);
  if (options.json) {
    const listed = checks.map(({ name, passed, detail }) => ({ name, holds: passed, detail }));
    writeJson(context, { store, sound, checks: listed });
  } else {
    const c = colours(context.stdout, context.env);
    for (const { name, passed, detail } of checks) {
      if (passed && options.quiet) continue;
      const mark = passed ? c.green("ok    ") : c.red("FAILED");
      context.stdout.write(`  ${mark} ${name.padEnd(12)} ${escapeLine(detail)}\n`);
    }
  }
  if (sound) return;
  const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name);
  throw new Problem("store_corrupted", `the store is inconsistent: ${failed.join(", ")}`);
}

async function report(context: CliContext, options: StoreOptions & ReportOptions): Promise<void> {
  await withStore(
    context,
    { ...options, create: false },
    (store, _progress, label) => printReport(context, store, { options, label }),
  );
}

async function exportToFile(context: CliContext, file: string, options: StoreOptions): Promise<void> {
  await withStore(context, { ...options, create: false }, async (store, progress, label) => {
    const onProgress = (rows: number) => progress.update(`${rows} rows written`, 0);
    const summary = await writeExport(context, file, (given) => exportStore(store, { ...given, onProgress }));
    progress.clear();
    const members = { store: label, file, ...summary };
    printResult(context, options, members, `${formatSummary(summary)} in ${file}`);
  });
}

async function importFromFile(context: CliContext, file: string, options: StoreOptions): Promise<void> {
  await withProgressLine(context, options, async (progress) => {
    const stream = await context.readStream(file);
    await verifyExport(stream, (rows) => progress.update(`${rows} rows verified`, 0));
  });
  await withStore(context, { ...options, create: true }, async (store, progress, label) => {
    const onProgress = (stage: string, rows: number) => progress.update(`${rows} rows ${stage}`, 0);
    const summary = await importStore(store, () => context.readStream(file), onProgress);
    progress.clear();
    printResult(
      context,
      options,
      { store: label, file, ...summary },
      `${formatSummary(summary)} in ${label}`,
    );
  });
}

function formatSummary({ rows, counts, sha256 }: ExportSummary): string {
  const { deposit, withdrawal, job, transfer } = counts;
  const kinds = [pluralize(deposit, "deposit"), pluralize(withdrawal, "withdrawal"), pluralize(job, "job")];
  return `${pluralize(rows, "row")} (${kinds.join(", ")}, ${transfer} in flight), ` +
    `sha256 ${sha256},`;
}
