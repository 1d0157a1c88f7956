/** The settings of a build for a static host: `config.json`, and where its page may connect to. */
import { isNetwork } from "../../../src/core/protocol/network.ts";
import { normalizeEndpointUrl } from "../../../src/ton/endpoint/json_rpc.ts";

interface StaticOptions {
  readonly network?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly "withdrawal-endpoint"?: string | undefined;
  readonly relayer: readonly string[];
  readonly bridge?: readonly string[] | undefined;
  /** Where the app is published, for the wallets' manifest. */
  readonly url?: string | undefined;
  readonly walletBridges: readonly string[];
}

/** Returns undefined without `--endpoint`. The pools are those of `deployments/`. Exits with usage if options contradict. */
export async function staticConfig(
  options: StaticOptions,
  root: URL,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly connect: readonly string[] } | undefined> {
  const { network, endpoint, relayer, bridge, url } = options;
  if (endpoint === undefined) {
    if (network || url || bridge || options["withdrawal-endpoint"] || relayer.length > 0) {
      throw new Error("--url, --network, --withdrawal-endpoint, --relayer and --bridge need --endpoint");
    }
    return undefined;
  }
  if (!url) throw new Error("--endpoint needs --url, the address where the app is published");
  if (!network || !isNetwork(network) || network === "localnet") {
    throw new Error("--endpoint needs --network mainnet or --network testnet");
  }
  const withdrawalEndpoint = options["withdrawal-endpoint"] ?? endpoint;
  for (const each of [endpoint, withdrawalEndpoint]) normalizeEndpointUrl(each); // throws
  const pools = JSON.parse(await Deno.readTextFile(new URL(`deployments/${network}.json`, root)));
  const bridges = (bridge ?? options.walletBridges).map((each) => new URL(each).origin);
  const connect = [endpoint, withdrawalEndpoint, ...relayer].map((each) => new URL(each).origin);
  const config = {
    network,
    depositEndpoint: endpoint,
    withdrawalEndpoint,
    relayers: relayer,
    connect: [...new Set(connect)],
    bridges,
    pools,
  };
  const base = url.replace(/\/*$/, "/");
  const wallets = { url: base.slice(0, -1), name: "tonado", iconUrl: `${base}icons/icon-180.png` };
  return {
    files: new Map([
      ["config.json", JSON.stringify(config, null, 2) + "\n"],
      ["tonconnect-manifest.json", JSON.stringify(wallets, null, 2) + "\n"],
    ]),
    connect: [...new Set([...connect, ...bridges])],
  };
}
