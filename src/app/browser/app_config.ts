/// <reference lib="dom" />
/** Reads `config.json`, the settings of the server or build. */
import * as z from "zod";
import { networks } from "../../core/protocol/network.ts";
import type { AppConfig } from "../ports.ts";
import type { WalletEntry } from "../../client/tonconnect/bridge.ts";

const configSchema = z.object({
  network: z.enum(networks),
  depositEndpoint: z.url(),
  withdrawalEndpoint: z.url(),
  relayers: z.array(z.string()), // absolute, or relative to the app's folder
  /** Origins that the page may connect to beside its own; absent: any. */
  connect: z.array(z.string()).optional(),
  /** Origins of the wallets' bridges that the page may connect to. */
  bridges: z.array(z.string()).optional(),
  /** Replaces the committed list; for test networks. */
  wallets: z.array(z.object({ id: z.string(), name: z.string(), link: z.url(), bridge: z.url() })).optional(),
  /** Default: `tonconnect-manifest.json` of the app's folder. */
  walletManifest: z.url().optional(),
  pools: z.unknown(),
});

export interface ServedConfig extends AppConfig {
  readonly bridges?: readonly string[] | undefined;
  readonly wallets?: readonly WalletEntry[] | undefined;
  readonly walletManifest?: string | undefined;
}

/** Throws if it is missing or malformed. @param base the app's folder */
export async function readAppConfig(base: URL): Promise<ServedConfig> {
  const response = await fetch(new URL("config.json", base), { cache: "no-cache" });
  if (!response.ok) throw new Error(`config.json: status ${response.status}`);
  const { relayers, pools, connect, ...config } = configSchema.parse(await response.json());
  const reachable = connect && { connect: [...connect, base.origin] };
  return {
    ...config,
    ...reachable,
    pools,
    relayers: relayers.map((url) => new URL(url, base).href.replace(/\/+$/, "")),
  };
}
