/** The relayer's settings, from which validation, `tonado config` and the documentation are made. */
import { Problem } from "../../core/errors/problem.ts";
import { MNEMONIC_WORDS, parseMnemonic } from "../../core/text/mnemonic_words.ts";
import { networks } from "../../core/protocol/network.ts";
import { parseUnits } from "../../core/protocol/units.ts";
import {
  anyText,
  apiKey,
  bearerToken,
  endpointUrl,
  httpUrl,
  integer,
  MalformedSettingError,
  oneOf,
  postgresUrl,
  proxyCount,
  redisUrl,
  type Setting,
} from "./setting.ts";

const MAX_BPS = 10_000;
const MAX_LIMIT = 1_000_000_000;
export const MAX_REQUESTS_PER_SECOND = 1_000;

export const serveSettings = {
  walletMnemonic: {
    name: "RELAYER_WALLET_MNEMONIC",
    help: "24-word mnemonic of the signing wallet",
    parse: parseMnemonicSetting,
    secret: true,
  },
  walletMnemonicFile: {
    name: "RELAYER_WALLET_MNEMONIC_FILE",
    help: "file that holds the mnemonic, instead of RELAYER_WALLET_MNEMONIC",
    parse: anyText,
  },
  walletVersion: {
    name: "RELAYER_WALLET_VERSION",
    help: "wallet contract: v4R2 or v5R1",
    parse: oneOf(["v4R2", "v5R1"]),
    default: "v4R2",
  },
  network: {
    name: "RELAYER_NETWORK",
    help: "network that is served: mainnet, testnet or localnet",
    parse: oneOf(networks),
    default: "testnet",
  },
  feeBps: {
    name: "RELAYER_FEE_BPS",
    help: "fee in basis points of the denomination",
    parse: integer(0, MAX_BPS),
    default: "50",
  },
  feeMinNative: {
    name: "RELAYER_FEE_MIN_NATIVE",
    help: "minimum fee of native pools, in GRAM",
    parse: parseNativeAmount,
    default: "0.05",
  },
  settle: {
    name: "RELAYER_SETTLE",
    help: "when to settle deposits of version 2 pools: off, profitable or eager",
    parse: oneOf(["off", "profitable", "eager"]),
    default: "profitable",
  },
  batchSeconds: {
    name: "RELAYER_BATCH_SECONDS",
    help: "seconds that withdrawals of version 2 pools wait for others to share a message with",
    parse: integer(0, 20),
    default: "0",
  },
  topUpNative: {
    name: "RELAYER_TOP_UP_NATIVE",
    help:
      "yearly maximum per ownerless jetton pool that has less than five years of storage left, in GRAM; 0: only an alert",
    parse: parseNativeAmount,
    default: "1",
  },
  maxCostNative: {
    name: "RELAYER_MAX_COST_NATIVE",
    help: "maximum cost of a jetton withdrawal, refund included, in GRAM; unset: no limit",
    parse: parseNativeAmount,
  },
  indexerUrl: {
    name: "INDEXER_URL",
    help: "toncenter v2 endpoint; unset: the network's public one (localnet has none)",
    parse: endpointUrl,
  },
  indexerApiKey: {
    name: "INDEXER_API_KEY",
    help: "key of the endpoint",
    parse: apiKey,
    secret: true,
  },
  indexerRequestsPerSecond: {
    name: "INDEXER_REQUESTS_PER_SECOND",
    help:
      "maximum requests per second to the endpoint, 0: no limit; unset: 10 with a key, 1 without, no limit on a private host",
    parse: integer(0, MAX_REQUESTS_PER_SECOND),
  },
  indexerVerifyUrl: {
    name: "INDEXER_VERIFY_URL",
    help:
      "second toncenter v2 endpoint, of another operator: it runs the get methods and must confirm the first one's history",
    parse: endpointUrl,
  },
  indexerVerifyApiKey: {
    name: "INDEXER_VERIFY_API_KEY",
    help: "key of INDEXER_VERIFY_URL",
    parse: apiKey,
    secret: true,
  },
  indexerVerifyRequestsPerSecond: {
    name: "INDEXER_VERIFY_REQUESTS_PER_SECOND",
    help: "maximum requests per second to INDEXER_VERIFY_URL, with the same meaning",
    parse: integer(0, MAX_REQUESTS_PER_SECOND),
  },
  deployments: {
    name: "RELAYER_DEPLOYMENTS",
    help: "file of the deployments registry; unset: the one that comes with this release",
    parse: anyText,
  },
  dataDir: {
    name: "RELAYER_DATA_DIR",
    help: "directory of the embedded store and of the files that make a start fast",
    parse: anyText,
    default: "./data",
  },
  databaseUrl: {
    name: "DATABASE_URL",
    alias: "POSTGRES_URL",
    help:
      "PostgreSQL that replicas share, like postgres://user:password@host/database; unset: the embedded store",
    parse: postgresUrl,
    secret: true,
  },
  retentionDays: {
    name: "RELAYER_RETENTION_DAYS",
    help: "days that the journal keeps a finished withdrawal; data from the chain is kept",
    parse: integer(1, 36_500),
    default: "30",
  },
  host: {
    name: "RELAYER_HOST",
    help: "address to listen on",
    parse: anyText,
    default: "127.0.0.1",
  },
  port: {
    name: "RELAYER_PORT",
    help: "port to listen on; 0: any free port",
    parse: integer(0, 65_535),
    default: "8090",
  },
  app: {
    name: "RELAYER_APP",
    help: "1: serve the app for browsers at /app/; 0: do not",
    parse: integer(0, 1),
    default: "0",
  },
  appEndpoint: {
    name: "RELAYER_APP_ENDPOINT",
    help:
      "toncenter v2 endpoint that the app's users reach; unset: the network's public one (on localnet INDEXER_URL)",
    parse: endpointUrl,
  },
  appWithdrawalEndpoint: {
    name: "RELAYER_APP_WITHDRAWAL_ENDPOINT",
    help: "endpoint of another operator that the app asks for withdrawals; unset: RELAYER_APP_ENDPOINT",
    parse: endpointUrl,
  },
  cacheUrl: {
    name: "CACHE_URL",
    alias: "REDIS_URL",
    help: "Redis in which replicas share rate limits and hourly caps; unset: this process's memory",
    parse: redisUrl,
  },
  rateNoteCheck: {
    name: "RELAYER_RATE_NOTE_CHECK",
    help: "requests per minute and address to POST /note/check and to POST /withdraw/status; 0: no limit",
    parse: integer(0, MAX_LIMIT),
    default: "300",
    offOnLocalnet: true,
  },
  rateWithdraw: {
    name: "RELAYER_RATE_WITHDRAW",
    help: "requests per minute and address to POST /withdraw; 0: no limit",
    parse: integer(0, MAX_LIMIT),
    default: "100",
    offOnLocalnet: true,
  },
  trustProxy: {
    name: "RELAYER_TRUST_PROXY",
    help: "number of proxies in front that append to X-Forwarded-For; 0: the header is ignored",
    parse: proxyCount,
    default: "0",
  },
  hourlyCap: {
    name: "RELAYER_HOURLY_CAP",
    help: "withdrawals accepted per hour; 0: no limit",
    parse: integer(0, MAX_LIMIT),
    default: "1000",
    offOnLocalnet: true,
  },
  hourlyCapPerPool: {
    name: "RELAYER_HOURLY_CAP_PER_POOL",
    help: "withdrawals accepted per hour and pool; 0: no limit",
    parse: integer(0, MAX_LIMIT),
    default: "500",
    offOnLocalnet: true,
  },
  balanceWarn: {
    name: "RELAYER_BALANCE_WARN",
    help: "wallet balance below which the relayer warns, in GRAM; 0: never",
    parse: parseNativeAmount,
    default: "5",
    offOnLocalnet: true,
  },
  balanceStop: {
    name: "RELAYER_BALANCE_STOP",
    help: "wallet balance below which withdrawals and settlements stop, in GRAM; 0: no limit",
    parse: parseNativeAmount,
    default: "1",
    offOnLocalnet: true,
  },
  webhookUrl: {
    name: "RELAYER_WEBHOOK_URL",
    help: "URL that alerts are posted to as JSON",
    parse: httpUrl,
    secret: true,
  },
  alertNotReady: {
    name: "RELAYER_ALERT_NOT_READY",
    help: "seconds that GET /readyz fails before RELAYER_WEBHOOK_URL gets an alert; 0: never",
    parse: integer(0, MAX_LIMIT),
    default: "300",
  },
  alertStuck: {
    name: "RELAYER_ALERT_STUCK",
    help: "seconds after which an unfinished withdrawal counts as stuck and causes an alert; 0: never",
    parse: integer(0, MAX_LIMIT),
    default: "900",
  },
  metricsPort: {
    name: "RELAYER_METRICS_PORT",
    help: "port that serves only GET /metrics",
    parse: integer(0, 65_535),
  },
  metricsHost: {
    name: "RELAYER_METRICS_HOST",
    help: "address to listen on for RELAYER_METRICS_PORT",
    parse: anyText,
    default: "127.0.0.1",
  },
  metricsToken: {
    name: "RELAYER_METRICS_TOKEN",
    help: "bearer token for GET /metrics on the API's port",
    parse: bearerToken,
    secret: true,
  },
  logLevel: {
    name: "RELAYER_LOG_LEVEL",
    help: "debug, info, warning or error",
    parse: oneOf(["debug", "info", "warning", "error"]),
    default: "info",
  },
  logFormat: {
    name: "RELAYER_LOG_FORMAT",
    help: "json or pretty; unset: pretty on a terminal, else json",
    parse: oneOf(["json", "pretty"]),
  },
} as const satisfies Record<string, Setting<unknown>>;

function parseMnemonicSetting(value: string): string {
  try {
    return parseMnemonic(value).join(" ");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new MalformedSettingError(`a mnemonic of ${MNEMONIC_WORDS} words: ${error.message}`);
  }
}

function parseNativeAmount(value: string): bigint {
  try {
    return parseUnits(value);
  } catch {
    throw new MalformedSettingError("a decimal number of GRAM with at most 9 places, like 0.05");
  }
}
