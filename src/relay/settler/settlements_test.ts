import { deepEqual, equal } from "node:assert/strict";
import type { SettlementInput } from "../../core/tree/settlement.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { messageBytes } from "../wallet/transfer_size.ts";
import { Settlements } from "./settlements.ts";

const poolOf = (id: string, size = 0) => ({ id, settledPool: { size } }) as PoolState;
const spanOf = (first: number, end: number) =>
  ({ span: BigInt(first * 512 + end - first) }) as SettlementInput;
const settlement = (first: number, end: number) => ({
  input: spanOf(first, end),
  message: { name: `${first}-${end}` } as unknown as OutgoingMessage,
});
const a = poolOf("a");
const asMap = (...pools: PoolState[]) => new Map(pools.map((pool) => [pool.id, pool]));
/** Settlements of a replica that leads for the first time. */
function settlementsOf(leadership = { isLeader: true, term: 1 }): Settlements {
  const settlements = new Settlements(leadership);
  settlements.restore([], { term: 1, now: 0 });
  return settlements;
}
const take = (settlements: Settlements, pools: Map<string, PoolState>, messages: number, now: number) =>
  settlements.take(pools, { messages, bytes: 10_000 }, now);
const names = (messages: OutgoingMessage[]) => messages.map((message) => Reflect.get(message, "name"));

Deno.test("each settlement follows the one before, and is sent once, in order", () => {
  const settlements = settlementsOf();
  equal(settlements.isEmpty, true);
  deepEqual(
    [settlement(16, 32), settlement(0, 16), settlement(0, 16), settlement(16, 32)].map((each) =>
      settlements.add(a, each)
    ),
    [false, true, false, true],
  );
  deepEqual([settlements.isEmpty, settlements.count(a)], [false, 2]);
  deepEqual(names(take(settlements, asMap(a), 1, 0)), ["0-16"]);
  settlements.endTransfer(true, 0);
  deepEqual(names(take(settlements, asMap(a), 9, 0)), ["16-32"]);
  settlements.endTransfer(true, 0);
  deepEqual(names(take(settlements, asMap(a), 9, 0)), []);
  deepEqual([settlements.isEmpty, settlements.count(a)], [true, 2]);
});

Deno.test("settlements: those that exceed the bytes left in the transfer are sent with the next one", () => {
  const settlements = settlementsOf();
  for (const each of [settlement(0, 16), settlement(16, 32), settlement(32, 48)]) settlements.add(a, each);
  const bytes = 2 * messageBytes(settlement(0, 16).message);
  const next = (limit: number) => names(settlements.take(asMap(a), { messages: 9, bytes: limit }, 0));
  deepEqual([next(-1), next(bytes - 1), next(bytes)], [[], ["0-16"], ["0-16", "16-32"]]);
  settlements.endTransfer(true, 0);
  deepEqual(next(bytes), ["32-48"]);
});

Deno.test("settled ones are removed, no matter who settled them; the others stay if they still follow", () => {
  const settlements = settlementsOf();
  for (const each of [settlement(0, 16), settlement(16, 32)]) settlements.add(a, each);
  equal(settlements.last(poolOf("a", 16), 0)?.input.span, settlement(16, 32).input.span);
  equal(settlements.count(a), 1);
  deepEqual(names(take(settlements, asMap(poolOf("a", 17)), 9, 0)), [], "another settlement ended at 17");
  equal(settlements.count(a), 0);
});

Deno.test("settlements: one that does not arrive within two minutes after its transfer is prepared again, with all later ones", () => {
  const settlements = settlementsOf();
  settlements.add(a, settlement(0, 16));
  take(settlements, asMap(a), 9, 1_000);
  settlements.add(a, settlement(16, 32));
  const last = (now: number) => settlements.last(a, now)?.input.span;
  equal(last(3_600_000), settlement(16, 32).input.span, "while the chain stands still, it may yet arrive");
  settlements.endTransfer(true, 3_600_000);
  equal(last(3_719_999), settlement(16, 32).input.span);
  equal(last(3_720_000), undefined);
});

Deno.test("settlements: those of a transfer that expired, or was never signed, are sent with the next one", () => {
  const settlements = settlementsOf();
  settlements.add(a, settlement(0, 16));
  for (const _ of ["never signed", "expired"]) {
    deepEqual([names(take(settlements, asMap(a), 9, 0)), settlements.isEmpty], [["0-16"], false]);
  }
  settlements.endTransfer(false, 0);
  deepEqual(names(take(settlements, asMap(a), 9, 0)), ["0-16"]);
});

Deno.test("a replica that leads again sends nothing of its earlier term, nor anything before it knows what was sent", () => {
  const leadership = { isLeader: true, term: 1 };
  const settlements = settlementsOf(leadership);
  settlements.add(a, settlement(0, 16));
  const state = () => [settlements.isRestored, settlements.isEmpty, names(take(settlements, asMap(a), 9, 0))];
  leadership.isLeader = false;
  deepEqual(state(), [false, true, []]);
  Object.assign(leadership, { isLeader: true, term: 2 });
  deepEqual(state(), [false, true, []]);
  equal(settlements.add(a, settlement(16, 32)), false, "it was proved in the earlier term");
  settlements.restore([], { term: 1, now: 0 });
  equal(settlements.isRestored, false, "the settlements were read in the earlier term");
  settlements.restore([], { term: 2, now: 0 });
  deepEqual([state(), settlements.count(a)], [[true, true, []], 0]);
});

Deno.test("no settlement is sent for a pool that is no longer served", () => {
  const settlements = settlementsOf();
  settlements.add(a, settlement(0, 16));
  const b = poolOf("b");
  settlements.add(b, settlement(0, 3));
  deepEqual(names(take(settlements, asMap(b), 9, 0)), ["0-3"]);
});

Deno.test("while one that an earlier process sent may arrive, none is prepared or sent", () => {
  const settlements = settlementsOf();
  settlements.add(a, settlement(0, 16));
  const sent = [{ pool: "a", start: 0, end: 16 }, { pool: "a", start: 16, end: 32 }];
  settlements.restore(sent, { term: 1, now: 0 });
  const under = (size: number, now: number) => settlements.awaitsPreviousTerm(poolOf("a", size), now);
  deepEqual([under(0, 0), under(16, 119_999), under(16, 120_000)], [true, true, false]);
  deepEqual(
    [under(32, 0), under(5, 0)],
    [false, false],
    "all have arrived, or another settlement came first",
  );
  deepEqual(names(take(settlements, asMap(a), 9, 0)), []);
  equal(settlements.last(a, 0), undefined);
  settlements.endTransfer(true, 150_000);
  equal(under(16, 269_999), true, "the transfer in flight may be the earlier one");
  settlements.endTransfer(true, 200_000);
  equal(under(16, 270_000), false);
  settlements.restore([], { term: 1, now: 0 });
  equal(under(0, 0), false, "the next time this process leads, only what was sent since then counts");
});
