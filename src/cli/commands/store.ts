/** `tonado store`: migrates, checks, exports and imports the relayer's store. */
import { Command } from "commander";
import { loadStoreLocation, type StoreLocation } from "../../config/store_config.ts";
import { Problem } from "../../core/errors/problem.ts";
import { checkStore } from "../../ops/store/consistency_check.ts";
import { exportStore, type ExportSummary, importStore, verifyExport } from "../../ops/store/export.ts";
import type { ArchivedStore } from "../../store/archive.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { colours, type ProgressLine, progressLine } from "../output/progress.ts";
import { escapeLine } from "../output/sanitize.ts";
import type { CliContext } from "../context.ts";

interface StoreOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function storeCommand(context: CliContext): Command {
  const command = (name: string, description: string, examples: string) =>
    new Command(name).description(description)
      .option("--data-dir <directory>", "use the embedded store in this directory and ignore DATABASE_URL")
      .option("--json", "print one JSON object")
      .option("--quiet", "print only essential output")
      .addHelpText(
        "after",
        "\nThe store is the one that `tonado serve` would use: DATABASE_URL, else the embedded one in RELAYER_DATA_DIR.\n\n" +
          `Examples:\n${examples}`,
      );
  return new Command("store")
    .description("migrate, check, export or import the relayer's store")
    .addCommand(
      command(
        "migrate",
        "migrate the tables of the database, as `serve` does on start",
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store migrate",
      ).action((options: StoreOptions) => migrate(context, options)),
    )
    .addCommand(
      command(
        "check",
        "check the consistency of the store; exits with 1 if it is inconsistent",
        "  tonado store check\n  tonado store check --json | jq '.checks[] | select(.holds | not)'",
      ).action((options: StoreOptions) => checkStoreConsistency(context, options)),
    )
    .addCommand(
      command(
        "export",
        "export the whole store to a new file and print its hash",
        "  tonado store export relayer.jsonl --data-dir ./data",
      ).argument("<file>").action((file: string, options: StoreOptions) =>
        exportToFile(context, file, options)
      ),
    )
    .addCommand(
      command(
        "import",
        "import an export into an empty store, all or nothing",
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl",
      ).argument("<file>").action((file: string, options: StoreOptions) =>
        importFromFile(context, file, options)
      ),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  tonado store export relayer.jsonl --data-dir ./data\n" +
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl\n  tonado store check",
    );
}

async function migrate(context: CliContext, options: StoreOptions): Promise<void> {
  const location = locateStore(context, options);
  const { databaseUrl } = location;
  if (databaseUrl === undefined) {
    return printResult(
      context,
      options,
      { store: storeLabel(location), found: null, now: null },
      "an embedded store has no tables",
    );
  }
  const { found, now } = await context.migrateDatabase(databaseUrl);
  const text = found === now ? `version ${now} already` : `version ${found} brought to ${now}`;
  printResult(context, options, { store: storeLabel(location), found, now }, text);
}

async function checkStoreConsistency(context: CliContext, options: StoreOptions): Promise<void> {
  const location = locateStore(context, options);
  const checks = await withStore(
    context,
    options,
    { ...location, create: false },
    (store, progress) => checkStore(store, (rows) => progress.update(`${rows} rows read`, 0)),
  );
  const sound = checks.every(({ passed }) => passed);
  if (options.json) {
    const listed = checks.map(({ name, passed, detail }) => ({ name, holds: passed, detail }));
    context.stdout.write(JSON.stringify({ store: storeLabel(location), sound, checks: listed }) + "\n");
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
  throw new Problem("store_corrupted", `the store contradicts itself: ${failed.join(", ")}`);
}

async function exportToFile(context: CliContext, file: string, options: StoreOptions): Promise<void> {
  const location = locateStore(context, options);
  const summary = await withStore(
    context,
    options,
    { ...location, create: false },
    async (store, progress) => {
      let exported: ExportSummary | undefined;
      await context.writeNewFile(
        file,
        exportStore(store, {
          exportedAt: new Date(context.now()),
          onProgress: (rows) => progress.update(`${rows} rows written`, 0),
          done: (done) => exported = done,
        }),
      );
      return exported!;
    },
  );
  printResult(
    context,
    options,
    { store: storeLabel(location), file, ...summary },
    `${formatSummary(summary)} in ${file}`,
  );
}

async function importFromFile(context: CliContext, file: string, options: StoreOptions): Promise<void> {
  const location = locateStore(context, options);
  // Opening creates a folder or tables, so the file is verified first.
  await verifyFile(context, file, options);
  const summary = await withStore(
    context,
    options,
    { ...location, create: true },
    (store, progress) =>
      importStore(
        store,
        () => context.readStream(file),
        (stage, rows) => progress.update(`${rows} rows ${stage}`, 0),
      ),
  );
  printResult(
    context,
    options,
    { store: storeLabel(location), file, ...summary },
    `${formatSummary(summary)} in ${storeLabel(location)}`,
  );
}

async function verifyFile(context: CliContext, file: string, { quiet }: StoreOptions): Promise<void> {
  const line = progressLine(context.stderr);
  try {
    await verifyExport(
      await context.readStream(file),
      (rows) => quiet || line.update(`${rows} rows verified`, 0),
    );
  } finally {
    line.clear();
  }
}

function locateStore({ env }: CliContext, { dataDir }: StoreOptions): StoreLocation {
  return loadStoreLocation(env, dataDir);
}

/** Omits server and user, so that the output can be shared. */
function storeLabel({ databaseUrl, dataDir }: StoreLocation): string {
  return databaseUrl === undefined ? dataDir : "the database";
}

async function withStore<T>(
  context: CliContext,
  { quiet }: StoreOptions,
  { create, ...location }: StoreLocation & { readonly create: boolean },
  work: (store: ArchivedStore, progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const store = await context.openStore(location, { create });
  const line = progressLine(context.stderr);
  try {
    return await work(store, quiet ? { ...line, update: () => {} } : line);
  } finally {
    line.clear();
    await store.close();
  }
}

function printResult(
  { stdout }: CliContext,
  { json, quiet }: StoreOptions,
  members: object,
  text: string,
): void {
  if (json) stdout.write(JSON.stringify(members) + "\n");
  else if (!quiet) stdout.write(`${text}\n`);
}

function formatSummary({ rows, counts, sha256 }: ExportSummary): string {
  const { deposit, withdrawal, job, transfer } = counts;
  const kinds = [pluralize(deposit, "deposit"), pluralize(withdrawal, "withdrawal"), pluralize(job, "job")];
  return `${pluralize(rows, "row")} (${kinds.join(", ")}, ${transfer} in flight), ` +
    `sha256 ${sha256},`;
}
