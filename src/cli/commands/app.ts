import { Command, Option } from "commander";
import { publicEndpoints } from "../../config/endpoint.ts";
import { findRegistry } from "../../config/deployments_registry.ts";
import { clientSettings } from "../../config/settings/client_settings.ts";
import { endpointUrl, httpUrl, MalformedSettingError } from "../../config/settings/setting.ts";
import { type Network, networks } from "../../core/protocol/network.ts";
import type { CliContext } from "../context.ts";
import { collectRelayerArguments } from "../options/chain_options.ts";
import { integerArgument } from "../options/integer_argument.ts";
import { usageError } from "../options/usage_error.ts";
import { addOutputOptions, type OutputOptions, writeJson } from "../output/print.ts";

interface AppCommandOptions extends OutputOptions {
  readonly network: Network;
  readonly endpoint?: string;
  readonly withdrawalEndpoint?: string;
  readonly registry?: string;
  readonly relayer?: readonly string[];
  readonly walletManifest?: string;
  readonly port: number;
}

/** Browsers keep notes by host and port, so it does not change between runs. */
const DEFAULT_PORT = 8089;
const MAX_PORT = 65535;
const HOST = "localhost"; // passkeys belong to a name, not to an address

export function appCommand(context: CliContext): Command {
  const command = new Command("app")
    .description("serve the app for browsers on this computer")
    .addOption(new Option("--network <network>", "network of the pools").choices(networks).default("testnet"))
    .option("--endpoint <url>", "toncenter v2 endpoint; default: INDEXER_URL, or the network's public one")
    .option(
      "--withdrawal-endpoint <url>",
      "endpoint of another operator for withdrawals; default: --endpoint",
    )
    .option("--registry <file>", "deployments registry; default: this release's")
    .option(
      "--relayer <url>",
      "a relayer URL; repeat the flag to compare the fees of several",
      collectRelayerArguments,
    )
    .option(
      "--wallet-manifest <url>",
      "the tonconnect-manifest.json of a public website, which phone wallets fetch before they connect; " +
        "its server sees the phone's network address, so do not use a relayer's",
    )
    .option(
      "--port <port>",
      "port to listen on, 0: any free port; a browser's notes belong to the port",
      integerArgument(0, MAX_PORT),
      DEFAULT_PORT,
    );
  return addOutputOptions(command, "print one JSON line when the app is served", "print only the URL")
    .addHelpText(
      "after",
      "\nOnly this computer can reach the app, and the browser's notes stay in the browser. The command opens no\n" +
        "browser.\n\n" +
        "Examples:\n" +
        "  tonado app --relayer https://one.example --relayer https://two.example\n" +
        "  tonado app --network localnet --endpoint http://127.0.0.1:8081/api/v2/jsonRPC \\\n" +
        "    --registry data/localnet.json --relayer http://127.0.0.1:8090",
    )
    .action((options: AppCommandOptions) => serveApp(context, options));
}

async function serveApp(context: CliContext, options: AppCommandOptions): Promise<void> {
  const stopped = context.waitForShutdown();
  const { network, port, relayer = [] } = options;
  const depositEndpoint = endpointOf(context, options);
  const withdrawalEndpoint = checkedUrl("--withdrawal-endpoint", options.withdrawalEndpoint, endpointUrl) ??
    depositEndpoint;
  const deployments = await findRegistry(network, options.registry);
  const walletManifest = checkedUrl("--wallet-manifest", options.walletManifest, httpUrl);
  const settings = {
    ...{ depositEndpoint, withdrawalEndpoint, relayers: relayer, deployments },
    ...walletManifest !== undefined && { walletManifest },
  };
  const app = await context.serveApp(settings, { host: HOST, port });
  const url = `${app.url.replace(/\/\/[^/:]+|\/\/\[[^\]]*\]/, `//${HOST}`)}/`;
  try {
    if (options.json) writeJson(context, { network, url, hash: app.hash });
    else if (options.quiet) context.stdout.write(`${url}\n`);
    else {
      context.stdout.write(`the app for ${network} is at ${url}\n`);
      context.stderr.write(`SHA-256 of its SHA256SUMS: ${app.hash}\nPress Ctrl-C to stop.\n`);
      if (new URL(depositEndpoint).host === new URL(withdrawalEndpoint).host) {
        context.stderr.write(
          "One endpoint serves deposits and withdrawals, so its operator could connect them. To separate them, name an\n" +
            "endpoint of another operator with --withdrawal-endpoint.\n",
        );
      }
      if (relayer.length === 0) {
        context.stderr.write("Without --relayer the app can deposit, but not withdraw.\n");
      }
    }
    await stopped;
  } finally {
    await app.close();
  }
}

function endpointOf({ env }: CliContext, { endpoint, network }: AppCommandOptions): string {
  const { indexerUrl } = clientSettings;
  const found = checkedUrl("--endpoint", endpoint, endpointUrl) ??
    checkedUrl(indexerUrl.name, env[indexerUrl.name] || undefined, endpointUrl) ??
    publicEndpoints[network];
  if (found === undefined) {
    throw usageError(
      "--endpoint",
      "is required on localnet: use the `indexer` that `tonado localnet` prints",
    );
  }
  return found;
}

function checkedUrl(
  pointer: string,
  text: string | undefined,
  parse: (text: string) => string,
): string | undefined {
  try {
    return text && parse(text);
  } catch (error) {
    if (!(error instanceof MalformedSettingError)) throw error;
    throw usageError(pointer, `is not ${error.message}`);
  }
}
