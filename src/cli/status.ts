/** `tonado status`: whether chain and relayers answer, what they ask, and how large each pool's crowd is. */
import { Command } from "commander";
import { RelayerClient } from "../client/relayer_client.ts";
import { QUOTE_MS } from "../client/relayer_quotes.ts";
import { findRegistry } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { Problem } from "../core/errors.ts";
import { counted, formatAmount } from "../core/units.ts";
import { Pool } from "../ton/pool.ts";
import { addChainOptions, type ChainOptions, poolAddress, relayersArgument } from "./chain_options.ts";
import { requireLife } from "./liveness.ts";
import { colours } from "./style.ts";
import { oneLine } from "./terminal_text.ts";
import type { Wiring } from "./wiring.ts";

type StatusOptions = ChainOptions & {
  readonly relayer?: readonly string[];
  readonly live?: string | true;
};

/** What one relayer says. */
interface RelayerState {
  readonly relayer: string;
  readonly problem?: string;
  /** Smallest fee by pool, in the pool's asset. */
  readonly fees?: Readonly<Record<string, string>>;
}

/** The command. */
export function statusCommand(wiring: Wiring): Command {
  return addChainOptions(new Command("status"))
    .description("the pools of a network as the chain has them now, and what relayers ask")
    .option(
      "--relayer <url>",
      "a relayer to ask; give several, each with its flag",
      relayersArgument,
    )
    .option(
      "--live [url]",
      "only whether a relayer lives, by default the one that `serve` starts here; for health checks",
    )
    .addHelpText(
      "after",
      "\nEnds with 3 when the chain or a relayer does not answer.\n\n" +
        "Examples:\n  tonado status\n  tonado status --network mainnet --relayer https://one.example --json\n" +
        "  tonado status --live http://127.0.0.1:8090",
    )
    .action((options: StatusOptions) =>
      options.live === undefined ? status(wiring, options) : life(wiring, options)
    );
}

async function life({ stdout, env }: Wiring, { live, json, quiet }: StatusOptions): Promise<void> {
  const relayer = await requireLife(live === true ? undefined : live, env);
  if (json) stdout.write(JSON.stringify({ relayer, status: "alive" }) + "\n");
  else if (!quiet) stdout.write(`${relayer} lives\n`);
}

async function status(wiring: Wiring, options: StatusOptions): Promise<void> {
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(options.network, options.registry);
  const chain = wiring.connect(options.network, { url, apiKey });
  const seqno = await chain.masterchainSeqno();
  const pools = [];
  for (const [key, { address, asset, decimals }] of known.pools) {
    const pool = new Pool(chain, address);
    const { deposits, withdrawals, paused } = await pool.getPoolInfo();
    const denomination = await pool.getDenomination();
    pools.push({
      ...{ key, address: poolAddress(address, options.network), asset, decimals },
      ...{ denomination: String(denomination), deposits, withdrawals, paused },
    });
  }
  const relayers = await Promise.all((options.relayer ?? []).map((url) => relayerState(url, options)));
  const { stdout, env } = wiring;
  if (options.json) stdout.write(JSON.stringify({ network: options.network, seqno, pools, relayers }) + "\n");
  else {
    const c = colours(stdout, env);
    if (!options.quiet) stdout.write(`${options.network}, block ${seqno}\n`);
    for (const { key, deposits, withdrawals, paused } of pools) {
      const state = paused ? c.red("paused") : c.green("open");
      stdout.write(
        `  ${c.bold(key.padEnd(14))} ${state}  ${counted(deposits, "deposit")}, ${
          counted(withdrawals, "withdrawal")
        }\n`,
      );
    }
    for (const { relayer, problem, fees = {} } of relayers) {
      stdout.write(
        `${c.bold(relayer)}  ${problem === undefined ? c.green("answers") : c.red(oneLine(problem))}\n`,
      );
      for (const pool of pools) {
        const fee = fees[pool.key];
        if (fee !== undefined) {
          stdout.write(`  ${pool.key.padEnd(14)} fee ${formatAmount(BigInt(fee), pool)}\n`);
        }
      }
    }
  }
  const silent = relayers.filter(({ problem }) => problem !== undefined);
  if (silent.length > 0) {
    const errors = silent.map(({ relayer, problem }) => ({ pointer: relayer, detail: problem! }));
    throw new Problem("relayer_unavailable", undefined, { errors });
  }
}

async function relayerState(relayer: string, { network }: StatusOptions): Promise<RelayerState> {
  try {
    const client = new RelayerClient(relayer).within(QUOTE_MS);
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
