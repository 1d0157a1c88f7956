/** Mainnet's basechain prices: the sandbox's defaults are from before the cut of 2026. */
import { beginCell, Cell, Dictionary } from "@ton/core";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";

/** Since 2026-04..06, in 2^-16 nano where block.tlb says so. */
export const mainnetPrices = {
  storage: { bitPrice: 0n, cellPrice: 135n },
  gas: {
    flatLimit: 100n,
    flatPrice: 6667n,
    price: 4369067n,
    limit: 1_000_000n,
    credit: 10_000n,
    freezeDueLimit: 100_000_000n,
    deleteDueLimit: 1_000_000_000n,
  },
  forward: { lumpPrice: 66667n, bitPrice: 4369067n, cellPrice: 436906667n, firstFrac: 21845 },
} as const;

/** The validator sets: unused here, and two thirds of what every get method parses. */
const VALIDATOR_PARAMS = [32, 33, 34, 35, 36, 37];

/** In the emulator's format, `Hashmap 32 ^Cell`. */
export function mainnetConfig(): Cell {
  const params = Dictionary.loadDirect(
    Dictionary.Keys.Int(32),
    Dictionary.Values.Cell(),
    Cell.fromBase64(defaultConfig),
  );
  const change = (id: number, edit: (cell: Cell) => Cell) => params.set(id, edit(params.get(id)!));
  change(18, storagePrices);
  change(21, gasPrices);
  change(25, forwardPrices);
  for (const id of VALIDATOR_PARAMS) params.delete(id);
  return beginCell().storeDictDirect(params).endCell();
}

/** `StoragePrices#cc`: the last entry is in force. */
function storagePrices(cell: Cell): Cell {
  const entries = Dictionary.loadDirect(Dictionary.Keys.Uint(32), Dictionary.Values.Buffer(37), cell);
  const { bitPrice, cellPrice } = mainnetPrices.storage;
  const latest = Math.max(...entries.keys());
  const entry = Buffer.from(entries.get(latest)!);
  entry.writeBigUInt64BE(bitPrice, 5); // after tag:8 utime_since:32
  entry.writeBigUInt64BE(cellPrice, 13);
  entries.set(latest, entry);
  return beginCell().storeDictDirect(entries).endCell();
}

/** `gas_flat_pfx#d1` around `gas_prices_ext#de`. */
function gasPrices(cell: Cell): Cell {
  const { gas } = mainnetPrices;
  const slice = cell.beginParse().skip(8 + 64 + 64 + 8 + 64 + 64);
  const specialLimit = slice.loadUintBig(64);
  slice.skip(64);
  const blockLimit = slice.loadUintBig(64);
  return beginCell()
    .storeUint(0xd1, 8).storeUint(gas.flatLimit, 64).storeUint(gas.flatPrice, 64)
    .storeUint(0xde, 8).storeUint(gas.price, 64).storeUint(gas.limit, 64).storeUint(specialLimit, 64)
    .storeUint(gas.credit, 64).storeUint(blockLimit, 64)
    .storeUint(gas.freezeDueLimit, 64).storeUint(gas.deleteDueLimit, 64)
    .endCell();
}

/** `msg_forward_prices#ea`. */
function forwardPrices(cell: Cell): Cell {
  const { forward } = mainnetPrices;
  const slice = cell.beginParse().skip(8 + 64 + 64 + 64);
  const ihrFactor = slice.loadUint(32);
  const nextFrac = slice.skip(16).loadUint(16);
  return beginCell()
    .storeUint(0xea, 8).storeUint(forward.lumpPrice, 64).storeUint(forward.bitPrice, 64)
    .storeUint(forward.cellPrice, 64).storeUint(ihrFactor, 32).storeUint(forward.firstFrac, 16)
    .storeUint(nextFrac, 16)
    .endCell();
}
