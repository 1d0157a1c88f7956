import type { Address } from "@ton/core";
import { Command } from "commander";
import { formatDeployments } from "../../../core/protocol/deployments.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { formatAmount } from "../../../core/protocol/units.ts";
import { createLocalnetConfig } from "../../options/localnet_config.ts";
import { localnetPayCommand } from "./pay.ts";
import { colours } from "../../output/progress.ts";
import type { CliContext, RunningLocalnet, RunningRelayer } from "../../context.ts";
import { type OutputOptions, writeJson } from "../../output/print.ts";
import { pollUntil } from "../../../core/time/deadline.ts";
import { integerArgument } from "../../options/integer_argument.ts";

interface LocalnetCommandOptions extends OutputOptions {
  readonly port: number;
  readonly relayerPort: number;
  readonly dataDir?: string;
  readonly blockTime: number;
  readonly settle: boolean;
}

const DEFAULT_PORT = 8081;
const DEFAULT_RELAYER_PORT = 8090;
const DEFAULT_BLOCK_TIME_MS = 1000;
const MAX_PORT = 65535;

export function localnetCommand(context: CliContext): Command {
  return new Command("localnet")
    .description("start a local network with pools, funded wallets and a relayer")
    .option(
      "--port <port>",
      "port of the network's HTTP API (toncenter v2); 0: any free port",
      integerArgument(0, MAX_PORT),
      DEFAULT_PORT,
    )
    .option(
      "--relayer-port <port>",
      "port of the relayer; 0: any free port",
      integerArgument(0, MAX_PORT),
      DEFAULT_RELAYER_PORT,
    )
    .option(
      "--data-dir <dir>",
      "directory for the pools' registry and the relayer's data (localnet-relayer, emptied at each start); default: a temporary directory",
    )
    .option(
      "--block-time <milliseconds>",
      "time between blocks",
      integerArgument(10, 60_000),
      DEFAULT_BLOCK_TIME_MS,
    )
    .option("--no-settle", "leave the deposits of version 2 pools to `tonado settle` and the app")
    .option("--json", "print one JSON line when everything is ready")
    .option("--quiet", "print only the addresses of network and relayer")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado localnet\n  tonado localnet --port 0 --relayer-port 0 --json\n" +
        "  tonado localnet pay 'ton://transfer/...'",
    )
    .addCommand(localnetPayCommand(context))
    .action((options: LocalnetCommandOptions) => localnet(context, options));
}

async function localnet(context: CliContext, options: LocalnetCommandOptions): Promise<void> {
  const stopped = context.waitForShutdown();
  const dataDir = options.dataDir ?? await context.makeTempDir();
  const store = `${dataDir}/localnet-relayer`; // a name of its own, because it is emptied
  const registry = `${dataDir}/localnet.json`;
  let network: RunningLocalnet | undefined;
  let relayer: RunningRelayer | undefined;
  try {
    await context.removeDir(store); // it belongs to the chain of an earlier run
    network = await context.startLocalnet({ port: options.port, blockTimeMs: options.blockTime });
    await context.writeFile(registry, formatDeployments(network.deployments));
    const logLevel = options.json ? "error" : "warning";
    relayer = await context.serve(
      createLocalnetConfig(network, {
        dataDir: store,
        port: options.relayerPort,
        logLevel,
        settles: options.settle,
      }),
      network.deployments,
    );
    const { pools } = await (await fetch(`${relayer.url}/pools`)).json();
    await waitUntilReady(relayer.url);
    if (options.json) {
      const wallets = network.wallets.map((wallet) => ({
        ...wallet,
        address: formatWalletAddress(wallet.address),
      }));
      const { url: indexer, jetton: { asset, decimals, master } } = network;
      const jetton = { asset, decimals, master: master.toString({ testOnly: true }) };
      const { url, keys } = relayer;
      const faucet = faucetUrlOf(network);
      writeJson(context, { indexer, faucet, relayer: url, pools, jetton, wallets, registry, keys });
    } else if (options.quiet) context.stdout.write(`${network.url}\n${relayer.url}\n`);
    else {
      printLocalnet(context, network, relayer, registry);
    }
    await stopped;
  } finally {
    await relayer?.close();
    await network?.close();
    if (!options.dataDir) await context.removeDir(dataDir);
  }
}

const READY_POLL_INTERVAL_MS = 50;
/** It takes a second on an idle machine, and minutes on a busy one. */
const READY_TIMEOUT_MS = 600_000;

async function waitUntilReady(relayer: string): Promise<void> {
  const isReady = async () => {
    const response = await fetch(`${relayer}/readyz`);
    await response.body?.cancel();
    return response.ok;
  };
  if (await pollUntil(isReady, { intervalMs: READY_POLL_INTERVAL_MS, timeoutMs: READY_TIMEOUT_MS })) return;
  throw new Problem("not_ready", "the relayer of the local network did not become ready within ten minutes");
}

function printLocalnet(
  { stdout, env }: CliContext,
  network: RunningLocalnet,
  relayer: RunningRelayer,
  registry: string,
): void {
  const c = colours(stdout, env);
  const line = (text = "") => stdout.write(`${text}\n`);
  line(`${c.bold("indexer")}   ${network.url}`);
  line(`${c.bold("relayer")}   ${relayer.url}`);
  line(`${c.bold("registry")}  ${registry} (set RELAYER_DEPLOYMENTS to it for your own relayer)`);
  line(`${c.bold("keys")}      ${c.yellow(relayer.keys)}`);
  line(`\n${c.bold("pools")}`);
  for (const [key, pool] of network.deployments.pools) {
    const address = pool.address.toString({ testOnly: true });
    line(`  ${key.padEnd(12)} ${address}  ${formatAmount(pool.denomination, pool)}`);
  }
  const { asset, decimals, master } = network.jetton;
  line(`\n${c.bold("jetton")}`);
  const masterText = master.toString({ testOnly: true });
  line(`  ${asset.padEnd(12)} ${masterText}  ${decimals} decimals, in every wallet below`);
  line(`\n${c.bold("wallets")} ${c.yellow("(publicly known: use them on this network only)")}`);
  for (const { address, version, mnemonic } of network.wallets) {
    line(`  ${formatWalletAddress(address)} ${version}\n    ${c.dim(mnemonic)}`);
  }
  line(`\n${c.bold("faucet")}    ${faucetUrlOf(network)}?address=...&coins=1000000000&jettons=1000000`);
  line(`\nPress Ctrl-C to stop.`);
}

function faucetUrlOf({ url }: RunningLocalnet): string {
  return url.replace("jsonRPC", "faucet");
}

function formatWalletAddress(address: Address): string {
  return address.toString({ bounceable: false, testOnly: true });
}
