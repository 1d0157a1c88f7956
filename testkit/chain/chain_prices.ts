/** Fees by the formulas of TON's configuration. The contract tests compare the chain's fees with them. */
import type { Cell } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import {
  configParse18,
  configParseGasLimitsPrices,
  configParseMsgPrices,
  loadConfigParamsAsSlice,
} from "@ton/ton/dist/config/ConfigParser.js";

const up16 = (value: bigint) => (value + 0xffffn) >> 16n;

/** Fees in nano under a configuration. */
export interface ChainPrices {
  gas(units: bigint): bigint;
  /**
   * Returns the forward fee of a message with this size beside its root cell, at the masterchain's price if
   * either end is there.
   */
  forward(workchain: number, size?: { cells: bigint; bits: bigint }): bigint;
  storage(size: { cells: bigint; bits: bigint; seconds: bigint }): bigint;
}

/** Reads the prices of the basechain, and the masterchain's message prices. */
export function chainPrices(config: Cell | "default"): ChainPrices {
  const boc = config === "default" ? defaultConfig : config.toBoc().toString("base64");
  const params = loadConfigParamsAsSlice(boc);
  const gas = configParseGasLimitsPrices(params.get(21)!);
  const forward = { 0: configParseMsgPrices(params.get(25)!), [-1]: configParseMsgPrices(params.get(24)!) };
  const storage = configParse18(params.get(18)!).at(-1)!;
  return {
    gas: (units) =>
      units <= gas.flatLimit
        ? gas.flatGasPrice
        : gas.flatGasPrice + up16((units - gas.flatLimit) * gas.other.gasPrice),
    forward: (workchain, { cells, bits } = { cells: 0n, bits: 0n }) => {
      const price = forward[workchain as 0 | -1];
      return price.lumpPrice + up16(cells * price.cellPrice + bits * price.bitPrice);
    },
    storage: ({ cells, bits, seconds }) =>
      up16((cells * storage.cell_price_ps + bits * storage.bit_price_ps) * seconds),
  };
}
