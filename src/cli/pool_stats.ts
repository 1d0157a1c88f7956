/** `tonado pool stats`: how pools are used, as their own logs tell it. */
import type { Address } from "@ton/core";
import { Command, InvalidArgumentError } from "commander";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import type { Deployment, Deployments } from "../core/deployments.ts";
import { toHex } from "../core/field.ts";
import type { Network } from "../core/network.ts";
import { counted, formatAmount } from "../core/units.ts";
import { FEES_OF, type PoolStats, poolStats, spans } from "../ops/pool_stats.ts";
import type { DepositEvent, WithdrawalEvent } from "../ton/pool_event.ts";
import { addChainOptions, type ChainOptions, poolAddress } from "./chain_options.ts";
import { namedPool } from "./named_pool.ts";
import { colours, isoSeconds, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

type StatsOptions = ChainOptions & { readonly latest: number };

/** A pool and what became of it. */
interface Row {
  readonly key?: string;
  readonly address: Address;
  readonly deployment?: Deployment;
  readonly stats: PoolStats;
}

const LATEST = 5;

/** The command. */
export function poolStatsCommand(wiring: Wiring): Command {
  return addChainOptions(new Command("stats"))
    .description("how pools are used: deposits, withdrawals, unspent notes, recent activity, fees")
    .argument("[pool]", "address, or a key of the registry like native-10; default: all of the registry")
    .option("--latest <count>", "how many of the newest events to list", countArgument, LATEST)
    .addHelpText(
      "after",
      "\nRead from the pools' own logs, whole; a history with less than the pool itself counts is refused.\n" +
        `Fees are of the last ${FEES_OF} withdrawals through relayers.\n\n` +
        "Examples:\n  tonado pool stats native-10\n  tonado pool stats --network mainnet\n" +
        "  tonado pool stats native-10 --json | jq '.pools[0].unspent'",
    )
    .action((pool: string | undefined, options: StatsOptions) => stats(wiring, pool, options));
}

async function stats(wiring: Wiring, pool: string | undefined, options: StatsOptions): Promise<void> {
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(options.network, options.registry);
  const addresses = pool === undefined
    ? [...known.pools.values()].map(({ address }) => address)
    : [namedPool(pool, known)];
  const chain = wiring.connect(options.network, { url, apiKey });
  const progress = progressLine(wiring.stderr);
  const rows: Row[] = [];
  try {
    for (const address of addresses) {
      const stats = await poolStats(chain, address, {
        latest: options.latest,
        onProgress: (seen) => !options.quiet && progress.update(`${seen} transactions read`, 0),
      });
      rows.push({ ...listed(address, known), address, stats });
    }
  } finally {
    progress.clear();
  }
  const { network } = options;
  if (options.json) {
    const pools = rows.map((row) => statsJson(row, network));
    return wiring.stdout.write(JSON.stringify({ network, pools }) + "\n");
  }
  if (rows.length === 0 && !options.quiet) wiring.stdout.write(`no pools on ${network}\n`);
  for (const row of rows) print(wiring, row, options);
}

function listed(address: Address, { pools }: Deployments) {
  const found = [...pools].find(([, pool]) => pool.address.equals(address));
  return found && { key: found[0], deployment: found[1] };
}

function print({ stdout, env }: Wiring, row: Row, { network, quiet }: StatsOptions): void {
  const { stats, address, key } = row;
  const { info, deposits, withdrawals, unspent, activity, relayed, relayers, fees, feesTotal, latest } =
    stats;
  const c = colours(stdout, env);
  const name = key ?? poolAddress(address, network);
  if (quiet) return stdout.write(`${name} ${unspent}\n`);
  const line = (what: string, text: string) => stdout.write(`  ${what.padEnd(12)} ${text}\n`);
  const full = (100 * deposits / info.capacity).toFixed(1);
  stdout.write(`${c.bold(name)} on ${network}${info.paused ? `, ${c.red("paused")}` : ""}\n`);
  line(
    "holds",
    `${counted(unspent, "unspent note")}, ${amountOf(BigInt(unspent) * stats.denomination, row)}`,
  );
  line("deposits", `${deposits}; the pool is ${full} % full, ${info.capacity - deposits} more fit in`);
  line("withdrawals", `${withdrawals}, ${relayed} of them through ${counted(relayers, "relayer")}`);
  for (const span of ["day", "week", "month"] as const) {
    line(
      `last ${span}`,
      `${counted(activity[span].deposits, "deposit")}, ${counted(activity[span].withdrawals, "withdrawal")}`,
    );
  }
  if (fees) {
    const [least, median, greatest, total] = [fees.least, fees.median, fees.greatest, feesTotal]
      .map((fee) => amountOf(fee, row));
    line("fees", `${median} as a rule, ${least} to ${greatest}; ${total} in all`);
  }
  for (const event of latest) {
    const what = event.kind === "deposit" ? `deposit, leaf ${event.leafIndex}` : "withdrawal";
    line("", `${c.dim(isoSeconds(event.timestamp))} ${what}`);
  }
}

/** Of a jetton that is in no registry its smallest unit. */
function amountOf(amount: bigint, { deployment, stats }: Row): string {
  if (stats.info.assetKind === "native") return formatAmount(amount, { asset: "native" });
  return deployment ? formatAmount(amount, deployment) : `${amount} of a jetton's smallest unit`;
}

/** Amounts as decimal integers in the asset's smallest unit. */
function statsJson({ key, address, deployment, stats }: Row, network: Network) {
  const { info, fees } = stats;
  return {
    key: key ?? null,
    address: poolAddress(address, network),
    asset: deployment?.asset ?? info.assetKind,
    denomination: String(stats.denomination),
    at: stats.at,
    paused: info.paused,
    deposits: stats.deposits,
    withdrawals: stats.withdrawals,
    unspent: stats.unspent,
    held: String(BigInt(stats.unspent) * stats.denomination),
    capacity: info.capacity,
    activity: Object.fromEntries(
      Object.entries(spans).map(([span, seconds]) => [
        span,
        { seconds, ...stats.activity[span as keyof typeof spans] },
      ]),
    ),
    relayed: stats.relayed,
    relayers: stats.relayers,
    fees: fees
      ? { least: String(fees.least), median: String(fees.median), greatest: String(fees.greatest) }
      : null,
    feesTotal: String(stats.feesTotal),
    latest: stats.latest.map((event) => eventJson(event, network)),
  };
}

function eventJson(event: DepositEvent | WithdrawalEvent, network: Network) {
  const { kind, timestamp, tx } = event;
  const base = { kind, timestamp, tx: tx.hash };
  if (event.kind === "deposit") {
    return { ...base, leafIndex: event.leafIndex, commitment: toHex(event.commitment) };
  }
  return {
    ...base,
    nullifierHash: toHex(event.nullifierHash),
    fee: String(event.fee),
    refund: String(event.refund),
    relayer: event.relayer && poolAddress(event.relayer, network),
  };
}

function countArgument(text: string): number {
  if (!/^[0-9]{1,4}$/.test(text)) throw new InvalidArgumentError("It must be an integer from 0 to 9999.");
  return Number(text);
}
