import type { ProblemDetail } from "../core/errors/problem.ts";
import type { Network } from "../core/protocol/network.ts";
import { formatUnits } from "../core/protocol/units.ts";
import { Secret } from "../core/text/secret.ts";
import { type Endpoint, publicEndpoints } from "./endpoint.ts";
import { MAX_REGISTRY_BYTES, readBoundedFile } from "./files/bounded_file.ts";
import { serveSettings as settings } from "./settings/serve_settings.ts";
import type { Environment, Setting } from "./settings/setting.ts";
import { type ReadFile, SettingsReader } from "./settings/settings_reader.ts";

export interface ServeConfig {
  readonly network: Network;
  readonly wallet: { readonly mnemonic: Secret<string>; readonly version: "v4R2" | "v5R1" };
  readonly fee: {
    readonly bps: number;
    readonly minNano: bigint;
    /** Maximum cost of a jetton withdrawal, in nano; undefined: no limit. */
    readonly maxCostNano?: bigint;
  };
  readonly endpoint: Endpoint & {
    readonly verify?: Endpoint;
  };
  readonly deployments?: string;
  readonly dataDir: string;
  readonly store: {
    readonly databaseUrl?: Secret<string>;
    readonly retentionDays: number;
  };
  readonly http: { readonly host: string; readonly port: number };
  readonly app?: { readonly depositEndpoint: string; readonly withdrawalEndpoint: string };
  /** Redis; undefined: this process counts limits and caps itself. */
  readonly cache?: { readonly url: Secret<string> };
  /** 0: no limit. */
  readonly rates: {
    readonly noteChecksPerMinute: number;
    readonly withdrawalsPerMinute: number;
    readonly trustedProxies: number;
  };
  readonly settle?: "profitable" | "eager";
  /** How long withdrawals of version 2 pools wait for others, to share a message. */
  readonly batchMs: number;
  /** Maximum that is added to a jetton pool for its storage, in nano a year; 0: nothing. */
  readonly topUpNano: bigint;
  readonly caps: { readonly hourly: number; readonly hourlyPerPool: number };
  readonly balance: { readonly warn: bigint; readonly stop: bigint }; // nano; 0: no threshold
  /** How long a condition lasts before an alert; 0: never. */
  readonly alerts: { readonly notReadyMs: number; readonly stuckMs: number };
  /** A secret, because anyone who has the URL can post to it. */
  readonly webhook?: Secret<string>;
  /** On its own listener, on the API's behind a token, or not at all. */
  readonly metrics: {
    readonly listen?: { readonly host: string; readonly port: number };
    readonly token?: Secret<string>;
  };
  readonly log: {
    readonly level: "debug" | "info" | "warning" | "error";
    readonly format?: "json" | "pretty";
  };
}

/** Throws `invalid_config` with one entry of `errors` for each missing or invalid variable. */
export function loadServeConfig(
  env: Environment,
  readFile: ReadFile = readBoundedFile,
): ServeConfig {
  const reader = new SettingsReader(env);
  for (const setting of Object.values<Setting<unknown>>(settings)) reader.checkAlias(setting);
  const mnemonic = reader.mnemonic(settings, readFile, {
    pointer: settings.walletMnemonic.name,
    detail: `is required: 24 words, or the path of a file in ${settings.walletMnemonicFile.name}`,
  });
  const network = reader.readDefaulted(settings.network);
  const config: Omit<ServeConfig, "wallet"> = {
    network,
    fee: {
      bps: reader.readDefaulted(settings.feeBps),
      minNano: reader.readDefaulted(settings.feeMinNative),
      ...reader.readOptional("maxCostNano", settings.maxCostNative),
    },
    ...loadSettle(reader),
    batchMs: 1000 * reader.readDefaulted(settings.batchSeconds),
    topUpNano: reader.readDefaulted(settings.topUpNative),
    endpoint: loadEndpoint(reader, network),
    ...loadDeploymentsPath(reader, network, readFile),
    dataDir: reader.readDefaulted(settings.dataDir),
    store: {
      ...reader.readSecret("databaseUrl", settings.databaseUrl),
      retentionDays: reader.readDefaulted(settings.retentionDays),
    },
    http: { host: reader.readDefaulted(settings.host), port: reader.readDefaulted(settings.port) },
    ...loadApp(reader, network),
    ...loadCache(reader),
    ...loadLimits(reader),
    balance: loadBalance(reader),
    alerts: {
      notReadyMs: 1000 * reader.readDefaulted(settings.alertNotReady),
      stuckMs: 1000 * reader.readDefaulted(settings.alertStuck),
    },
    ...reader.readSecret("webhook", settings.webhookUrl),
    metrics: loadMetrics(reader),
    log: {
      level: reader.readDefaulted(settings.logLevel),
      ...reader.readOptional("format", settings.logFormat),
    },
  };
  const version = reader.readDefaulted(settings.walletVersion);
  reader.throwIfInvalid(formatErrors);
  return { ...config, wallet: { mnemonic: new Secret(mnemonic!), version } };
}

