/**
 * The settings of the relayer, one record each: the only list of them. Reading, checking, `tonado config` and the
 * documentation all walk this table.
 */
import { Problem } from "../core/errors.ts";
import { MNEMONIC_WORDS, parseMnemonic } from "../core/mnemonic_words.ts";
import { networks } from "../core/network.ts";
import { parseUnits } from "../core/units.ts";
import { httpUrl, integer, Malformed, oneOf, type Setting, text } from "./setting.ts";

const BPS_OF_ALL = 10_000;

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
  deployments: {
    name: "RELAYER_DEPLOYMENTS",
    help: "file of the deployments registry; unset: the one that comes with this release",
    parse: text,
  },
  dataDir: {
    name: "RELAYER_DATA_DIR",
    help: "directory of the embedded store",
    parse: text,
    default: "./data",
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

/**
 * Variables that the interface names and this version cannot honour. Ignoring one would put money behind a store that
 * the operator did not choose, so a set one refuses the start.
 */
export const unsupported: readonly { name: string; because: string }[] = [
  ...["DATABASE_URL", "POSTGRES_URL"].map((name) => ({
    name,
    because: "PostgreSQL is not supported yet: unset it to use the embedded store in RELAYER_DATA_DIR",
  })),
  ...["CACHE_URL", "REDIS_URL"].map((name) => ({
    name,
    because: "a shared cache is not supported yet: unset it",
  })),
];

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
