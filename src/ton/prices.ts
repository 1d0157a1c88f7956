/**
 * Fees in nano from the chain's own configuration, by the formulas of TVM's GETGASFEE, GETFORWARDFEE and
 * GETSTORAGEFEE. Basechain.
 */
import {
  configParse18,
  configParseGasLimitsPrices,
  configParseMsgPrices,
} from "@ton/ton/dist/config/ConfigParser.js";
import type { CallOptions, Chain } from "./chain.ts";

/** Configuration parameters of the basechain. */
const STORAGE_PRICES = 18;
const GAS_PRICES = 21;
const FORWARD_PRICES = 25;

/** Prices that are in force at an endpoint. */
export interface Prices {
  /** Of `gas` units of computation. */
  gasFee(gas: bigint): bigint;
  /** Of a message; its root cell is not counted. */
  forwardFee(size: { cells: bigint; bits: bigint }): bigint;
  /** Of an account of this size for so many seconds. */
  storageFee(size: { cells: bigint; bits: bigint; seconds: bigint }): bigint;
}

/** Reads the prices. */
export async function readPrices(chain: Chain, options?: CallOptions): Promise<Prices> {
  const { flatLimit, flatGasPrice, other } = configParseGasLimitsPrices(
    (await chain.configParam(GAS_PRICES, options)).beginParse(),
  );
  const { lumpPrice, bitPrice, cellPrice } = configParseMsgPrices(
    (await chain.configParam(FORWARD_PRICES, options)).beginParse(),
  );
  const history = configParse18((await chain.configParam(STORAGE_PRICES, options)).beginParse());
  const storage = history[history.length - 1];
  return {
    gasFee: (gas) =>
      gas <= flatLimit ? flatGasPrice : flatGasPrice + shift16((gas - flatLimit) * other.gasPrice),
    forwardFee: ({ cells, bits }) => lumpPrice + shift16(cells * cellPrice + bits * bitPrice),
    storageFee: ({ cells, bits, seconds }) =>
      shift16((cells * storage.cell_price_ps + bits * storage.bit_price_ps) * seconds),
  };
}

/** Divides by 2^16, rounding up. */
function shift16(value: bigint): bigint {
  return (value + 0xffffn) >> 16n;
}
