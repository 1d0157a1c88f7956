import { deepEqual, equal, ok } from "node:assert/strict";
import { SECONDS_PER_YEAR } from "../account_storage.ts";
import { poolFunds, surplusEnd } from "./pool_funds.ts";
import { maxPoolSize, POOL_SIZE } from "./pool_size.ts";

const info = { assetKind: "native", deposits: 7, withdrawals: 4, debt: 20n } as const;
const funds = (change: Partial<Parameters<typeof poolFunds>[0]> = {}) =>
  poolFunds({ info, denomination: 100n, balance: 500n, storageDue: 30n, storagePerYear: 40n, ...change });

Deno.test("a native pool owes its notes in coins, and a share of them is paid back by withdrawals", () => {
  deepEqual(funds(), {
    available: 470n,
    unspentNotes: 300n,
    debt: 20n,
    obligations: 280n,
    surplus: 190n,
    shortfall: 0n,
    runwayYears: 11.75,
    reserveYears: 4.75,
  });
});

Deno.test("a jetton pool owes no coins for its notes", () => {
  const { unspentNotes, obligations, surplus, reserveYears } = funds({
    info: { ...info, assetKind: "jetton", debt: 0n },
  });
  deepEqual([unspentNotes, obligations, surplus, reserveYears], [0n, 0n, 470n, 11.75]);
});

Deno.test("what a pool lacks is its shortfall, and it has no reserve then", () => {
  const { surplus, shortfall, reserveYears, runwayYears } = funds({ balance: 309n });
  deepEqual([surplus, shortfall, reserveYears, runwayYears], [-1n, 1n, 0, 6.97]);
  deepEqual([funds({ balance: 310n }).surplus, funds({ balance: 310n }).shortfall], [0n, 0n]);
});

Deno.test("storage fees consume a balance to zero and no further", () => {
  for (const storageDue of [500n, 501n]) {
    const { available, surplus, runwayYears } = funds({ storageDue });
    deepEqual([available, surplus, runwayYears], [0n, -280n, 0]);
  }
});

Deno.test("without storage fees a balance lasts for ever", () => {
  const free = funds({ storagePerYear: 0n });
  deepEqual([free.runwayYears, free.reserveYears, surplusEnd(free, 5)], [Infinity, Infinity, Infinity]);
});

Deno.test("the surplus ends after its years, in Unix seconds", () => {
  equal(SECONDS_PER_YEAR, 31_557_600n); // 365.25 days
  equal(surplusEnd(funds(), 1_000), 1_000 + 4.75 * 31_557_600);
});

const sizeOf = (change: Partial<Parameters<typeof maxPoolSize>[0]>) =>
  maxPoolSize({ assetKind: "native", deposits: 0, withdrawals: 0, claims: 0, ...change });

Deno.test("an empty pool has the size of its kind, and each key adds bits and at most seven cells", () => {
  const empty = sizeOf({});
  deepEqual(empty, { cells: POOL_SIZE.native.cells + 14n, bits: POOL_SIZE.native.bits });
  deepEqual(
    sizeOf({ assetKind: "jetton" }).cells - empty.cells,
    POOL_SIZE.jetton.cells - POOL_SIZE.native.cells,
  );
  deepEqual(sizeOf({ deposits: 3, withdrawals: 2 }), { cells: empty.cells + 35n, bits: empty.bits + 510n });
});

Deno.test("sets share forks from 228 keys on, and slots from 4,096 on", () => {
  const cells = (deposits: number) => Number(sizeOf({ deposits }).cells - sizeOf({}).cells);
  deepEqual([227, 228, 4_095].map(cells), [7 * 227, 1_365 + 228, 1_365 + 4_095]);
  const full = 1_365 + 4_096 - 7; // an empty set has seven cells already
  deepEqual([4_096, 4_106, 4_107, 100_000].map(cells), [full, full, full + 2, full + 2 * 8_718]);
});

Deno.test("each claim of a jetton pool adds two cells and 600 bits, in both versions", () => {
  for (const version of [1, 2] as const) {
    const [none, three] = [0, 3].map((claims) => sizeOf({ assetKind: "jetton", version, claims }));
    deepEqual([three.cells - none.cells, three.bits - none.bits], [6n, 1_800n]);
  }
});

Deno.test("a version 2 pool is bounded by its queue, which waits for settlement", () => {
  const size = (waiting: number, assetKind: "native" | "jetton" = "native") =>
    sizeOf({ assetKind, version: 2, deposits: waiting + 5, withdrawals: 5 });
  const empty = size(0);
  deepEqual([size(1), size(3), size(4)].map(({ cells, bits }) => [cells - empty.cells, bits - empty.bits]), [
    ...[[1n, 300n], [1n, 900n], [2n, 1_200n]],
  ]);
  const largest = size(10 ** 8);
  deepEqual(size(10 ** 9), largest, "the queue is full");
  ok(largest.cells > size(10).cells && size(10 ** 8, "jetton").bits !== largest.bits);
});
