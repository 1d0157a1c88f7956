import { Address } from "@ton/core";
import { InvalidArgumentError } from "commander";
import { findRegistry } from "../../../config/deployments_registry.ts";
import { serveSettings } from "../../../config/settings/serve_settings.ts";
import { SettingsReader } from "../../../config/settings/settings_reader.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { formatUnits } from "../../../core/protocol/units.ts";
import { formatAddress } from "../../../core/text/address_format.ts";
import {
  type LedgerSums,
  reportProfit,
  type ReportRow,
  sumByPool,
} from "../../../ops/store/profit_report.ts";
import type { ArchivedStore } from "../../../store/archive.ts";
import type { StoreIdentity } from "../../../store/identity.ts";
import { writeJson } from "../../output/print.ts";
import type { CliContext } from "../../context.ts";

export interface ReportOptions {
  readonly since?: TimeArgument;
  readonly until?: TimeArgument;
  readonly registry?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

type TimeArgument = { readonly ms: number; readonly isDay: boolean } | { readonly ageMs: number };

interface NamedPool {
  readonly name: string;
  readonly deployment?: Deployment;
}

const DAY_MS = 86_400_000;
const AGE_UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
const TABLE_DECIMALS = 4;
const MAX_TABLE_COLUMNS = 80;

/** Parses `2026-11-01`, `2026-11-01T12:00Z` or an age like `7d`. */
export function parseTimeArgument(text: string): TimeArgument {
  const age = /^([1-9][0-9]{0,4})([hdw])$/.exec(text);
  if (age) return { ageMs: Number(age[1]) * AGE_UNITS_MS[age[2]] };
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const ms = isDay || /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) ? Date.parse(text) : NaN;
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  if (isReal) return { ms, isDay };
  throw new InvalidArgumentError(
    "It must be a UTC date like 2026-11-01, 2026-11-01T12:00Z, or an age like 7d.",
  );
}

/** In Unix seconds. `--since` and `--until` both include a day. */
export function toReportRange({ since, until }: ReportOptions, nowMs: number) {
  const toMs = (time: TimeArgument, wholeDayMs: number) =>
    "ageMs" in time ? nowMs - time.ageMs : time.ms + (time.isDay ? wholeDayMs : 0);
  return {
    since: since === undefined ? 0 : Math.floor(toMs(since, 0) / 1_000),
    until: until === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(toMs(until, DAY_MS) / 1_000),
  };
}

export async function printReport(
  context: CliContext,
  store: ArchivedStore,
  { options, label }: { readonly options: ReportOptions; readonly label: string },
): Promise<void> {
  const range = toReportRange(options, context.now());
  const rows = await reportProfit(store, range);
  const identity = await store.identity();
  const nameOf = await createPoolNames(context, identity, options);
  const totals = [...sumByPool(rows)].sort(([a], [b]) => a < b ? -1 : 1);
  if (options.json) {
    const toIso = (seconds: number) => new Date(seconds * 1_000).toISOString();
    const asJson = (pool: string, sums: LedgerSums) => toJson(pool, nameOf(pool), sums);
    return writeJson(context, {
      store: label,
      network: identity?.network ?? null,
      since: options.since === undefined ? null : toIso(range.since),
      until: options.until === undefined ? null : toIso(range.until),
      days: rows.map((row) => ({ day: row.day, ...asJson(row.pool, row) })),
      totals: totals.map(([pool, sums]) => asJson(pool, sums)),
    });
  }
  if (rows.length === 0) {
    if (!options.quiet) context.stdout.write("no withdrawals in this time\n");
    return;
  }
  const days = options.quiet ? [] : rows.map((row: ReportRow) => toCells(row.day, nameOf(row.pool), row));
  context.stdout.write(formatTable([
    ["day", "pool", "paid", "fees", "gas", "refunds", "profit"],
    ...days,
    ...totals.map(([pool, sums]) => toCells("total", nameOf(pool), sums)),
  ]));
}

async function createPoolNames(
  { env }: CliContext,
  identity: StoreIdentity | undefined,
  options: ReportOptions,
): Promise<(pool: string) => NamedPool> {
  if (identity === undefined) return (pool) => ({ name: pool });
  const { network } = identity;
  const path = options.registry ?? new SettingsReader(env).read(serveSettings.deployments);
  const { pools } = await findRegistry(network, path);
  const known = new Map([...pools].map(([key, pool]) => [pool.address.toRawString(), { key, pool }]));
  return (id) => {
    const found = known.get(id);
    if (found) return { name: found.key, deployment: found.pool };
    return { name: formatAddress(Address.parse(id), network) };
  };
}

/** In nano; undefined if the fees are not in the native coin. */
function profitOf({ deployment }: NamedPool, { fees, gas, refunds }: LedgerSums): bigint | undefined {
  return deployment?.asset === "native" ? fees - gas - refunds : undefined;
}

function toJson(address: string, pool: NamedPool, sums: LedgerSums) {
  const { paid, refused, fees, gas, refunds } = sums;
  const { name, deployment } = pool;
  return {
    pool: deployment ? name : null,
    address,
    asset: deployment?.asset ?? null,
    paid,
    refused,
    fees,
    gas,
    refunds,
    profit: profitOf(pool, sums) ?? null,
  };
}

function toCells(day: string, pool: NamedPool, sums: LedgerSums): string[] {
  const { asset = "units", decimals = 0 } = pool.deployment ?? {};
  const fees = asset === "native" ? round(sums.fees) : `${round(sums.fees, decimals)} ${asset}`;
  const profit = profitOf(pool, sums);
  return [
    ...[day, pool.name, String(sums.paid), fees, round(sums.gas), round(sums.refunds)],
    profit === undefined ? "-" : round(profit),
  ];
}

function round(amount: bigint, decimals = 9): string {
  if (decimals <= TABLE_DECIMALS) return formatUnits(amount, decimals);
  const step = 10n ** BigInt(decimals - TABLE_DECIMALS);
  const half = amount < 0n ? -step / 2n : step / 2n;
  return formatUnits((amount + half) / step, TABLE_DECIMALS);
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_head, i) => Math.max(...rows.map((row) => row[i].length)));
  const excess = widths.reduce((sum, width) => sum + width + 2, -2) - MAX_TABLE_COLUMNS;
  if (excess > 0) widths[1] = Math.max(8, widths[1] - excess);
  const fit = (text: string, width: number) => text.length > width ? `${text.slice(0, width - 1)}…` : text;
  const line = (row: readonly string[]) =>
    row.map((text, i) => i < 2 ? fit(text, widths[i]).padEnd(widths[i]) : text.padStart(widths[i])).join(
      "  ",
    );
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
