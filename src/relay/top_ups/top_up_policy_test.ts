import { deepEqual, equal, ok } from "node:assert/strict";
import { Address, beginCell, Cell } from "@ton/core";
import { decideTopUp, nextSlot, parseTopUp } from "./top_up_policy.ts";

/** A bill in milli-units: a coin is 1,000. */
function bill(perYear: number, balance: number, due = 0) {
  const [year, held, owed] = [perYear, balance, due].map((milli) => BigInt(milli) * 1_000_000n);
  const rest = held - owed;
  const runwayYears = rest > 0n ? Number(rest * 100n / year) / 100 : 0;
  return {
    perYear: year,
    balance: held,
    due: owed,
    debt: rest < 0n ? -rest : 0n,
    runwayYears,
    idleSeconds: 0n,
    recorded: 0n,
  };
}

const cases: [claim: string, bill: ReturnType<typeof bill>, left: number, value: number, isShort: boolean][] =
  [
    ["paid for five years gets nothing", bill(100, 500), 1_000, 0, false],
    ["paid for less gets ten years and the fee", bill(100, 499), 1_000, 601, false],
    ["gets the storage that is due as well", bill(50, 130, 120), 1_000, 590, false],
    ["gets what the limit leaves, and is reported", bill(200, 900), 1_000, 1_000, true],
    ["gets no dust", bill(100, 499), 49, 0, true],
    ["gets nothing once the limit is used", bill(100, 499), 0, 0, true],
    [
      "that owes gets its whole debt",
      bill(10, 0, 300),
      1_000,
      500,
      false,
    ],
    ["that owes gets part of the years above its whole debt", bill(200, 0, 300), 1_000, 1_000, true],
    ["that owes gets nothing rather than less than its debt", bill(200, 0, 901), 1_000, 0, true],
    ["that owes exactly what the limit pays gets it", bill(200, 0, 900), 1_000, 1_000, true],
  ];
for (const [claim, of, left, value, isShort] of cases) {
  Deno.test(`a pool ${claim}`, () => {
    const decision = decideTopUp(of, BigInt(left) * 1_000_000n);
    deepEqual(decision, { value: BigInt(value) * 1_000_000n, isShort });
  });
}

Deno.test("a relayer's slot of a pool comes once in each interval, also after a restart", () => {
  const interval = 86_400_000;
  const wallets = [1, 2, 3].map((byte) => new Address(0, Buffer.alloc(32, byte)));
  const slots = wallets.map((wallet) => nextSlot(0, wallet, "0:07", interval));
  equal(new Set(slots).size, 3);
  ok(new Set([nextSlot(0, wallets[0], "0:08", interval), slots[0]]).size === 2);
  for (const [i, slot] of slots.entries()) {
    ok(slot >= 0 && slot < interval);
    const next = (now: number) => nextSlot(now, wallets[i], "0:07", interval);
    deepEqual([next(slot), next(slot + 1), next(slot + 2 * interval - 5)], [
      slot,
      slot + interval,
      slot + 2 * interval,
    ]);
  }
});

Deno.test("only a message without bounce, body and state is a top-up", () => {
  const dest = new Address(0, Buffer.alloc(32, 7));
  const message = { dest, value: 5n, bounce: false, hasInit: false, body: Cell.EMPTY };
  deepEqual(parseTopUp(message), [{ pool: dest.toRawString(), value: 5n }]);
  const body = beginCell().storeBit(1).endCell();
  for (const change of [{ bounce: true }, { hasInit: true }, { body }]) {
    deepEqual(parseTopUp({ ...message, ...change }), []);
  }
});
