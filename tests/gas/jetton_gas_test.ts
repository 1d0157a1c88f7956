/** The bounds on gas and size that the money rules of a jetton pool rely on. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { loadPoolCode } from "../../src/ton/pool/state_init.ts";
import { measureMostExpensive } from "../../testkit/gas/measure.ts";
import { readSnapshot } from "../../testkit/gas/snapshot.ts";
import { contractConstants } from "../../testkit/chain/contract_constants.ts";
import { freshElement } from "../../testkit/chain/pool_sandbox.ts";
import { countCells, encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";

const constant = await contractConstants(1);
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");

Deno.test("no message takes more gas than the highest path of its kind, with three percent of room", async () => {
  const dearest = await measureMostExpensive("jetton");
  assert.deepEqual(dearest, (await readSnapshot()).dearest.jetton);
  for (const [real, bound] of [[dearest.deposit, DEPOSIT_GAS], [dearest.withdraw, WITHDRAW_GAS]] as const) {
    assert.ok(BigInt(real) * 103n <= bound * 100n, `the dearest took ${real} of ${bound}`);
    assert.ok(BigInt(real) * 105n > bound * 100n, `the bound is loose: the dearest took ${real} of ${bound}`);
  }
});

Deno.test("code, storage root and a full log of roots fit the constants that storage is estimated by", () => {
  const history = new RootHistoryModel();
  for (let i = 0; i < 64; i++) history.push(freshElement());
  const somebody = new Address(0, Buffer.alloc(32, 1));
  const data = encodePoolData({
    denomination: 2n ** 119n,
    deposits: 64,
    withdrawals: 0,
    debt: 2n ** 119n,
    touched: 2 ** 32 - 1,
    nullifiers: new SetModel(),
    root: freshElement(),
    commitments: new SetModel(),
    history,
    paused: true,
    owner: somebody,
    jetton: { master: somebody, wallet: new Address(0, Buffer.alloc(32, 2)) },
  });
  // The count of the keys includes the two sets' forks: six of them, and the root of the nullifiers, which
  // differs.
  const { cells, bits } = countCells(loadPoolCode("jetton").code, data);
  assert.ok(BigInt(cells - 7) <= constant("FIXED_JETTON_CELLS"), `${cells} cells`);
  assert.ok(BigInt(bits) <= constant("FIXED_JETTON_BITS"), `${bits} bits`);
});
