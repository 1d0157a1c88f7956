/**
 * The settings of the relayer, one record each: the only list of them. Reading, checking, `tonado config` and the
 * documentation all walk this table.
 */
import { Problem } from "../core/errors.ts";
import { MNEMONIC_WORDS, parseMnemonic } from "../core/mnemonic_words.ts";
import { networks } from "../core/network.ts";
import { parseUnits } from "../core/units.ts";
import {
  httpUrl,
  integer,
  Malformed,
  oneOf,
  postgresUrl,
  proxies,
  redisUrl,
  type Setting,
  text,
  token,
} from "./setting.ts";

const BPS_OF_ALL = 10_000;
/** More than any bound needs. */
const MANY = 1_000_000_000;

/** Every setting, by the name it has in the code. */
export const settings = {
  walletMnemonic: {
    name: "RELAYER_WALLET_MNEMONIC",
    help: "24-word mnemonic of the signing wallet",
    parse: mnemonic,
    secret: true,
  },
  walletMnemonicFile: {
    name: "RELAYER_WALLET_MNEMONIC_FILE",
    help: "file that holds the mnemonic, instead of RELAYER_WALLET_MNEMONIC",
    parse: text,
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
    parse: integer(0, BPS_OF_ALL),
    default: "50",
  },
  feeMinNative: {
    name: "RELAYER_FEE_MIN_NATIVE",
    help: "smallest fee of native pools, in whole native units",
    parse: native,
    default: "0.05",
  },
  maxCostNative: {
    name: "RELAYER_MAX_COST_NATIVE",
    help:
      "what a withdrawal of jettons may cost at most, refund included, in whole native units; unset: no bound",
    parse: native,
  },
  indexerUrl: {
    name: "INDEXER_URL",
    help: "toncenter v2 endpoint; unset: the network's public one (localnet has none)",
    parse: httpUrl,
  },
  indexerApiKey: {
    name: "INDEXER_API_KEY",
    help: "key of the endpoint; without it one request a second",
    parse: text,
    secret: true,
  },
  indexerVerifyUrl: {
    name: "INDEXER_VERIFY_URL",
    help:
      "second toncenter v2 endpoint, another operator's: it answers the get methods and must know what the first one tells",
    parse: httpUrl,
  },
  indexerVerifyApiKey: {
    name: "INDEXER_VERIFY_API_KEY",
    help: "key of INDEXER_VERIFY_URL; without it one request a second",
    parse: text,
    secret: true,
  },
  deployments: {
    name: "RELAYER_DEPLOYMENTS",
    help: "file of the deployments registry; unset: the one that comes with this release",
    parse: text,
  },
  dataDir: {
    name: "RELAYER_DATA_DIR",
    help: "directory of the embedded store, and of what makes a start fast",
    parse: text,
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
    help: "days that the journal keeps a withdrawal after its end; what the chain tells of it stays",
    parse: integer(1, 36_500),
    default: "30",
  },
  host: {
    name: "RELAYER_HOST",
    help: "address to listen on",
    parse: text,
    default: "127.0.0.1",
  },
  port: {
    name: "RELAYER_PORT",
    help: "port to listen on; 0: any free one",
    parse: integer(0, 65_535),
    default: "8090",
  },
  cacheUrl: {
    name: "CACHE_URL",
    alias: "REDIS_URL",
    help: "Redis in which replicas share rate limits and hourly caps; unset: this process's memory",
    parse: redisUrl,
  },
  rateNoteCheck: {
    name: "RELAYER_RATE_NOTE_CHECK",
    help:
      "requests a minute to POST /note/check, and to POST /withdraw/status, from one address; 0: no bound",
    parse: integer(0, MANY),
    default: "300",
    offOnLocalnet: true,
  },
  rateWithdraw: {
    name: "RELAYER_RATE_WITHDRAW",
    help: "requests a minute to POST /withdraw from one address; 0: no bound",
    parse: integer(0, MANY),
    default: "100",
    offOnLocalnet: true,
  },
  trustProxy: {
    name: "RELAYER_TRUST_PROXY",
    help: "proxies in front that append to X-Forwarded-For; 0: none, and the header is not believed",
    parse: proxies,
    default: "0",
  },
  hourlyCap: {
    name: "RELAYER_HOURLY_CAP",
    help: "withdrawals taken on in an hour; 0: no bound",
    parse: integer(0, MANY),
    default: "1000",
    offOnLocalnet: true,
  },
  hourlyCapPerPool: {
    name: "RELAYER_HOURLY_CAP_PER_POOL",
    help: "withdrawals taken on in an hour from one pool; 0: no bound",
    parse: integer(0, MANY),
    default: "500",
    offOnLocalnet: true,
  },
  balanceWarn: {
    name: "RELAYER_BALANCE_WARN",
    help: "balance of the wallet below which it warns, in whole native units; 0: never",
    parse: native,
    default: "5",
    offOnLocalnet: true,
  },
  balanceStop: {
    name: "RELAYER_BALANCE_STOP",
    help: "balance of the wallet below which it takes no withdrawals on, in whole native units; 0: no bound",
    parse: native,
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
    parse: integer(0, MANY),
    default: "300",
  },
  alertStuck: {
    name: "RELAYER_ALERT_STUCK",
    help: "seconds after which a withdrawal that has not ended counts as stuck, for an alert; 0: never",
    parse: integer(0, MANY),
    default: "900",
  },
  metricsPort: {
    name: "RELAYER_METRICS_PORT",
    help: "port on which GET /metrics is served, and nothing else",
    parse: integer(0, 65_535),
  },
  metricsHost: {
    name: "RELAYER_METRICS_HOST",
    help: "address to listen on for RELAYER_METRICS_PORT",
    parse: text,
    default: "127.0.0.1",
  },
  metricsToken: {
    name: "RELAYER_METRICS_TOKEN",
    help: "bearer token with which GET /metrics is served beside the API",
    parse: token,
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

/** Name of a setting in the code. */
export type SettingKey = keyof typeof settings;

function mnemonic(value: string): string {
  try {
    return parseMnemonic(value).join(" ");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Malformed(`a mnemonic of ${MNEMONIC_WORDS} words: ${error.message}`);
  }
}

function native(value: string): bigint {
  try {
    return parseUnits(value);
  } catch {
    throw new Malformed("a decimal number of native units with at most 9 places, like 0.05");
  }
}
