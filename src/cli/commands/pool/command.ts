import type { Address } from "@ton/core";
import { Command } from "commander";
import { findRegistry } from "../../../config/deployments_registry.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { fieldToHex } from "../../../core/crypto/field.ts";
import { formatAmount, formatNative } from "../../../core/protocol/units.ts";
import type { PoolFacts } from "../../../ops/audit/pool_facts.ts";
import { auditPool, type PoolAudit } from "../../../ops/audit/audit.ts";
import { surplusEnd } from "../../../ton/pool/pool_funds.ts";
import {
  addChainOptions,
  type ChainOptions,
  formatPoolAddress,
  openChain,
} from "../../options/chain_options.ts";
import { failedChecks, printChecks } from "../../output/check_table.ts";
import { resolvePoolAddress } from "../../options/pool_argument.ts";
import { poolClaimsCommand, poolRetryCommand } from "./claims.ts";
import { poolRescueCommand } from "./rescue.ts";
import { poolStatsCommand } from "./stats.ts";
import { withProgressLine, writeJson } from "../../output/print.ts";
import { colours } from "../../output/progress.ts";
import type { CliContext } from "../../context.ts";

export function poolCommand(context: CliContext): Command {
  const list = addChainOptions(new Command("list"))
    .description("list the pools of a registry, without network access")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado pool list --network mainnet\n  tonado pool list --json | jq .pools",
    )
    .action((options: ChainOptions) => listPools(context, options));
  const inspect = addChainOptions(new Command("inspect"))
    .description("audit a deployed pool: code, keys, owner, funds, and the tree rebuilt from its logs")
    .argument("<pool>", "address, or a key of the registry like native-10 or native-10-g1")
    .addHelpText(
      "after",
      "\nExits with status 1 if a check fails, with 0 if there are only warnings. --quiet prints only failures and warnings.\n\n" +
        "Examples:\n  tonado pool inspect native-10 --network testnet\n" +
        "  tonado pool inspect EQ... --network mainnet --json | jq '.checks[] | select(.verdict != \"ok\")'",
    )
    .action((pool: string, options: ChainOptions) => runPoolInspection(context, pool, options));
  const pool = new Command("pool").description("list, audit, count and rescue pools; retry refused payouts");
  for (const command of [list, inspect, poolStatsCommand(context), poolRescueCommand(context)]) {
    pool.addCommand(command);
  }
  return pool.addCommand(poolClaimsCommand(context)).addCommand(poolRetryCommand(context))
    .addHelpText(
      "after",
      "\nExamples:\n  tonado pool list\n  tonado pool inspect native-10\n  tonado pool stats native-10",
    );
}

async function listPools({ stdout, env }: CliContext, options: ChainOptions): Promise<void> {
  const { network, pools } = await findRegistry(options.network, options.registry);
  const rows = [...pools].map(([key, { address, denomination, owner, deployedSeqno, retired, ...pool }]) => ({
    key,
    address: formatPoolAddress(address, network),
    denomination: String(denomination),
    owner: owner && formatPoolAddress(owner, network),
    deployedSeqno,
    ...retired && { retired },
    ...pool.jettonMaster &&
      { jettonMaster: formatPoolAddress(pool.jettonMaster, network), decimals: pool.decimals },
  }));
  if (options.json) return writeJson({ stdout }, { network, pools: rows });
  if (rows.length === 0 && !options.quiet) stdout.write(`no pools on ${network}\n`);
  const c = colours(stdout, env);
  for (const { key, address, owner, retired } of rows) {
    const admin = owner ? c.yellow(`owner ${owner}`) : "no owner";
    const state = retired ? c.yellow("  retired") : "";
    stdout.write(options.quiet ? `${address}\n` : `${c.bold(key.padEnd(14))} ${address}  ${admin}${state}\n`);
  }
}

