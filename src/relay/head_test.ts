/** An endpoint whose head does not move is told from one that is slow, behind or silent. */
import { deepEqual, equal } from "node:assert/strict";
import { Head, watchHead } from "./head.ts";
import { paceFor } from "./pace.ts";

Deno.test("head: it stands still after answers without a newer block for longer than the patience", () => {
  const head = new Head(60_000);
  equal(head.standsStill, false, "nobody has asked");
  head.seen(7, 1_000_000);
  for (const now of [1_030_000, 1_060_000]) head.seen(7, now);
  equal(head.standsStill, false);
  head.seen(6, 1_060_001);
  equal(head.standsStill, true, "a node that is behind shows no newer one");
  head.seen(8, 1_070_000);
  equal(head.standsStill, false);
});

Deno.test("head: one untrue answer is forgotten after three that go up", () => {
  const head = new Head(60_000);
  let now = 1_000_000;
  const answer = (seqno: number) => head.seen(seqno, now += 15_000);
  answer(7);
  answer(2 ** 40);
  for (let i = 0; i < 100; i++) {
    answer(8 + i);
    equal(head.standsStill, false, `answer ${i}`);
  }
  for (let i = 0; i < 10; i++) answer(2 ** 40 + i % 2);
  for (let i = 0; i < 3; i++) answer(200 + i);
  equal(head.standsStill, false);
});

Deno.test("head: nodes that are behind, each at its own block, stand still all the same", () => {
  const head = new Head(60_000);
  const nodes = [9, 6, 7, 8];
  for (let now = 0; now < 600_000; now += 15_000) head.seen(nodes[now / 15_000 % 4], 1_000_000 + now);
  equal(head.standsStill, true);
});

Deno.test("head: silence is not standing still", () => {
  const head = new Head(60_000);
  head.seen(7, 1_000_000);
  head.seen(8, 9_000_000);
  equal(head.standsStill, false);
});

Deno.test("head: it is asked at its pace, whether it answers or not, until the end", async () => {
  const stop = new AbortController();
  const pace = paceFor("testnet", { hasKey: false, pools: 1 });
  const waits: number[] = [];
  let asked = 0;
  let now = 0;
  const head = new Head(pace.staleAfter);
  await watchHead(head, {
    pace,
    clock: {
      now: () => now,
      sleep: (ms) => {
        waits.push(ms);
        now += ms;
        if (asked === 12) stop.abort();
        return Promise.resolve();
      },
    },
    chain: {
      masterchainSeqno: () => ++asked % 2 ? Promise.resolve(7) : Promise.reject(new Error("down")),
    },
  }, stop.signal);
  deepEqual([asked, new Set(waits)], [12, new Set([pace.head])]);
  equal(head.standsStill, true);
});
