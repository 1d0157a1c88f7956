import type { Address } from "@ton/core";
import { Command } from "commander";
import type { Deployment, Deployments } from "../../../core/protocol/deployments.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import type { Network } from "../../../core/protocol/network.ts";
import { formatAmount, pluralize } from "../../../core/protocol/units.ts";
import {
  activityWindows,
  FEE_SAMPLE_SIZE,
  type PoolStats,
  readPoolStats,
} from "../../../ops/audit/pool_stats.ts";
import type { DepositEvent, WithdrawalEvent } from "../../../ton/pool/history/pool_events.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatPoolAddress,
  openChain,
} from "../../options/chain_options.ts";
import { resolvePoolAddress } from "../../options/pool_argument.ts";
import { withProgressLine, writeJson } from "../../output/print.ts";
import { colours, formatIsoTime } from "../../output/progress.ts";
import type { CliContext } from "../../context.ts";
import { integerArgument } from "../../options/integer_argument.ts";

type StatsOptions = ChainOptions & { readonly latest: number };

interface PoolStatsRow {
  readonly key?: string;
  readonly address: Address;
  readonly deployment?: Deployment;
  readonly stats: PoolStats;
}

const DEFAULT_LATEST_COUNT = 5;

export function poolStatsCommand(context: CliContext): Command {
  return addChainOptions(new Command("stats"))
    .description("show how pools are used: deposits, withdrawals, unspent notes, recent activity, fees")
    .argument("[pool]", "address, or a key of the registry like native-10; default: all of the registry")
    .option(
      "--latest <count>",
      "how many of the newest events to list",
      integerArgument(0, 9999),
      DEFAULT_LATEST_COUNT,
    )
    .addHelpText(
      "after",
      "\nReads the whole history of each pool. A history with fewer events than the pool counts is an error.\n" +
        `Fees are those of the last ${FEE_SAMPLE_SIZE} relayed withdrawals.\n\n` +
        "Examples:\n  tonado pool stats native-10\n  tonado pool stats --network mainnet\n" +
        "  tonado pool stats native-10 --json | jq '.pools[0].unspent'",
    )
    .action((pool: string | undefined, options: StatsOptions) => showStats(context, pool, options));
}

async function showStats(
  context: CliContext,
  pool: string | undefined,
  options: StatsOptions,
): Promise<void> {
  const { chain, registry: known } = await openChain(context, options);
  const addresses = pool === undefined
    ? [...known.pools.values()].map(({ address }) => address)
    : [resolvePoolAddress(pool, known)];
  const rows: PoolStatsRow[] = [];
  await withProgressLine(context, options, async (progress) => {
    const onProgress = (count: number) => progress.update(`${count} transactions read`, 0);
    for (const address of addresses) {
      const stats = await readPoolStats(chain, address, { latest: options.latest, onProgress });
      rows.push({ ...findListedPool(address, known), address, stats });
    }
  });
  const { network } = options;
  if (options.json) {
    const pools = rows.map((row) => toStatsJson(row, network));
    return writeJson(context, { network, pools });
  }
  if (rows.length === 0 && !options.quiet) context.stdout.write(`no pools on ${network}\n`);
  for (const row of rows) printRow(context, row, options);
}

function findListedPool(address: Address, { pools }: Deployments) {
  const found = [...pools].find(([, pool]) => pool.address.equals(address));
  return found && { key: found[0], deployment: found[1] };
}

function printRow({ stdout, env }: CliContext, row: PoolStatsRow, { network, quiet }: StatsOptions): void {
  const { stats, address, key } = row;
  const { info, deposits, withdrawals, unspent, activity, relayed, relayers, fees, feesTotal } = stats;
  const c = colours(stdout, env);
  const name = key ?? formatPoolAddress(address, network);
  if (quiet) return stdout.write(`${name} ${unspent}\n`);
  const line = (what: string, text: string) => stdout.write(`  ${what.padEnd(12)} ${text}\n`);
  const full = (100 * deposits / info.capacity).toFixed(1);
  stdout.write(`${c.bold(name)} on ${network}${info.paused ? `, ${c.red("paused")}` : ""}\n`);
  line(
    "holds",
    `${pluralize(unspent, "unspent note")}, ${formatPoolAmount(BigInt(unspent) * stats.denomination, row)}`,
  );
  line("deposits", `${deposits}; the pool is ${full} % full, ${info.capacity - deposits} more fit in`);
  line("withdrawals", `${withdrawals}, ${relayed} of them through ${pluralize(relayers, "relayer")}`);
  for (const span of ["day", "week", "month"] as const) {
    const { deposits, withdrawals } = activity[span];
    line(`last ${span}`, `${pluralize(deposits, "deposit")}, ${pluralize(withdrawals, "withdrawal")}`);
  }
  if (fees) {
    const [least, median, greatest, total] = [fees.min, fees.median, fees.max, feesTotal]
      .map((fee) => formatPoolAmount(fee, row));
    line("fees", `median ${median}, ${least} to ${greatest}; ${total} in all`);
  }
  for (const event of stats.latestEvents) {
    const what = event.kind === "deposit" ? `deposit, leaf ${event.leafIndex}` : "withdrawal";
    line("", `${c.dim(formatIsoTime(event.timestamp))} ${what}`);
  }
}

/** Unlisted jettons are shown in the smallest unit. */
function formatPoolAmount(amount: bigint, { deployment, stats }: PoolStatsRow): string {
  if (stats.info.assetKind === "native") return formatAmount(amount, { asset: "native" });
  return deployment ? formatAmount(amount, deployment) : `${amount} of a jetton's smallest unit`;
}

/** Amounts are decimal integers in the asset's smallest unit. */
function toStatsJson({ key, address, deployment, stats }: PoolStatsRow, network: Network) {
  const { info, fees, denomination, deposits, withdrawals, unspent, relayed, relayers, feesTotal } = stats;
  return {
    key: key ?? null,
    address: formatPoolAddress(address, network),
    asset: deployment?.asset ?? info.assetKind,
    denomination,
    at: stats.readAt,
    paused: info.paused,
    deposits,
    withdrawals,
    unspent,
    held: BigInt(unspent) * denomination,
    capacity: info.capacity,
    activity: Object.fromEntries(
      Object.entries(activityWindows).map(([span, seconds]) => [
        span,
        { seconds, ...stats.activity[span as keyof typeof activityWindows] },
      ]),
    ),
    relayed,
    relayers,
    fees: fees ? { least: fees.min, median: fees.median, greatest: fees.max } : null,
    feesTotal,
    latest: stats.latestEvents.map((event) => toEventJson(event, network)),
  };
}

function toEventJson(event: DepositEvent | WithdrawalEvent, network: Network) {
  const { kind, timestamp, tx } = event;
  const base = { kind, timestamp, tx: tx.hash };
  if (event.kind === "deposit") {
    return { ...base, leafIndex: event.leafIndex, commitment: fieldToHex(event.commitment) };
  }
  const { nullifierHash, fee, refund, relayer } = event;
  const relayerText = relayer && formatPoolAddress(relayer, network);
  return { ...base, nullifierHash: fieldToHex(nullifierHash), fee, refund, relayer: relayerText };
}
