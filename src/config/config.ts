/**
 * Environment to typed configuration. Every fault is found and listed at once; nothing is started, opened or asked here
 * but the mnemonic's file. A secret's value is never repeated.
 */
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { Secret } from "../core/secret.ts";
import { formatUnits } from "../core/units.ts";
import { given, Malformed, printable, type Setting } from "./setting.ts";
import { type SettingKey, settings } from "./settings.ts";
import { LARGEST_REGISTRY, LARGEST_SECRET, readWholeText, reasonUnread } from "./whole_file.ts";

/** Environment variables, as `Deno.env.toObject()` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A chain endpoint. */
export interface Endpoint {
  readonly url: string;
  readonly apiKey?: Secret<string>;
}

/** The relayer's configuration. */
export interface Config {
  readonly network: Network;
  readonly wallet: { readonly mnemonic: Secret<string>; readonly version: "v4R2" | "v5R1" };
  readonly fee: {
    readonly bps: number;
    /** Smallest fee of native pools, nano. */
    readonly minNano: bigint;
    /** What a withdrawal of jettons may cost at most, nano; undefined: anything. */
    readonly maxCostNano?: bigint;
  };
  readonly indexer: Endpoint & {
    /** Answers the get methods; undefined: the first one does. */
    readonly verify?: Endpoint;
  };
  /** Path of the deployments registry; undefined: the one that comes with the release. */
  readonly deployments?: string;
  readonly dataDir: string;
  readonly store: {
    /** PostgreSQL; undefined: the embedded store in `dataDir`. */
    readonly databaseUrl?: Secret<string>;
    /** How long the journal keeps a withdrawal after its end. */
    readonly retentionDays: number;
  };
  readonly http: { readonly host: string; readonly port: number };
  /** Redis; its URL may hold a password. undefined: limits and caps are counted in this process. */
  readonly cache?: { readonly url: Secret<string> };
  /** What one address may ask in a minute; 0: as often as it likes. */
  readonly rates: {
    readonly noteCheck: number;
    readonly withdraw: number;
    /** Proxies whose word on the client's address is believed. */
    readonly trustProxy: number;
  };
  /** Withdrawals taken on in an hour; 0: no bound. */
  readonly caps: { readonly hourly: number; readonly hourlyPerPool: number };
  /** Balances of the wallet, nano; 0: no bound. */
  readonly balance: { readonly warn: bigint; readonly stop: bigint };
  /** When alerts about the service are posted, in milliseconds; 0: never. */
  readonly alerts: { readonly notReadyMs: number; readonly stuckMs: number };
  /** Where alerts are posted; such URLs are secrets themselves. */
  readonly webhook?: Secret<string>;
  /** Where `/metrics` is served: on a listener of its own, beside the API to who has the token, or nowhere. */
  readonly metrics: {
    readonly listen?: { readonly host: string; readonly port: number };
    readonly token?: Secret<string>;
  };
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
  readFile: (path: string, most: number) => string = readWholeText,
): Config {
  const errors: ProblemDetail[] = [];
  const wrong = (name: string, detail: string) => void errors.push({ pointer: name, detail });
  const read = <K extends SettingKey>(key: K): Value<K> | undefined => {
    const setting: Setting<unknown> = settings[key];
    const found = given(setting, env);
    const off = setting.offOnLocalnet && env[settings.network.name] === "localnet";
    const text = found?.value ?? (off ? "0" : setting.default);
    if (text === undefined) return undefined;
    try {
      return setting.parse(text) as Value<K>;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const shown = setting.secret ? "its value" : JSON.stringify(printable(setting, text));
      wrong(found?.name ?? setting.name, `${shown} is not ${error.message}`);
      return undefined;
    }
  };
  for (const { name, alias } of Object.values<Setting<unknown>>(settings)) {
    if (alias !== undefined && env[name] && env[alias] && env[name] !== env[alias]) {
      wrong(alias, `is set together with ${name}, to something else: set one of them`);
    }
  }

  const mnemonic = readMnemonic(read("walletMnemonic"), read("walletMnemonicFile"));
  const network = read("network");
  const indexerUrl = read("indexerUrl") ?? (network && publicEndpoints[network]);
  if (network === "localnet" && !env[settings.indexerUrl.name]) {
    wrong(
      settings.indexerUrl.name,
      "is required on localnet: the `indexer` that `deno task localnet` prints",
    );
  }
  const verifyUrl = read("indexerVerifyUrl");
  if (verifyUrl !== undefined && verifyUrl === indexerUrl) {
    wrong(settings.indexerVerifyUrl.name, "is the endpoint that it is to verify: give another operator's");
  }
  const verifyApiKey = read("indexerVerifyApiKey");
  if (verifyApiKey !== undefined && verifyUrl === undefined) {
    wrong(settings.indexerVerifyApiKey.name, `is set without ${settings.indexerVerifyUrl.name}`);
  }
  const deployments = read("deployments");
  if (deployments !== undefined) {
    try {
      readFile(deployments, LARGEST_REGISTRY);
    } catch (error) {
      wrong(settings.deployments.name, `${JSON.stringify(deployments)} cannot be read${reasonUnread(error)}`);
    }
  }
  if (network === "localnet" && deployments === undefined) {
    wrong(settings.deployments.name, "is required on localnet: no registry of it comes with the release");
  }
  const values = {
    version: read("walletVersion"),
    bps: read("feeBps"),
    minNano: read("feeMinNative"),
    maxCostNano: read("maxCostNative"),
    apiKey: read("indexerApiKey"),
    dataDir: read("dataDir"),
    databaseUrl: read("databaseUrl"),
    retentionDays: read("retentionDays"),
    host: read("host"),
    port: read("port"),
    cacheUrl: read("cacheUrl"),
    noteCheck: read("rateNoteCheck"),
    withdraw: read("rateWithdraw"),
    trustProxy: read("trustProxy"),
    hourly: read("hourlyCap"),
    hourlyPerPool: read("hourlyCapPerPool"),
    warn: read("balanceWarn"),
    stop: read("balanceStop"),
    webhook: read("webhookUrl"),
    alertNotReady: read("alertNotReady"),
    alertStuck: read("alertStuck"),
    metricsPort: read("metricsPort"),
    metricsHost: read("metricsHost"),
    metricsToken: read("metricsToken"),
    level: read("logLevel"),
    format: read("logFormat"),
  };
  const { warn, stop } = values;
  if (warn && stop !== undefined && stop > warn) {
    wrong(
      settings.balanceStop.name,
      `is above ${settings.balanceWarn.name} (${formatUnits(warn)}): it would stop before it warns`,
    );
  }
  if (errors.length > 0) {
    const list = errors.map(({ pointer, detail }) => `\n  ${pointer}: ${detail}`).join("");
    throw new Problem("invalid_config", `configuration is invalid:${list}`, { errors });
  }
  return {
    network: network!,
    wallet: { mnemonic: new Secret(mnemonic!), version: values.version! },
    fee: {
      bps: values.bps!,
      minNano: values.minNano!,
      ...values.maxCostNano === undefined ? {} : { maxCostNano: values.maxCostNano },
    },
    indexer: {
      ...endpoint(indexerUrl!, values.apiKey),
      ...(verifyUrl === undefined ? {} : { verify: endpoint(verifyUrl, verifyApiKey) }),
    },
    ...(deployments === undefined ? {} : { deployments }),
    dataDir: values.dataDir!,
    store: {
      ...(values.databaseUrl === undefined ? {} : { databaseUrl: new Secret(values.databaseUrl) }),
      retentionDays: values.retentionDays!,
    },
    http: { host: values.host!, port: values.port! },
    ...(values.cacheUrl === undefined ? {} : { cache: { url: new Secret(values.cacheUrl) } }),
    rates: { noteCheck: values.noteCheck!, withdraw: values.withdraw!, trustProxy: values.trustProxy! },
    caps: { hourly: values.hourly!, hourlyPerPool: values.hourlyPerPool! },
    balance: { warn: warn!, stop: stop! },
    alerts: { notReadyMs: 1000 * values.alertNotReady!, stuckMs: 1000 * values.alertStuck! },
    ...(values.webhook === undefined ? {} : { webhook: new Secret(values.webhook) }),
    metrics: {
      ...(values.metricsPort === undefined
        ? {}
        : { listen: { host: values.metricsHost!, port: values.metricsPort } }),
      ...(values.metricsToken === undefined ? {} : { token: new Secret(values.metricsToken) }),
    },
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
      return direct.parse(readFile(file, LARGEST_SECRET));
    } catch (error) {
      wrong(
        walletMnemonicFile.name,
        error instanceof Malformed
          ? `the file does not hold ${error.message}`
          : `${JSON.stringify(printable(walletMnemonicFile, file))} cannot be read${reasonUnread(error)}`,
      );
      return undefined;
    }
  }
}

function endpoint(url: string, apiKey: string | undefined): Endpoint {
  return { url, ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }) };
}

type Value<K extends SettingKey> = ReturnType<(typeof settings)[K]["parse"]>;
