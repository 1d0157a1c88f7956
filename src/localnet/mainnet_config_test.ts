import assert from "node:assert/strict";
import {
  configParse18,
  configParseGasLimitsPrices,
  configParseMsgPrices,
  loadConfigParamsAsSlice,
} from "@ton/ton";
import { defaultConfig } from "@ton/sandbox/dist/config/defaultConfig.js";
import vectors from "../../testkit/vectors/mainnet-prices.json" with { type: "json" };
import { mainnetConfig } from "./mainnet_config.ts";

const before = loadConfigParamsAsSlice(defaultConfig);
const after = loadConfigParamsAsSlice(mainnetConfig().toBoc().toString("base64"));

Deno.test("the configuration has mainnet's storage prices and keeps the masterchain's", () => {
  const [old] = configParse18(before.get(18)!).slice(-1);
  const [price] = configParse18(after.get(18)!).slice(-1);
  assert.equal(price.bit_price_ps, BigInt(vectors.param18_storage.bit_price_ps));
  assert.equal(price.cell_price_ps, BigInt(vectors.param18_storage.cell_price_ps));
  assert.equal(price.mc_bit_price_ps, old.mc_bit_price_ps);
  assert.equal(price.mc_cell_price_ps, old.mc_cell_price_ps);
});

Deno.test("the configuration has mainnet's gas prices and keeps the block limits", () => {
  const old = configParseGasLimitsPrices(before.get(21)!);
  const price = configParseGasLimitsPrices(after.get(21)!);
  const want = vectors.param21_gas;
  assert.deepEqual(price, {
    flatLimit: BigInt(want.flat_gas_limit),
    flatGasPrice: BigInt(want.flat_gas_price),
    other: {
      gasPrice: BigInt(want.gas_price),
      gasLimit: BigInt(want.gas_limit),
      specialGasLimit: old.other.specialGasLimit,
      gasCredit: BigInt(want.gas_credit),
      blockGasLimit: old.other.blockGasLimit,
      freezeDueLimit: BigInt(want.freeze_due_limit),
      deleteDueLimit: BigInt(want.delete_due_limit),
    },
  });
});

Deno.test("the configuration has mainnet's forward prices", () => {
  const old = configParseMsgPrices(before.get(25)!);
  const want = vectors.param25_forward;
  assert.deepEqual(configParseMsgPrices(after.get(25)!), {
    lumpPrice: BigInt(want.lump_price),
    bitPrice: BigInt(want.bit_price),
    cellPrice: BigInt(want.cell_price),
    ihrPriceFactor: old.ihrPriceFactor,
    firstFrac: want.first_frac,
    nextFrac: old.nextFrac,
  });
});

Deno.test("the configuration omits the validators and changes nothing else", () => {
  const validators = [32, 33, 34, 35, 36, 37];
  const kept = [...before].filter(([id]) => !validators.includes(id));
  assert.deepEqual([...after.keys()], kept.map(([id]) => id));
  for (const [id, slice] of kept) {
    if ([18, 21, 25].includes(id)) continue;
    assert.ok(after.get(id)!.asCell().equals(slice.asCell()), `parameter ${id}`);
  }
});
