/** The relayer's store that a command opens. */
import type { Command } from "commander";
import { loadStoreLocation, type StoreLocation } from "../../config/store_config.ts";
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

export async function withStore<T>(
  context: CliContext,
  options: StoreOptions,
  { create, ...location }: StoreLocation & { readonly create: boolean },
  work: (store: ArchivedStore, progress: ProgressLine) => Promise<T>,
): Promise<T> {
  const store = await context.openStore(location, { create });
  return await withProgressLine(context, options, (progress) => work(store, progress))
    .finally(() => store.close());
}
