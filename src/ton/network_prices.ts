/** Basechain fees in nano, by the formulas of TVM's GETGASFEE, GETFORWARDFEE and GETSTORAGEFEE. */
import type { Slice } from "@ton/core";
import {
  configParse18,
  configParseGasLimitsPrices,
  configParseMsgPrices,
} from "@ton/ton/dist/config/ConfigParser.js";
import type { CallOptions, Chain } from "./chain.ts";

/** Config parameters of the basechain's prices, and of messages to or from the masterchain. */
const STORAGE_PRICES_PARAM = 18;
const GAS_PRICES_PARAM = 21;
const FORWARD_PRICES_PARAM = 25;
const MASTERCHAIN_FORWARD_PRICES_PARAM = 24;
const MASTERCHAIN = -1;

export interface NetworkPrices {
  gasFee(gas: bigint): bigint;
  /** The root cell is not counted. `workchain` is that of the other end; default: the basechain. */
  forwardFee(size: { cells: bigint; bits: bigint }, workchain?: number): bigint;
  storageFee(size: { cells: bigint; bits: bigint; seconds: bigint }): bigint;
}

export async function fetchNetworkPrices(chain: Chain, options?: CallOptions): Promise<NetworkPrices> {
  const read = async <T>(id: number, parse: (param: Slice) => T) =>
    parse((await chain.configParam(id, options)).beginParse());
  const { flatLimit, flatGasPrice, other } = await read(GAS_PRICES_PARAM, configParseGasLimitsPrices);
  const basechain = await read(FORWARD_PRICES_PARAM, configParseMsgPrices);
  const masterchain = await read(MASTERCHAIN_FORWARD_PRICES_PARAM, configParseMsgPrices);
  const storage = (await read(STORAGE_PRICES_PARAM, configParse18)).at(-1)!;
  return {
    gasFee: (gas) =>
      gas <= flatLimit ? flatGasPrice : flatGasPrice + divideBy2Pow16((gas - flatLimit) * other.gasPrice),
    forwardFee({ cells, bits }, workchain) {
      const { lumpPrice, bitPrice, cellPrice } = workchain === MASTERCHAIN ? masterchain : basechain;
      return lumpPrice + divideBy2Pow16(cells * cellPrice + bits * bitPrice);
    },
    storageFee: ({ cells, bits, seconds }) =>
      divideBy2Pow16((cells * storage.cell_price_ps + bits * storage.bit_price_ps) * seconds),
  };
}

function divideBy2Pow16(value: bigint): bigint {
  return (value + 0xffffn) >> 16n;
}
