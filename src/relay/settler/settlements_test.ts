import { deepEqual, equal } from "node:assert/strict";
import type { SettlementInput } from "../../core/tree/settlement.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { Settlements } from "./settlements.ts";

const poolOf = (id: string, size = 0) => ({ id, settledTree: { size } }) as PoolState;
const spanOf = (first: number, end: number) =>
  ({ span: BigInt(first * 512 + end - first) }) as SettlementInput;
const settlement = (first: number, end: number) => ({
  input: spanOf(first, end),
  message: { name: `${first}-${end}` } as unknown as OutgoingMessage,
});
const a = poolOf("a");
const asMap = (...pools: PoolState[]) => new Map(pools.map((pool) => [pool.id, pool]));
const names = (messages: OutgoingMessage[]) => messages.map((message) => Reflect.get(message, "name"));

Deno.test("settlements: each follows the one before, and is taken once, in order", () => {
  const settlements = new Settlements();
  equal(settlements.isEmpty, true);
  deepEqual(
    [settlement(16, 32), settlement(0, 16), settlement(0, 16), settlement(16, 32)].map((each) =>
      settlements.add(a, each)
    ),
    [false, true, false, true],
  );
  deepEqual([settlements.isEmpty, settlements.count(a)], [false, 2]);
  deepEqual(names(settlements.take(asMap(a), 1, 0)), ["0-16"]);
  deepEqual(names(settlements.take(asMap(a), 9, 0)), ["16-32"]);
  deepEqual(names(settlements.take(asMap(a), 9, 0)), []);
  deepEqual([settlements.isEmpty, settlements.count(a)], [true, 2]);
});

Deno.test("settlements: settled ones are removed, no matter who settled them; the others stay if they still follow", () => {
  const settlements = new Settlements();
  for (const each of [settlement(0, 16), settlement(16, 32)]) settlements.add(a, each);
  equal(settlements.last(poolOf("a", 16), 0)?.input.span, settlement(16, 32).input.span);
  equal(settlements.count(a), 1);
  deepEqual(names(settlements.take(asMap(poolOf("a", 17)), 9, 0)), [], "another settlement ended at 17");
  equal(settlements.count(a), 0);
});

Deno.test("settlements: one that does not arrive within two minutes is prepared again, with all later ones", () => {
  const settlements = new Settlements();
  settlements.add(a, settlement(0, 16));
  settlements.take(asMap(a), 9, 1_000);
  settlements.add(a, settlement(16, 32));
  equal(settlements.last(a, 120_999)?.input.span, settlement(16, 32).input.span);
  equal(settlements.last(a, 121_000), undefined);
});

Deno.test("settlements: none is sent for a pool that is no longer served", () => {
  const settlements = new Settlements();
  settlements.add(a, settlement(0, 16));
  const b = poolOf("b");
  settlements.add(b, settlement(0, 3));
  deepEqual(names(settlements.take(asMap(b), 9, 0)), ["0-3"]);
});

Deno.test("settlements: while one that an earlier process sent may arrive, none is prepared or sent", () => {
  const settlements = new Settlements();
  settlements.add(a, settlement(0, 16));
  settlements.restore([{ pool: "a", start: 0, end: 16 }, { pool: "a", start: 16, end: 32 }], 0);
  const under = (size: number, now: number) => settlements.isEarlierUnderWay(poolOf("a", size), now);
  deepEqual([under(0, 0), under(16, 119_999), under(16, 120_000)], [true, true, false]);
  deepEqual(
    [under(32, 0), under(5, 0)],
    [false, false],
    "all have arrived, or another settlement came first",
  );
  deepEqual(names(settlements.take(asMap(a), 9, 0)), []);
  equal(settlements.last(a, 0), undefined);
  settlements.restore([], 0);
  equal(under(0, 0), false, "the next time this process leads, only what was sent since then counts");
});
