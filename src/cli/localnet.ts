/** `tonado localnet`: a local network with pools, funded wallets and a relayer, until it is told to end. */
import type { Address } from "@ton/core";
import { Command, InvalidArgumentError } from "commander";
import { formatDeployments } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { formatAmount } from "../core/units.ts";
import { localConfig } from "./local_config.ts";
import { payCommand } from "./localnet_pay.ts";
import { colours } from "./style.ts";
import type { RunningLocalnet, RunningRelayer, Wiring } from "./wiring.ts";

interface Options {
  readonly port: number;
  readonly relayerPort: number;
  readonly dataDir?: string;
  readonly blockTime: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const DEFAULT_PORT = 8081;
const DEFAULT_RELAYER_PORT = 8090;
const DEFAULT_BLOCK_TIME_MS = 1000;
const HIGHEST_PORT = 65535;

/** The command. */
export function localnetCommand(wiring: Wiring): Command {
  return new Command("localnet")
    .description("start a local network with pools, funded wallets and a relayer")
    .option(
      "--port <port>",
      "port of the network's HTTP API (toncenter v2); 0: any free one",
      port,
      DEFAULT_PORT,
    )
    .option("--relayer-port <port>", "port of the relayer; 0: any free one", port, DEFAULT_RELAYER_PORT)
    .option(
      "--data-dir <dir>",
      "where the pools' registry is written and the relayer keeps its data (localnet-relayer, emptied at each start); default: a temporary one",
    )
    .option("--block-time <milliseconds>", "time between blocks", milliseconds, DEFAULT_BLOCK_TIME_MS)
    .option("--json", "print one JSON line when all is ready")
    .option("--quiet", "print only the addresses of network and relayer")
    .addHelpText(
      "after",
      "\nExamples:\n  tonado localnet\n  tonado localnet --port 0 --relayer-port 0 --json\n" +
        "  tonado localnet pay 'ton://transfer/...'",
    )
    .addCommand(payCommand(wiring))
    .action((options: Options) => localnet(wiring, options));
}

async function localnet(wiring: Wiring, options: Options): Promise<void> {
  const stopped = wiring.stopped();
  const dataDir = options.dataDir ?? await wiring.makeTempDir();
  const store = `${dataDir}/localnet-relayer`; // nobody else's name: it is emptied
  const registry = `${dataDir}/localnet.json`;
  let network: RunningLocalnet | undefined;
  let relayer: RunningRelayer | undefined;
  try {
    await wiring.removeDir(store); // it is of a chain that is gone
    network = await wiring.startLocalnet({ port: options.port, blockTimeMs: options.blockTime });
    await wiring.writeFile(registry, formatDeployments(network.deployments));
    const logLevel = options.json ? "error" : "warning";
    relayer = await wiring.serve(
      localConfig(network, { dataDir: store, port: options.relayerPort, logLevel }),
      network.deployments,
    );
    const { pools } = await (await fetch(`${relayer.url}/pools`)).json();
    await untilReady(relayer.url);
    if (options.json) {
      const wallets = network.wallets.map(({ mnemonic, address, version }) => ({
        mnemonic,
        address: shown(address),
        version,
      }));
      const { url: indexer, jetton: { asset, decimals, master } } = network;
      const jetton = { asset, decimals, master: master.toString({ testOnly: true }) };
      wiring.stdout.write(
        JSON.stringify({
          indexer,
          faucet: faucetOf(network),
          relayer: relayer.url,
          pools,
          jetton,
          wallets,
          registry,
          keys: relayer.keys,
        }) +
          "\n",
      );
    } else if (options.quiet) wiring.stdout.write(`${network.url}\n${relayer.url}\n`);
    else {
      print(wiring, network, relayer, registry);
    }
    await stopped;
  } finally {
    await relayer?.close();
    await network?.close();
    if (!options.dataDir) await wiring.removeDir(dataDir);
  }
}

const READY_POLL_MS = 50;
const READY_PATIENCE_MS = 30_000;

/** Waits until every pool is indexed. */
async function untilReady(relayer: string): Promise<void> {
  for (const end = Date.now() + READY_PATIENCE_MS; Date.now() < end;) {
    const response = await fetch(`${relayer}/readyz`);
    await response.body?.cancel();
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
  throw new Problem("not_ready", "the relayer of the local network does not become ready");
}

function print(
  { stdout, env }: Wiring,
  network: RunningLocalnet,
  relayer: RunningRelayer,
  registry: string,
): void {
  const c = colours(stdout, env);
  const line = (text = "") => stdout.write(`${text}\n`);
  line(`${c.bold("indexer")}   ${network.url}`);
  line(`${c.bold("relayer")}   ${relayer.url}`);
  line(`${c.bold("registry")}  ${registry} (RELAYER_DEPLOYMENTS for a relayer of your own)`);
  line(`${c.bold("keys")}      ${c.yellow(relayer.keys)}`);
  line(`\n${c.bold("pools")}`);
  for (const [key, pool] of network.deployments.pools) {
    line(
      `  ${key.padEnd(12)} ${pool.address.toString({ testOnly: true })}  ${
        formatAmount(pool.denomination, pool)
      }`,
    );
  }
  const { asset, decimals, master } = network.jetton;
  line(`\n${c.bold("jetton")}`);
  line(
    `  ${asset.padEnd(12)} ${
      master.toString({ testOnly: true })
    }  ${decimals} decimals, in every wallet below`,
  );
  line(`\n${c.bold("wallets")} ${c.yellow("(known to everybody: for this network only)")}`);
  for (const { address, version, mnemonic } of network.wallets) {
    line(`  ${shown(address)} ${version}\n    ${c.dim(mnemonic)}`);
  }
  line(`\n${c.bold("faucet")}    ${faucetOf(network)}?address=...&coins=1000000000&jettons=1000000`);
  line(`\nCtrl-C ends it.`);
}

function faucetOf({ url }: RunningLocalnet): string {
  return url.replace("jsonRPC", "faucet");
}

function port(text: string): number {
  return integer(text, 0, HIGHEST_PORT);
}

function milliseconds(text: string): number {
  return integer(text, 10, 60_000);
}

function integer(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < least || value > most) {
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  }
  return value;
}

/** Of a wallet: non-bounceable, with the test flag. */
function shown(address: Address): string {
  return address.toString({ bounceable: false, testOnly: true });
}
