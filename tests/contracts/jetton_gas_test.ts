/** What the messages of a jetton pool cost, against committed figures, and the bounds that its money rules rest on. */
import assert from "node:assert/strict";
import { Address, toNano } from "@ton/core";
import { loadPoolCode } from "../../src/ton/pool_state.ts";
import { assertDone } from "../support/jetton_claims.ts";
import { type JettonDepositChange, JettonSandbox } from "../support/jetton_sandbox.ts";
import { freshElement } from "../support/pool_sandbox.ts";
import { countCells, deepen, HistoryModel, poolData, SetModel } from "../support/set_model.ts";

const source = await Deno.readTextFile(new URL("../../contracts/fees_jetton.tolk", import.meta.url));
const constant = (name: string) => BigInt(new RegExp(`^const ${name} = (\\d+)`, "m").exec(source)![1]);
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");

const max = (...values: bigint[]) => values.reduce((a, b) => a > b ? a : b);

Deno.test("no message takes more gas than the highest path of its kind, with three percent of room", async () => {
  const key = freshElement();
  const deepest = new SetModel();
  deepen(deepest, key);
  const jettons = await JettonSandbox.open();
  const { pool } = jettons;
  const highest = { deposit: 0n, withdraw: 0n };
  // Where in its two generations the oldest root lies decides what finding it costs.
  for (const deposits of [30, 32, 33, 61, 93]) {
    const roots = await jettons.put({ deposits, nullifiers: deepest });
    const [refund, value] = [123_456_789n, toNano(5)];
    const from = new Address(-1, pool.user.address.hash);
    const { gas } = assertDone(
      await jettons.withdraw({ nullifierHash: key, root: roots.at(-30)!, refund, value, from }),
    );
    highest.withdraw = max(highest.withdraw, gas);
    await jettons.put({ deposits, commitments: deepest });
    const attempts: JettonDepositChange[] = [{ signals: [1n, 2n, 3n, 4n] }, {}];
    for (const attempt of attempts) {
      const outcome = await jettons.deposit({ commitment: key, ...attempt });
      highest.deposit = max(highest.deposit, outcome.gas);
    }
  }
  for (const [real, bound] of [[highest.deposit, DEPOSIT_GAS], [highest.withdraw, WITHDRAW_GAS]]) {
    assert.ok(real * 103n <= bound * 100n, `the dearest took ${real} of ${bound}`);
    assert.ok(real * 105n > bound * 100n, `the bound is loose: the dearest took ${real} of ${bound}`);
  }
});

/** Gas by notes in the pool; keys are the same in every run, so figures are exact. */
const figures = [
  { notes: 1, deposit: 125_867n, withdraw: 137_477n, refused: 6_721n },
  { notes: 1_000, deposit: 125_723n, withdraw: 137_477n, refused: 6_721n },
];

for (const figure of figures) {
  Deno.test(`gas of a jetton pool with ${figure.notes} notes is as written down`, async () => {
    const jettons = await JettonSandbox.open();
    await jettons.put({ deposits: figure.notes });
    const withdraw = assertDone(await jettons.withdraw()).gas;
    const deposit = assertDone(await jettons.deposit()).gas;
    const refused = (await jettons.deposit({ amount: 1n })).gas;
    assert.deepEqual({ notes: figure.notes, deposit, withdraw, refused }, figure);
  });
}

Deno.test("code, storage root and a full log of roots fit the constants that storage is estimated by", () => {
  const history = new HistoryModel();
  for (let i = 0; i < 64; i++) history.push(freshElement());
  const somebody = new Address(0, Buffer.alloc(32, 1));
  const data = poolData({
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
  // The two sets' forks are counted with the keys: six of them, and the nullifiers' root, which differs.
  const { cells, bits } = countCells(loadPoolCode("jetton").code, data);
  assert.ok(BigInt(cells - 7) <= constant("FIXED_JETTON_CELLS"), `${cells} cells`);
  assert.ok(BigInt(bits) <= constant("FIXED_JETTON_BITS"), `${bits} bits`);
});
