/** `tonado pool`: the pools of a registry, the audit of any pool on a chain, and how it is used. */
import type { Address } from "@ton/core";
import { Command } from "commander";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { Problem } from "../core/errors.ts";
import { toHex } from "../core/field.ts";
import { formatAmount } from "../core/units.ts";
import type { PoolFacts } from "../ops/pool_facts.ts";
import { inspectPool, type PoolAudit } from "../ops/inspect.ts";
import { addChainOptions, type ChainOptions, native, poolAddress } from "./chain_options.ts";
import { printChecks } from "./checks.ts";
import { namedPool } from "./named_pool.ts";
import { poolStatsCommand } from "./pool_stats.ts";
import { colours, progressLine } from "./style.ts";
import type { Wiring } from "./wiring.ts";

/** The command and its three. */
export function poolCommand(wiring: Wiring): Command {
  const list = addChainOptions(new Command("list"))
    .description("list the pools of a registry; nothing is asked of the chain")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado pool list --network mainnet\n  tonado pool list --json | jq .pools",
    )
    .action((options: ChainOptions) => listPools(wiring, options));
  const inspect = addChainOptions(new Command("inspect"))
    .description("audit a deployed pool: code, keys, owner, money, and its tree rebuilt from its own logs")
    .argument("<pool>", "address, or a key of the registry like native-10 or native-10-g1")
    .addHelpText(
      "after",
      "\nEnds with 1 when a check fails, with 0 when there are only warnings. --quiet prints only those.\n\n" +
        "Examples:\n  tonado pool inspect native-10 --network testnet\n" +
        "  tonado pool inspect EQ... --network mainnet --json | jq '.checks[] | select(.verdict != \"ok\")'",
    )
    .action((pool: string, options: ChainOptions) => inspectOne(wiring, pool, options));
  return new Command("pool").description("list, audit and count pools").addCommand(list).addCommand(inspect)
    .addCommand(poolStatsCommand(wiring))
    .addHelpText(
      "after",
      "\nExamples:\n  tonado pool list\n  tonado pool inspect native-10\n  tonado pool stats native-10",
    );
}

async function listPools({ stdout, env }: Wiring, options: ChainOptions): Promise<void> {
  const { network, pools } = await findRegistry(options.network, options.registry);
  const rows = [...pools].map(([key, { address, denomination, owner, deployedSeqno, retired, ...pool }]) => ({
    key,
    address: poolAddress(address, network),
    denomination: String(denomination),
    owner: owner && poolAddress(owner, network),
    deployedSeqno,
    ...retired && { retired },
    ...pool.jettonMaster &&
      { jettonMaster: poolAddress(pool.jettonMaster, network), decimals: pool.decimals },
  }));
  if (options.json) return stdout.write(JSON.stringify({ network, pools: rows }) + "\n");
  if (rows.length === 0 && !options.quiet) stdout.write(`no pools on ${network}\n`);
  const c = colours(stdout, env);
  for (const { key, address, owner, retired } of rows) {
    const admin = owner ? c.yellow(`owner ${owner}`) : "no owner";
    const state = retired ? c.yellow("  retired") : "";
    stdout.write(options.quiet ? `${address}\n` : `${c.bold(key.padEnd(14))} ${address}  ${admin}${state}\n`);
  }
}

async function inspectOne(wiring: Wiring, pool: string, options: ChainOptions): Promise<void> {
  const { network } = options;
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(network, options.registry);
  const address = namedPool(pool, known);
  const chain = wiring.connect(options.network, { url, apiKey });
  const progress = progressLine(wiring.stderr);
  let audit: PoolAudit;
  try {
    audit = await inspectPool({
      chain,
      network,
      address,
      known,
      onProgress: (seen) => !options.quiet && progress.update(`${seen} transactions of the pool read`, 0),
    });
  } finally {
    progress.clear();
  }
  if (options.json) wiring.stdout.write(JSON.stringify(auditJson(audit, options)) + "\n");
  else print(wiring, audit, options);
  const failed = audit.checks.filter(({ verdict }) => verdict === "failed").map(({ name }) => name);
  if (failed.length > 0) {
    throw new Problem("audit_failed", `pool ${poolAddress(address, network)} failed: ${failed.join(", ")}`);
  }
}

function print(wiring: Wiring, { address, checks, facts }: PoolAudit, options: ChainOptions): void {
  const c = colours(wiring.stdout, wiring.env);
  if (!options.quiet) {
    const kind = facts ? `, takes exactly ${takes(facts)}` : "";
    wiring.stdout.write(`${c.bold(poolAddress(address, options.network))} on ${options.network}${kind}\n`);
  }
  printChecks(wiring, checks, options);
}

/** Of a jetton what the registry calls it; of one that is not in there the bare figure. */
function takes({ info: { assetKind }, denomination, listed }: PoolFacts): string {
  if (assetKind === "native") return native(denomination);
  return listed
    ? formatAmount(denomination, listed.deployment)
    : `${denomination} of a jetton's smallest unit`;
}

/** Amounts as decimal nano, roots as canonical hex; absent when there is no pool: `facts` and `money`. */
function auditJson({ address, sound, checks, facts, money }: PoolAudit, { network }: ChainOptions) {
  const shown = (account?: Address | null) => account ? poolAddress(account, network) : null;
  return {
    network,
    address: poolAddress(address, network),
    sound,
    checks,
    ...facts && money && {
      facts: {
        codeHash: facts.codeHash,
        vkeyHash: facts.codeHash === facts.build.codeHash ? facts.build.vkeyHash : null,
        keys: facts.codeHash === facts.build.codeHash ? facts.build.keys.label : null,
        asset: facts.info.assetKind,
        generation: facts.generation ?? null,
        denomination: String(facts.denomination),
        owner: facts.info.owner && poolAddress(facts.info.owner, network),
        paused: facts.info.paused,
        deposits: facts.info.deposits,
        withdrawals: facts.info.withdrawals,
        capacity: facts.info.capacity,
        root: toHex(facts.currentRoot),
        ...facts.jetton && {
          jettonMaster: shown(facts.info.jettonMaster),
          jettonWallet: shown(facts.info.jettonWallet),
          givenWallet: shown(facts.jetton.given),
          jettons: facts.jetton.wallet ? String(facts.jetton.wallet.balance) : null,
        },
        rebuiltRoot: facts.rebuilt.lastRoots[0] === undefined ? null : toHex(facts.rebuilt.lastRoots[0]),
      },
      money: {
        balance: String(facts.balance),
        storageDue: String(facts.due),
        storagePerYear: String(facts.perYear),
        available: String(money.available),
        notes: String(money.notes),
        debt: String(money.debt),
        obligations: String(money.obligations),
        shortfall: String(money.shortfall),
        runwayYears: finite(money.runwayYears),
        reserveYears: finite(money.reserveYears),
      },
    },
  };
}

/** JSON has no infinity: null is for ever. */
function finite(years: number): number | null {
  return Number.isFinite(years) ? years : null;
}
