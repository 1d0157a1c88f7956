import { Address } from "@ton/core";
import { Command } from "commander";
import { findRegistry } from "../../config/deployments_registry.ts";
import { Problem } from "../../core/errors/problem.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { pluralize } from "../../core/protocol/units.ts";
import { restoreRows } from "../../ops/store/export.ts";
import {
  exportSnapshot,
  readSnapshot,
  type Snapshot,
  snapshotFormat,
  type SnapshotPool,
  verifySnapshotPool,
} from "../../ops/store/snapshot.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatPoolAddress,
  openChain,
} from "../options/chain_options.ts";
import {
  addDataDirOption,
  locateStore,
  type StoreOptions,
  withStore,
  writeExport,
} from "../options/store_options.ts";
import { addOutputOptions, printResult, withProgressLine, writeJson } from "../output/print.ts";
import type { CliContext } from "../context.ts";

interface ExportOptions extends StoreOptions {
  readonly registry?: string;
}

export function snapshotCommand(context: CliContext): Command {
  const exportCommand = addOutputOptions(
    addDataDirOption(new Command("export"))
      .description("write the version 2 pools of a relayer's store to a new file, to publish")
      .argument("<file>")
      .option("--registry <file>", "deployments registry; default: this release's"),
    "print one JSON object",
  ).addHelpText(
    "after",
    "\nThe file contains what the pools' logs say, and nothing else: no wallet, no withdrawals that wait, no ledger.\n" +
      "The store is the one that `tonado serve` would use. A relayer that runs locks its embedded store.\n\n" +
      "Examples:\n  tonado snapshot export pools.jsonl --data-dir ./data",
  ).action((file: string, options: ExportOptions) => exportToFile(context, file, options));
  const verify = addChainOptions(new Command("verify"))
    .description("compare a snapshot with what the pools store on the chain")
    .argument("<file>")
    .addHelpText(
      "after",
      "\nChecks that the snapshot and all later logs give the roots, the waiting deposits and the spent notes that each\n" +
        "pool stores. Times and transaction hashes of its rows cannot be checked: nodes delete old transactions.\n\n" +
        "Examples:\n  tonado snapshot verify pools.jsonl --network mainnet\n" +
        "  tonado snapshot verify pools.jsonl --network mainnet --json | jq .pools",
    )
    .action((file: string, options: ChainOptions) => verifyFile(context, file, options));
  const importCommand = addChainOptions(addDataDirOption(new Command("import")))
    .description("verify a snapshot and write it into an empty store, for a new relayer")
    .argument("<file>")
    .addHelpText(
      "after",
      "\nA relayer that starts on the store reads only the transactions after the snapshot. Nothing is written if the\n" +
        "snapshot does not match the chain.\n\n" +
        "Examples:\n  tonado snapshot import pools.jsonl --network mainnet --data-dir ./data\n" +
        "  DATABASE_URL=postgres://tonado@db/tonado tonado snapshot import pools.jsonl --network mainnet",
    )
    .action((file: string, options: ChainOptions & StoreOptions) => importFromFile(context, file, options));
  const snapshot = new Command("snapshot").description(
    "export, verify or import the history of version 2 pools",
  );
  for (const each of [exportCommand, verify, importCommand]) snapshot.addCommand(each);
  return snapshot.addHelpText(
    "after",
    "\nNodes delete old transactions, and with them the logs from which a version 2 pool's tree and spent notes are\n" +
      "computed. A snapshot is a copy of these logs that anyone can check against the pool.\n\n" +
      "Examples:\n  tonado snapshot export pools.jsonl --data-dir ./data\n" +
      "  tonado snapshot verify pools.jsonl --network mainnet",
  );
}

