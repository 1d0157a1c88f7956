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

type StoragePrice = ReturnType<typeof configParse18>[number];

export interface NetworkPrices {
  gasFee(gas: bigint): bigint;
  /** The root cell is not counted. `workchain` is that of the other end; default: the basechain. */
  forwardFee(size: { cells: bigint; bits: bigint }, workchain?: number): bigint;
  /**
   * With `until`, the Unix time at which the seconds end, each period costs the price that was in force. Without it, the
   * latest price applies to the whole time.
   */
  storageFee(size: { cells: bigint; bits: bigint; seconds: bigint; until?: number }): bigint;
}

export async function fetchNetworkPrices(
  chain: Pick<Chain, "configParam">,
  options?: CallOptions,
): Promise<NetworkPrices> {
  const read = async <T>(id: number, parse: (param: Slice) => T) =>
    parse((await chain.configParam(id, options)).beginParse());
  const { flatLimit, flatGasPrice, other } = await read(GAS_PRICES_PARAM, configParseGasLimitsPrices);
  const basechain = await read(FORWARD_PRICES_PARAM, configParseMsgPrices);
  const masterchain = await read(MASTERCHAIN_FORWARD_PRICES_PARAM, configParseMsgPrices);
  const storage = await read(STORAGE_PRICES_PARAM, configParse18);
  return {
    gasFee: (gas) =>
      gas <= flatLimit ? flatGasPrice : flatGasPrice + divideBy2Pow16((gas - flatLimit) * other.gasPrice),
    forwardFee({ cells, bits }, workchain) {
      const { lumpPrice, bitPrice, cellPrice } = workchain === MASTERCHAIN ? masterchain : basechain;
      return lumpPrice + divideBy2Pow16(cells * cellPrice + bits * bitPrice);
    },
    storageFee: ({ cells, bits, seconds, until }) =>
      divideBy2Pow16(
        periodsOf(storage, seconds, until).reduce(
          (sum, { price, duration }) =>
            sum + (cells * price.cell_price_ps + bits * price.bit_price_ps) * duration,
          0n,
        ),
      ),
  };
}

/**
 * Returns the parts of a time, each with the price that was in force. The fee is rounded once, over all parts
 * (ton-blockchain/ton, `crypto/block/transaction.cpp`, `compute_storage_fees`).
 *
 * @param entries of config parameter 18, whose keys are their times: oldest first
 */
function periodsOf(
  entries: readonly StoragePrice[],
  seconds: bigint,
  until?: number,
): { readonly price: StoragePrice; readonly duration: bigint }[] {
  if (until === undefined) return [{ price: entries.at(-1)!, duration: seconds }];
  return entries.map((price, i) => {
    const from = Math.max(price.utime_since, until - Number(seconds));
    const to = Math.min(entries[i + 1]?.utime_since ?? until, until);
    return { price, duration: BigInt(Math.max(0, to - from)) };
  });
}

function divideBy2Pow16(value: bigint): bigint {
  return (value + 0xffffn) >> 16n;
}
