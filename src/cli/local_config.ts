/** The relayer's configuration on a local network: no environment is read. */
import type { Config } from "../config/config.ts";
import { parseUnits } from "../core/units.ts";
import { Secret } from "../core/secret.ts";
import type { RunningLocalnet } from "./wiring.ts";

/** Configuration of a relayer that serves `localnet`; the interface's default fees. */
export function localConfig(
  localnet: RunningLocalnet,
  options: {
    readonly dataDir: string;
    readonly port: number;
    readonly host?: string;
    readonly logLevel?: Config["log"]["level"];
  },
): Config {
  const { mnemonic, version } = localnet.relayer;
  return {
    network: "localnet",
    wallet: { mnemonic: new Secret(mnemonic), version },
    fee: { bps: 50, minNano: parseUnits("0.05") },
    indexer: { url: localnet.url },
    dataDir: options.dataDir,
    rates: { noteCheck: 0, withdraw: 0, trustProxy: 0 },
    caps: { hourly: 0, hourlyPerPool: 0 },
    balance: { warn: 0n, stop: 0n },
    alerts: { notReadyMs: 0, stuckMs: 0 },
    metrics: {},
    store: { retentionDays: 30 },
    http: { host: options.host ?? "127.0.0.1", port: options.port },
    log: { level: options.logLevel ?? "error" },
  };
}
