/** The runway table's formula against the chain's own storage phase, and the promise that it shows. */
import assert from "node:assert/strict";
import { POOL_CAPACITY } from "../../src/core/protocol/pool_constants.ts";
import { chainPrices } from "../../testkit/chain/chain_prices.ts";
import { JettonSandbox } from "../../testkit/chain/jetton_sandbox.ts";
import { emptyBody, freshElement, PoolSandbox, priceLists } from "../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, RootHistoryModel, SetModel } from "../../testkit/chain/pool_storage.ts";
import { leftBalance, paidSeconds, type PoolFill, sizeBound } from "./runway.ts";

const YEAR = 31_557_600n;
/** Unix time has 32 bits. */
const LAST_SECOND = 2 ** 32 - 1;

/** A pool with so many keys in its sets, and a part of the balance of the table: the time ends in 2106. */
async function filledPool(
  { kind, deposits, withdrawals }: PoolFill,
  prices: keyof typeof priceLists,
  part: bigint,
) {
  const jettons = kind === "jetton" ? await JettonSandbox.open({ prices }) : undefined;
  const pool = jettons?.pool ?? await PoolSandbox.open({ prices, denomination: 1_000_000_000n });
  const [commitments, nullifiers] = [new SetModel(), new SetModel()];
  while (commitments.size < deposits) commitments.add(freshElement() * 0x9e3779b97f4a7c15n >> 3n);
  while (nullifiers.size < withdrawals) nullifiers.add(freshElement() * 0x9e3779b97f4a7c15n >> 5n);
  const data = encodePoolData({
    denomination: pool.denomination,
    deposits,
    withdrawals,
    debt: 0n,
    touched: pool.chain.now!,
    commitments,
    nullifiers,
    history: new RootHistoryModel(),
    root: freshElement(),
    paused: false,
    owner: null,
    jetton: jettons && { master: jettons.minter.address, wallet: jettons.poolWallet },
  });
  const balance = leftBalance({ kind, deposits, withdrawals }, chainPrices(priceLists[prices])) / part;
  await pool.setState({ data, balance });
  return { pool, balance };
}

const samples: [fill: PoolFill, prices: keyof typeof priceLists, part: bigint][] = [
  [{ kind: "native", deposits: 200, withdrawals: 200 }, "mainnet", 1n],
  [{ kind: "native", deposits: 1_000, withdrawals: 1_000 }, "old", 1n],
  [{ kind: "jetton", deposits: 1_000, withdrawals: 0 }, "mainnet", 4n],
  [{ kind: "jetton", deposits: 200, withdrawals: 200 }, "old", 4n],
];
for (const [fill, prices, part] of samples) {
  const { kind, deposits, withdrawals } = fill;
  Deno.test(`a ${kind} pool of ${deposits} notes, ${withdrawals} withdrawn, pays storage to the second that the formula says (${prices} prices)`, async () => {
    for (const beyond of [false, true]) {
      const { pool, balance } = await filledPool(fill, prices, part);
      const { storageStats: { used } } = (await pool.chain.getContract(pool.address)).account.account!;
      const bound = sizeBound(fill);
      assert.ok(used.cells <= bound.cells && used.bits <= bound.bits, "the table's size is no bound");
      const list = chainPrices(priceLists[prices]);
      const paid = paidSeconds(balance, used, list);
      assert.ok(paid >= paidSeconds(balance, bound, list), "the table promises too much");
      pool.chain.now! += Number(paid) + (beyond ? 60 : 0);
      assert.ok(pool.chain.now! <= LAST_SECOND);
      const { tx } = await pool.send(emptyBody, 1n);
      assert.ok(tx.description.type === "generic");
      const unpaid = tx.description.storagePhase?.storageFeesDue ?? 0n;
      assert.equal(unpaid > 0n, beyond, `${unpaid} unpaid`);
    }
  });
}

const RUNWAYS: [then: keyof typeof priceLists, later: keyof typeof priceLists, seconds: bigint][] = [
  ["mainnet", "mainnet", 40n * YEAR],
  ["old", "old", 40n * YEAR],
  ["mainnet", "old", 40n * YEAR / 6n],
];
for (const [then, later, least] of RUNWAYS) {
  Deno.test(`a jetton pool of any size that prepaid at ${then} prices lives ${least / YEAR} years from its deployment at ${later} prices`, () => {
    const [paid, charged] = [then, later].map((name) => chainPrices(priceLists[name]));
    for (let deposits = 0; deposits <= POOL_CAPACITY; deposits += deposits < 8_192 ? 7 : 1_024) {
      for (const withdrawals of [0, deposits >> 1, deposits]) {
        const fill = { kind: "jetton", deposits, withdrawals } as const;
        const seconds = paidSeconds(leftBalance(fill, paid), sizeBound(fill), charged);
        assert.ok(
          seconds >= least,
          `${deposits} deposits, ${withdrawals} withdrawals: ${seconds / YEAR} years`,
        );
      }
    }
  });
}

Deno.test("a jetton pool of 50,000 notes pays for its storage while one note is withdrawn every two weeks", () => {
  for (const name of ["mainnet", "old"] as const) {
    const prices = chainPrices(priceLists[name]);
    const seconds = 14n * 86_400n;
    let charged = 0n;
    for (let withdrawals = 0; BigInt(withdrawals) * seconds <= 60n * YEAR; withdrawals++) {
      const fill = { kind: "jetton", deposits: 50_000, withdrawals } as const;
      charged += prices.storage({ ...sizeBound(fill), seconds });
      assert.ok(
        charged <= leftBalance(fill, prices),
        `unpaid after ${withdrawals} withdrawals, ${name} prices`,
      );
    }
  }
});

Deno.test("a full jetton pool emptied to twelve notes pays for its storage for 60 years more", () => {
  for (const name of ["mainnet", "old"] as const) {
    const prices = chainPrices(priceLists[name]);
    const fill = { kind: "jetton", deposits: POOL_CAPACITY, withdrawals: POOL_CAPACITY - 12 } as const;
    assert.ok(paidSeconds(leftBalance(fill, prices), sizeBound(fill), prices) >= 60n * YEAR);
  }
});
