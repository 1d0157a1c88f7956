import type { Command } from "commander";
import { loadStoreLocation, type StoreLocation } from "../../config/store_config.ts";
import type { ExportSummary } from "../../ops/store/export.ts";
import type { ArchivedStore } from "../../store/archive.ts";
import { type OutputOptions, withProgressLine } from "../output/print.ts";
import type { ProgressLine } from "../output/progress.ts";
import type { CliContext } from "../context.ts";

export interface StoreOptions extends OutputOptions {
  readonly dataDir?: string;
}

export function addDataDirOption(command: Command): Command {
  return command.option(
    "--data-dir <directory>",
    "use the embedded store in this directory and ignore DATABASE_URL",
  );
}

/** Returns the store that `tonado serve` would use. */
export function locateStore({ env }: CliContext, { dataDir }: StoreOptions): StoreLocation {
  return loadStoreLocation(env, dataDir);
}

/** Omits server and user, so that the output can be shared. */
export function storeLabel({ databaseUrl, dataDir }: StoreLocation): string {
  return databaseUrl === undefined ? dataDir : "the database";
}

/** `create`: whether a store may be created. `label` names the store in the output. */
export async function withStore<T>(
  context: CliContext,
  options: StoreOptions & { readonly create: boolean },
  work: (store: ArchivedStore, progress: ProgressLine, label: string) => Promise<T>,
): Promise<T> {
  const location = locateStore(context, options);
  const store = await context.openStore(location, options);
  return await withProgressLine(context, options, (line) => work(store, line, storeLabel(location)))
    .finally(() => store.close());
}

export async function writeExport(
  context: CliContext,
  file: string,
  rowsOf: (options: {
    readonly exportedAt: Date;
    readonly done: (summary: ExportSummary) => void;
  }) => AsyncIterable<Uint8Array>,
): Promise<ExportSummary> {
  let exported: ExportSummary | undefined;
  const done = (summary: ExportSummary) => void (exported = summary);
  await context.writeNewFile(file, rowsOf({ exportedAt: new Date(context.now()), done }));
  return exported!;
}
