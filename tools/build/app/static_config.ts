/** The settings of a build for a static host: `config.json`, and where its page may connect to. */
import { isNetwork } from "../../../src/core/protocol/network.ts";

interface StaticOptions {
  readonly network?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly "withdrawal-endpoint"?: string | undefined;
  readonly relayer: readonly string[];
  readonly bridge: readonly string[];
}

/** Returns undefined without `--endpoint`. The pools are those of `deployments/`. Exits with usage if options contradict. */
export async function staticConfig(
  options: StaticOptions,
  root: URL,
): Promise<{ readonly json: string; readonly connect: readonly string[] } | undefined> {
  const { network, endpoint, relayer, bridge } = options;
  if (endpoint === undefined) {
    if (network || options["withdrawal-endpoint"] || relayer.length + bridge.length > 0) {
      throw new Error("--network, --withdrawal-endpoint, --relayer and --bridge need --endpoint");
    }
    return undefined;
  }
  if (!network || !isNetwork(network) || network === "localnet") {
    throw new Error("--endpoint needs --network mainnet or --network testnet");
  }
  const withdrawalEndpoint = options["withdrawal-endpoint"] ?? endpoint;
  const pools = JSON.parse(await Deno.readTextFile(new URL(`deployments/${network}.json`, root)));
  const config = {
    network,
    depositEndpoint: endpoint,
    withdrawalEndpoint,
    relayers: relayer,
    bridges: bridge,
    pools,
  };
  const connect = [endpoint, withdrawalEndpoint, ...relayer, ...bridge].map((url) => new URL(url).origin);
  return { json: JSON.stringify(config, null, 2) + "\n", connect: [...new Set(connect)] };
}
