/** `tonado store`: what an operator does with the relayer's store: bring it up to date, check it, move it. */
import { Command } from "commander";
import { loadStoreLocation, type StoreLocation } from "../config/store_config.ts";
import { Problem } from "../core/errors.ts";
import { checkStore } from "../ops/store_check.ts";
import { exportStore, type ExportSummary, importStore, verifyExport } from "../ops/store_export.ts";
import type { ArchivedStore } from "../store/archive.ts";
import { counted } from "../core/units.ts";
import { colours, type ProgressLine, progressLine } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { Wiring } from "./wiring.ts";

interface StoreOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The command and its four. */
export function storeCommand(wiring: Wiring): Command {
  const command = (name: string, description: string, examples: string) =>
    new Command(name).description(description)
      .option("--data-dir <directory>", "the embedded store there, whatever DATABASE_URL says")
      .option("--json", "print one JSON object")
      .option("--quiet", "print only essential output")
      .addHelpText(
        "after",
        "\nThe store is the one that `tonado serve` would use: DATABASE_URL, else the embedded one in RELAYER_DATA_DIR.\n\n" +
          `Examples:\n${examples}`,
      );
  return new Command("store")
    .description("bring the relayer's store up to date, check it, move it to another kind")
    .addCommand(
      command(
        "migrate",
        "bring the tables of the database up to date, as `serve` does when it starts",
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store migrate",
      ).action((options: StoreOptions) => migrate(wiring, options)),
    )
    .addCommand(
      command(
        "check",
        "check that what the store holds fits together; ends with 1 when it does not",
        "  tonado store check\n  tonado store check --json | jq '.checks[] | select(.holds | not)'",
      ).action((options: StoreOptions) => check(wiring, options)),
    )
    .addCommand(
      command(
        "export",
        "write all of the store into a new file, with its hash",
        "  tonado store export relayer.jsonl --data-dir ./data",
      ).argument("<file>").action((file: string, options: StoreOptions) => exportTo(wiring, file, options)),
    )
    .addCommand(
      command(
        "import",
        "read an export into an empty store: all of it or nothing",
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl",
      ).argument("<file>").action((file: string, options: StoreOptions) => importFrom(wiring, file, options)),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  tonado store export relayer.jsonl --data-dir ./data\n" +
        "  DATABASE_URL=postgres://tonado@db/tonado tonado store import relayer.jsonl\n  tonado store check",
    );
}

async function migrate(wiring: Wiring, options: StoreOptions): Promise<void> {
  const location = locate(wiring, options);
  const { databaseUrl } = location;
  if (databaseUrl === undefined) {
    return report(
      wiring,
      options,
      { store: nameOf(location), found: null, now: null },
      "an embedded store has no tables",
    );
  }
  const { found, now } = await wiring.migrateDatabase(databaseUrl);
  const text = found === now ? `version ${now} already` : `version ${found} brought to ${now}`;
  report(wiring, options, { store: nameOf(location), found, now }, text);
}

async function check(wiring: Wiring, options: StoreOptions): Promise<void> {
  const location = locate(wiring, options);
  const checks = await withStore(
    wiring,
    options,
    { ...location, create: false },
    (store, progress) => checkStore(store, (rows) => progress.update(`${rows} rows read`, 0)),
  );
  const sound = checks.every(({ holds }) => holds);
  if (options.json) wiring.stdout.write(JSON.stringify({ store: nameOf(location), sound, checks }) + "\n");
  else {
    const c = colours(wiring.stdout, wiring.env);
    for (const { name, holds, detail } of checks) {
      if (holds && options.quiet) continue;
      const mark = holds ? c.green("ok    ") : c.red("FAILED");
      wiring.stdout.write(`  ${mark} ${name.padEnd(12)} ${oneLine(detail)}\n`);
    }
  }
  if (sound) return;
  const failed = checks.filter(({ holds }) => !holds).map(({ name }) => name);
  throw new Problem("store_damaged", `the store contradicts itself: ${failed.join(", ")}`);
}

async function exportTo(wiring: Wiring, file: string, options: StoreOptions): Promise<void> {
  const location = locate(wiring, options);
  const summary = await withStore(
    wiring,
    options,
    { ...location, create: false },
    async (store, progress) => {
      let exported: ExportSummary | undefined;
      await wiring.writeStream(
        file,
        exportStore(store, {
          exportedAt: new Date(wiring.now()),
          onProgress: (rows) => progress.update(`${rows} rows written`, 0),
          done: (done) => exported = done,
        }),
      );
      return exported!;
    },
  );
  report(wiring, options, { store: nameOf(location), file, ...summary }, `${said(summary)} in ${file}`);
}

async function importFrom(wiring: Wiring, file: string, options: StoreOptions): Promise<void> {
  const location = locate(wiring, options);
  // Opening creates a folder or tables, so a bad file has to be refused before.
  await verifyFile(wiring, file, options);
  const summary = await withStore(
    wiring,
    options,
    { ...location, create: true },
    (store, progress) =>
      importStore(
        store,
        () => wiring.readStream(file),
        (stage, rows) => progress.update(`${rows} rows ${stage}`, 0),
      ),
  );
  report(
    wiring,
    options,
    { store: nameOf(location), file, ...summary },
    `${said(summary)} in ${nameOf(location)}`,
  );
}

async function verifyFile(wiring: Wiring, file: string, { quiet }: StoreOptions): Promise<void> {
  const line = progressLine(wiring.stderr);
  try {
    await verifyExport(
      await wiring.readStream(file),
      (rows) => quiet || line.update(`${rows} rows verified`, 0),
    );
  } finally {
    line.clear();
  }
}

function locate({ env }: Wiring, { dataDir }: StoreOptions): StoreLocation {
  return loadStoreLocation(env, dataDir);
}

/** Names no server and no user: what is printed may be pasted anywhere. */
function nameOf({ databaseUrl, dataDir }: StoreLocation): string {
  return databaseUrl === undefined ? dataDir : "the database";
}

async function withStore<T>(
  wiring: Wiring,
  { quiet }: StoreOptions,
  { create, ...location }: StoreLocation & { readonly create: boolean },
  work: (store: ArchivedStore, progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const store = await wiring.openStore(location, { create });
  const line = progressLine(wiring.stderr);
  try {
    return await work(store, quiet ? { ...line, update: () => {} } : line);
  } finally {
    line.clear();
    await store.close();
  }
}

function report({ stdout }: Wiring, { json, quiet }: StoreOptions, members: object, text: string): void {
  if (json) stdout.write(JSON.stringify(members) + "\n");
  else if (!quiet) stdout.write(`${text}\n`);
}

function said({ rows, counts, sha256 }: ExportSummary): string {
  const { deposit, withdrawal, job, transfer } = counts;
  const kinds = [counted(deposit, "deposit"), counted(withdrawal, "withdrawal"), counted(job, "job")];
  return `${counted(rows, "row")} (${kinds.join(", ")}, ${transfer} in flight), ` +
    `sha256 ${sha256},`;
}
