/** Network configurations for faults and prices that no network has. */
import { beginCell, Cell, Dictionary, type DictionaryValue } from "@ton/core";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";

/** Action result code of a message to a workchain that accepts no messages. */
export const RESULT_UNREACHABLE_WORKCHAIN = 36;

/** Returns a configuration in which the basechain accepts no messages, so that payouts fail in the action phase. */
export function configWithClosedBasechain(): Cell {
  return alteredConfig(mainnetConfig(), (params) => {
    const workchains = params.get(12)!.beginParse().loadDict(Dictionary.Keys.Int(32), anySlice);
    // workchain#a6 enabled_since:uint32 three splits:uint8 basic:Bool active:Bool accept_msgs:Bool ...
    const basechain = workchains.get(0)!.beginParse();
    const head = basechain.loadBits(8 + 32 + 3 * 8 + 2);
    basechain.skip(1);
    workchains.set(0, beginCell().storeBits(head).storeBit(0).storeSlice(basechain).endCell());
    params.set(12, beginCell().storeDict(workchains).endCell());
  });
}

/** Returns a configuration with `times` the prices for gas, messages and storage. Default: mainnet's. */
export function configWithScaledPrices(times: bigint, config = mainnetConfig()): Cell {
  return alteredConfig(config, (params) => {
    // gas_flat_pfx#d1 flat_gas_limit:uint64 flat_gas_price:uint64 other:(gas_prices_ext#de gas_price:uint64 ...)
    params.set(21, scaleFields(params.get(21)!, [72, 144], times));
    // msg_forward_prices#ea lump_price:uint64 bit_price:uint64 cell_price:uint64 ...
    params.set(25, scaleFields(params.get(25)!, [8, 72, 136], times));
    // storage_prices#cc utime_since:uint32 bit_price_ps:uint64 cell_price_ps:uint64 ...
    const storage = Dictionary.loadDirect(Dictionary.Keys.Uint(32), anySlice, params.get(18)!);
    for (const [since, prices] of storage) storage.set(since, scaleFields(prices, [40, 104], times));
    params.set(18, beginCell().storeDictDirect(storage).endCell());
  });
}

/** Returns mainnet's configuration with free storage. */
export function configWithFreeStorage(): Cell {
  return alteredConfig(mainnetConfig(), (params) => {
    const storage = Dictionary.loadDirect(Dictionary.Keys.Uint(32), anySlice, params.get(18)!);
    for (const [since, prices] of storage) storage.set(since, scaleFields(prices, [40, 104], 0n));
    params.set(18, beginCell().storeDictDirect(storage).endCell());
  });
}

function alteredConfig(config: Cell, change: (params: Dictionary<number, Cell>) => void): Cell {
  const params = Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), config);
  change(params);
  return beginCell().storeDictDirect(params).endCell();
}

/** Multiplies the uint64 at each of these bit offsets. */
function scaleFields(cell: Cell, offsets: readonly number[], times: bigint): Cell {
  const slice = cell.beginParse();
  const builder = beginCell();
  let at = 0;
  for (const offset of offsets) {
    builder.storeBits(slice.loadBits(offset - at)).storeUint(slice.loadUintBig(64) * times, 64);
    at = offset + 64;
  }
  return builder.storeSlice(slice).endCell();
}

const anySlice: DictionaryValue<Cell> = {
  serialize: (cell, builder) => builder.storeSlice(cell.beginParse()),
  parse: (slice) => {
    const cell = slice.asCell();
    slice.skip(slice.remainingBits);
    return cell;
  },
};