async function exportToFile(context: CliContext, file: string, options: ExportOptions): Promise<void> {
  await withStore(context, { ...options, create: false }, async (store, progress, label) => {
    const identity = await store.identity();
    if (identity === undefined) throw emptyStore("no relayer has used this store yet");
    const { network } = identity;
    const { pools } = await findRegistry(network, options.registry);
    const version2 = [...pools.values()].filter(({ version }) => version === 2);
    const ids = new Set(version2.map(({ address }) => address.toRawString()));
    const summary = await writeExport(
      context,
      file,
      ({ exportedAt, done }) =>
        exportSnapshot(store, ids, network, {
          exportedAt,
          onProgress: (rows) => progress.update(`${pluralize(rows, "row")} written`, 0),
          done: (exported) => {
            if (exported.counts.cursor === 0) {
              throw emptyStore(`it has no version 2 pool of the registry of ${network}`);
            }
            done(exported);
          },
        }),
    );
    progress.clear();
    const { rows, counts: { cursor, deposit: deposits, withdrawal: payments }, sha256 } = summary;
    const members = { store: label, file, pools: cursor, deposits, payments, rows, sha256 };
    const counts = `${pluralize(deposits, "deposit")}, ${pluralize(payments, "payment")}`;
    const text = `${pluralize(cursor, "pool")} (${counts}), sha256 ${sha256}, in ${file}`;
    printResult(context, options, members, text);
  });
}

function emptyStore(detail: string): Problem {
  return new Problem("invalid_export", `nothing to export: ${detail}`, {
    hint: "Let a relayer serve the pools on this store first, until `tonado status` says that it is ready.",
  });
}

async function verifyFile(context: CliContext, file: string, options: ChainOptions): Promise<void> {
  const snapshot = await readAndVerify(context, file, options);
  if (options.json) return writeJson(context, { network: options.network, ...toJson(snapshot, options) });
  if (options.quiet) return;
  for (const pool of snapshot.pools) context.stdout.write(`${describePool(pool, options)}: as on chain\n`);
  context.stdout.write(`sha256 ${snapshot.sha256}\n`);
}

async function importFromFile(
  context: CliContext,
  file: string,
  options: ChainOptions & StoreOptions,
): Promise<void> {
  locateStore(context, options); // fail before the file is read
  const snapshot = await readAndVerify(context, file, options);
  await withStore(context, { ...options, create: true }, async (store, progress, label) => {
    await restoreRows(store, await context.readStream(file), {
      format: snapshotFormat(options.network),
      sha256: snapshot.sha256,
      onProgress: (rows) => progress.update(`${pluralize(rows, "row")} imported`, 0),
    });
    progress.clear();
    const pools = snapshot.pools.map((pool) => describePool(pool, options)).join("\n");
    const members = { store: label, ...toJson(snapshot, options) };
    printResult(context, options, members, `${pools}\nimported into ${label}`);
  });
}

async function readAndVerify(context: CliContext, file: string, options: ChainOptions): Promise<Snapshot> {
  const { chain, registry } = await openChain(context, options);
  const { network } = options;
  return await withProgressLine(context, options, async (progress) => {
    const snapshot = await readSnapshot(
      await context.readStream(file),
      network,
      (rows) => progress.update(`${pluralize(rows, "row")} read`, 0),
    );
    const listed = new Set([...registry.pools.values()].map(({ address }) => address.toRawString()));
    for (const pool of snapshot.pools) {
      if (!listed.has(pool.id)) throw new Problem("invalid_export", `the registry has no pool ${pool.id}`);
      await verifySnapshotPool(pool, {
        chain,
        network,
        registry,
        onProgress: (count) => progress.update(`${pluralize(count, "later transaction")} read`, 0),
      });
    }
    return snapshot;
  });
}

function describePool({ id, deposits, settled, payments }: SnapshotPool, { network }: ChainOptions): string {
  const address = formatPoolAddress(Address.parse(id), network);
  const paid = pluralize(payments, "payment");
  return `${address}: ${pluralize(deposits, "deposit")}, ${settled} settled, ${paid}`;
}

function toJson({ pools, sha256 }: Snapshot, { network }: ChainOptions) {
  return {
    sha256,
    pools: pools.map(({ id, cursor, deposits, settled, payments, root }) => ({
      address: formatPoolAddress(Address.parse(id), network),
      deposits,
      settled,
      payments,
      lastTransaction: { lt: String(cursor.lt), hash: cursor.hash },
      root: fieldToHex(root),
    })),
  };
}