function loadSettle(reader: SettingsReader): Pick<ServeConfig, "settle"> {
  const settle = reader.readDefaulted(settings.settle);
  return settle === "off" ? {} : { settle };
}

function formatErrors(errors: readonly ProblemDetail[]): string {
  return `configuration is invalid:${
    errors.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join("")
  }`;
}

function loadEndpoint(reader: SettingsReader, network: Network): ServeConfig["endpoint"] {
  const { indexerUrl, indexerApiKey, indexerVerifyUrl, indexerVerifyApiKey } = settings;
  const { indexerRequestsPerSecond, indexerVerifyRequestsPerSecond } = settings;
  const url = reader.read(indexerUrl) ?? publicEndpoints[network];
  if (network === "localnet" && !reader.env[indexerUrl.name]) {
    reader.addError(
      indexerUrl.name,
      "is required on localnet: use the `indexer` that `tonado localnet` prints",
    );
  }
  const verifyUrl = reader.read(indexerVerifyUrl);
  if (verifyUrl !== undefined && verifyUrl === url) {
    reader.addError(indexerVerifyUrl.name, `equals ${indexerUrl.name}: use an endpoint of another operator`);
  }
  const verifyApiKey = reader.readSecret("apiKey", indexerVerifyApiKey);
  if (verifyApiKey.apiKey !== undefined && verifyUrl === undefined) {
    reader.addError(indexerVerifyApiKey.name, `is set without ${indexerVerifyUrl.name}`);
  }
  const verifyRate = reader.readOptional("requestsPerSecond", indexerVerifyRequestsPerSecond);
  if (verifyRate.requestsPerSecond !== undefined && verifyUrl === undefined) {
    reader.addError(indexerVerifyRequestsPerSecond.name, `is set without ${indexerVerifyUrl.name}`);
  }
  return {
    url: url!,
    ...reader.readSecret("apiKey", indexerApiKey),
    ...reader.readOptional("requestsPerSecond", indexerRequestsPerSecond),
    ...verifyUrl !== undefined && { verify: { url: verifyUrl, ...verifyApiKey, ...verifyRate } },
  };
}

function loadDeploymentsPath(
  reader: SettingsReader,
  network: Network,
  readFile: ReadFile,
): Pick<ServeConfig, "deployments"> {
  const { name } = settings.deployments;
  const deployments = reader.read(settings.deployments);
  if (deployments === undefined) {
    if (network === "localnet") {
      reader.addError(name, "is required on localnet: the release contains no registry for it");
    }
    return {};
  }
  try {
    readFile(deployments, MAX_REGISTRY_BYTES);
  } catch (error) {
    reader.addUnreadable(name, deployments, error);
  }
  return { deployments };
}

function loadApp(reader: SettingsReader, network: Network): Pick<ServeConfig, "app"> {
  if (reader.readDefaulted(settings.app) === 0) return {};
  const fallback = network === "localnet" ? reader.read(settings.indexerUrl) : publicEndpoints[network];
  const depositEndpoint = reader.read(settings.appEndpoint) ?? fallback ?? "";
  return {
    app: {
      depositEndpoint,
      withdrawalEndpoint: reader.read(settings.appWithdrawalEndpoint) ?? depositEndpoint,
    },
  };
}

function loadCache(reader: SettingsReader): Pick<ServeConfig, "cache"> {
  const url = reader.read(settings.cacheUrl);
  return url === undefined ? {} : { cache: { url: new Secret(url) } };
}

function loadLimits(reader: SettingsReader): Pick<ServeConfig, "rates" | "caps"> {
  return {
    rates: {
      noteChecksPerMinute: reader.readDefaulted(settings.rateNoteCheck),
      withdrawalsPerMinute: reader.readDefaulted(settings.rateWithdraw),
      trustedProxies: reader.readDefaulted(settings.trustProxy),
    },
    caps: {
      hourly: reader.readDefaulted(settings.hourlyCap),
      hourlyPerPool: reader.readDefaulted(settings.hourlyCapPerPool),
    },
  };
}

function loadBalance(reader: SettingsReader): ServeConfig["balance"] {
  const warn = reader.readDefaulted(settings.balanceWarn);
  const stop = reader.readDefaulted(settings.balanceStop);
  if (warn && stop > warn) {
    reader.addError(
      settings.balanceStop.name,
      `is above ${settings.balanceWarn.name} (${formatUnits(warn)}): the relayer would stop before it warns`,
    );
  }
  return { warn, stop };
}

function loadMetrics(reader: SettingsReader): ServeConfig["metrics"] {
  const port = reader.read(settings.metricsPort);
  const host = reader.readDefaulted(settings.metricsHost);
  return {
    ...port !== undefined && { listen: { host, port } },
    ...reader.readSecret("token", settings.metricsToken),
  };
}
