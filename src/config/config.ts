/**
 * Environment to typed configuration. Every fault is found and listed at once; nothing is started, opened or asked here
 * but the mnemonic's file. A secret's value is never repeated.
 */
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { Secret } from "../core/secret.ts";
import { Malformed, printable, type Setting } from "./setting.ts";
import { type SettingKey, settings, unsupported } from "./settings.ts";

/** Environment variables, as `Deno.env.toObject()` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The relayer's configuration. */
export interface Config {
  readonly network: Network;
  readonly wallet: { readonly mnemonic: Secret<string>; readonly version: "v4R2" | "v5R1" };
  readonly fee: {
    readonly bps: number;
    /** Smallest fee of native pools, nano. */
    readonly minNano: bigint;
  };
  readonly indexer: { readonly url: string; readonly apiKey?: Secret<string> };
  /** Path of the deployments registry; undefined: the one that comes with the release. */
  readonly deployments?: string;
  readonly dataDir: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly log: {
    readonly level: "debug" | "info" | "warning" | "error";
    /** undefined: pretty on a terminal, else json. */
    readonly format?: "json" | "pretty";
  };
}

/** Public endpoints (https://toncenter.com/api/v2/). */
export const publicEndpoints: Partial<Record<Network, string>> = {
  mainnet: "https://toncenter.com/api/v2/jsonRPC",
  testnet: "https://testnet.toncenter.com/api/v2/jsonRPC",
};

/**
 * Reads the configuration.
 *
 * @param readFile reads the mnemonic's file
 * @throws {Problem} `invalid_config` with one entry in `errors` for each variable that is wrong or missing
 */
export function loadConfig(
  env: Environment,
  readFile: (path: string) => string = Deno.readTextFileSync,
): Config {
  const errors: ProblemDetail[] = [];
  const wrong = (name: string, detail: string) => void errors.push({ pointer: name, detail });
  const read = <K extends SettingKey>(key: K): Value<K> | undefined => {
    const setting: Setting<unknown> = settings[key];
    const given = env[setting.name] || undefined;
    const text = given ?? setting.default;
    if (text === undefined) return undefined;
    try {
      return setting.parse(text) as Value<K>;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const shown = setting.secret ? "its value" : JSON.stringify(printable(setting, text));
      wrong(setting.name, `${shown} is not ${error.message}`);
      return undefined;
    }
  };

  for (const { name, because } of unsupported) if (env[name]) wrong(name, because);
  const mnemonic = readMnemonic(read("walletMnemonic"), read("walletMnemonicFile"));
  const network = read("network");
  const indexerUrl = read("indexerUrl") ?? (network && publicEndpoints[network]);
  if (network === "localnet" && !env[settings.indexerUrl.name]) {
    wrong(
      settings.indexerUrl.name,
      "is required on localnet: the `indexer` that `deno task localnet` prints",
    );
  }
  const deployments = read("deployments");
  if (deployments !== undefined && !isReadable(deployments, readFile)) {
    wrong(settings.deployments.name, `${JSON.stringify(deployments)} cannot be read`);
  }
  if (network === "localnet" && deployments === undefined) {
    wrong(settings.deployments.name, "is required on localnet: no registry of it comes with the release");
  }
  const values = {
    version: read("walletVersion"),
    bps: read("feeBps"),
    minNano: read("feeMinNative"),
    apiKey: read("indexerApiKey"),
    dataDir: read("dataDir"),
    host: read("host"),
    port: read("port"),
    level: read("logLevel"),
    format: read("logFormat"),
  };
  if (errors.length > 0) {
    const list = errors.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join("");
    throw new Problem("invalid_config", `configuration is invalid:${list}`, { errors });
  }
  return {
    network: network!,
    wallet: { mnemonic: new Secret(mnemonic!), version: values.version! },
    fee: { bps: values.bps!, minNano: values.minNano! },
    indexer: {
      url: indexerUrl!,
      ...(values.apiKey === undefined ? {} : { apiKey: new Secret(values.apiKey) }),
    },
    ...(deployments === undefined ? {} : { deployments }),
    dataDir: values.dataDir!,
    http: { host: values.host!, port: values.port! },
    log: { level: values.level!, ...(values.format === undefined ? {} : { format: values.format }) },
  };

  function readMnemonic(value: string | undefined, file: string | undefined): string | undefined {
    const { walletMnemonic: direct, walletMnemonicFile } = settings;
    if (env[direct.name] && file !== undefined) {
      wrong(walletMnemonicFile.name, `is set together with ${direct.name}: set one of them`);
    }
    if (env[direct.name]) return value;
    if (file === undefined) {
      wrong(direct.name, "is required: 24 words (or the path of a file in RELAYER_WALLET_MNEMONIC_FILE)");
      return undefined;
    }
    try {
      return direct.parse(readFile(file));
    } catch (error) {
      wrong(
        walletMnemonicFile.name,
        error instanceof Malformed
          ? `the file does not hold ${error.message}`
          : `${JSON.stringify(file)} cannot be read`,
      );
      return undefined;
    }
  }
}

type Value<K extends SettingKey> = ReturnType<(typeof settings)[K]["parse"]>;

function isReadable(path: string, readFile: (path: string) => string): boolean {
  try {
    readFile(path);
    return true;
  } catch {
    return false;
  }
}
