import type { ServeConfig } from "../../config/serve_config.ts";
import { parseUnits } from "../../core/protocol/units.ts";
import { Secret } from "../../core/text/secret.ts";
import type { RunningLocalnet } from "../context.ts";

export function createLocalnetConfig(
  localnet: RunningLocalnet,
  options: {
    readonly dataDir: string;
    readonly port: number;
    readonly host?: string;
    readonly logLevel?: ServeConfig["log"]["level"];
    /** Default: true. */
    readonly settles?: boolean;
  },
): ServeConfig {
  const { mnemonic, version } = localnet.relayer;
  return {
    network: "localnet",
    wallet: { mnemonic: new Secret(mnemonic), version },
    ...options.settles !== false && { settle: "eager" as const },
    batchMs: 0,
    fee: { bps: 50, minNano: parseUnits("0.05") },
    endpoint: { url: localnet.url },
    dataDir: options.dataDir,
    rates: { noteChecksPerMinute: 0, withdrawalsPerMinute: 0, trustedProxies: 0 },
    caps: { hourly: 0, hourlyPerPool: 0 },
    balance: { warn: 0n, stop: 0n },
    topUpNano: parseUnits("1"),
    alerts: { notReadyMs: 0, stuckMs: 0 },
    metrics: {},
    store: { retentionDays: 30 },
    http: { host: options.host ?? "127.0.0.1", port: options.port },
    log: { level: options.logLevel ?? "error" },
  };
}
