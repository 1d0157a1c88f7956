import { Command } from "commander";
import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import { QUOTE_TIMEOUT_MS } from "../../../client/relayer/relayer_quotes.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount, pluralize } from "../../../core/protocol/units.ts";
import { Pool } from "../../../ton/pool/pool.ts";
import {
  addChainOptions,
  type ChainOptions,
  collectRelayerArguments,
  formatPoolAddress,
  openChain,
} from "../../options/chain_options.ts";
import { checkLiveness } from "./liveness_check.ts";
import { colours } from "../../output/progress.ts";
import { escapeLine } from "../../output/sanitize.ts";
import type { CliContext } from "../../context.ts";
import { printResult, writeJson } from "../../output/print.ts";

type StatusOptions = ChainOptions & { readonly relayer?: readonly string[]; readonly live?: string | true };

interface RelayerSummary {
  readonly relayer: string;
  readonly problem?: string;
  readonly fees?: Readonly<Record<string, string>>; // by pool, in the smallest unit of its asset
}

export function statusCommand(context: CliContext): Command {
  return addChainOptions(new Command("status"))
    .description("show the current state of a network's pools and the relayers' fees")
    .option("--relayer <url>", "a relayer to query; repeat the flag for several", collectRelayerArguments)
    .option(
      "--live [url]",
      "only check that a relayer is alive, by default the local one of `serve`; for health checks",
    )
    .addHelpText(
      "after",
      "\nExits with status 3 if the chain or a relayer does not respond.\n\n" +
        "Examples:\n  tonado status\n  tonado status --network mainnet --relayer https://one.example --json\n" +
        "  tonado status --live http://127.0.0.1:8090",
    )
    .action((options: StatusOptions) =>
      options.live === undefined ? showStatus(context, options) : showLiveness(context, options)
    );
}

async function showLiveness(context: CliContext, options: StatusOptions): Promise<void> {
  const { live } = options;
  const relayer = await checkLiveness(live === true ? undefined : live, context.env);
  printResult(context, options, { relayer, status: "alive" }, `${relayer} lives`);
}

async function showStatus(context: CliContext, options: StatusOptions): Promise<void> {
  const { chain, registry: known } = await openChain(context, options);
  const seqno = await chain.masterchainSeqno();
  const pools = [];
  for (const [key, { address, asset, decimals }] of known.pools) {
    const pool = new Pool(chain, address);
    const { deposits, withdrawals, paused } = await pool.getPoolInfo();
    const denomination = await pool.getDenomination();
    pools.push({
      key,
      address: formatPoolAddress(address, options.network),
      asset,
      decimals,
      denomination: String(denomination),
      deposits,
      withdrawals,
      paused,
    });
  }
  const relayers = await Promise.all((options.relayer ?? []).map((url) => queryRelayer(url, options)));
  const { stdout, env } = context;
  if (options.json) writeJson(context, { network: options.network, seqno, pools, relayers });
  else {
    const c = colours(stdout, env);
    if (!options.quiet) stdout.write(`${options.network}, block ${seqno}\n`);
    for (const { key, deposits, withdrawals, paused } of pools) {
      const state = paused ? c.red("paused") : c.green("open");
      const counts = `${pluralize(deposits, "deposit")}, ${pluralize(withdrawals, "withdrawal")}`;
      stdout.write(`  ${c.bold(key.padEnd(14))} ${state}  ${counts}\n`);
    }
    for (const { relayer, problem, fees = {} } of relayers) {
      const answer = problem === undefined ? c.green("answers") : c.red(escapeLine(problem));
      stdout.write(`${c.bold(relayer)}  ${answer}\n`);
      for (const pool of pools) {
        const fee = fees[pool.key];
        if (fee === undefined) continue;
        stdout.write(`  ${pool.key.padEnd(14)} fee ${formatAmount(BigInt(fee), pool)}\n`);
      }
    }
  }
  const silent = relayers.filter(({ problem }) => problem !== undefined);
  if (silent.length > 0) {
    const errors = silent.map(({ relayer, problem }) => ({ pointer: relayer, detail: problem! }));
    throw new Problem("relayer_unavailable", undefined, { errors });
  }
}

async function queryRelayer(relayer: string, { network }: StatusOptions): Promise<RelayerSummary> {
  try {
    const client = new RelayerClient(relayer).withTimeout(QUOTE_TIMEOUT_MS);
    const served = await client.pools();
    if (served.network !== network) return { relayer, problem: `serves ${served.network}` };
    const fees: Record<string, string> = {};
    for (const [key, { retired }] of Object.entries(served.pools)) {
      if (!retired) fees[key] = String(await client.feeFloor(key));
    }
    return { relayer, fees };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { relayer, problem: error.message };
  }
}