async function runPoolInspection(context: CliContext, pool: string, options: ChainOptions): Promise<void> {
  const { network } = options;
  const { chain, registry } = await openChain(context, options);
  const address = resolvePoolAddress(pool, registry);
  const audit = await withProgressLine(context, options, (progress) =>
    auditPool({
      chain,
      network,
      address,
      registry,
      onProgress: (count) => progress.update(`${count} transactions of the pool read`, 0),
    }));
  if (options.json) writeJson(context, toAuditJson(audit, options));
  else printAudit(context, audit, options);
  const failed = failedChecks(audit.checks);
  if (failed.length > 0) {
    throw new Problem(
      "audit_failed",
      `pool ${formatPoolAddress(address, network)} failed: ${failed.join(", ")}`,
    );
  }
}

function printAudit(context: CliContext, { address, checks, facts }: PoolAudit, options: ChainOptions): void {
  const c = colours(context.stdout, context.env);
  if (!options.quiet) {
    const kind = facts ? `, accepts exactly ${formatDenomination(facts)}` : "";
    context.stdout.write(
      `${c.bold(formatPoolAddress(address, options.network))} on ${options.network}${kind}\n`,
    );
  }
  printChecks(context, checks, options);
}

function formatDenomination({ info: { assetKind }, denomination, registryEntry: listed }: PoolFacts): string {
  if (assetKind === "native") return formatNative(denomination);
  return listed
    ? formatAmount(denomination, listed.deployment)
    : `${denomination} of a jetton's smallest unit`;
}

/** Amounts are decimal nano, roots hex. Without a pool, `facts` and `money` are absent. */
function toAuditJson({ address, sound, checks, facts, funds: money }: PoolAudit, { network }: ChainOptions) {
  const formatOptional = (account?: Address | null) => account ? formatPoolAddress(account, network) : null;
  return {
    network,
    address: formatPoolAddress(address, network),
    sound,
    checks,
    ...facts && money && {
      facts: {
        codeHash: facts.codeHash,
        vkeyHash: facts.codeHash === facts.build.codeHash ? facts.build.vkeyHash : null,
        keys: facts.codeHash === facts.build.codeHash ? facts.build.keys.label : null,
        asset: facts.info.assetKind,
        version: facts.info.version,
        generation: facts.generation ?? null,
        denomination: facts.denomination,
        owner: facts.info.owner && formatPoolAddress(facts.info.owner, network),
        paused: facts.info.paused,
        ...facts.jetton && { claims: facts.info.claims },
        deposits: facts.info.deposits,
        ...facts.version2 && { settled: facts.version2.settleInfo.settled },
        withdrawals: facts.info.withdrawals,
        capacity: facts.info.capacity,
        root: fieldToHex(facts.currentRoot),
        ...facts.jetton && {
          jettonMaster: formatOptional(facts.info.jettonMaster),
          jettonWallet: formatOptional(facts.info.jettonWallet),
          givenWallet: formatOptional(facts.jetton.expectedWallet),
          jettons: facts.jetton.walletData?.balance ?? null,
        },
        rebuiltRoot: facts.rebuilt.rootHistory.slice(0, 1).map(fieldToHex)[0] ?? null,
      },
      money: {
        balance: facts.balance,
        storageDue: facts.storageDue,
        storagePerYear: facts.storagePerYear,
        available: money.available,
        notes: money.unspentNotes,
        debt: money.debt,
        obligations: money.obligations,
        surplus: money.surplus,
        surplusUntil: formatTimeOrNull(surplusEnd(money, facts.readAt)),
        shortfall: money.shortfall,
        runwayYears: finiteOrNull(money.runwayYears),
        reserveYears: finiteOrNull(money.reserveYears),
      },
    },
  };
}

/** null for times that JavaScript cannot represent. */
function formatTimeOrNull(seconds: number): string | null {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** JSON has no infinity: null means forever. */
function finiteOrNull(years: number): number | null {
  return Number.isFinite(years) ? years : null;
}
