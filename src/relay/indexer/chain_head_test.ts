import { deepEqual, equal } from "node:assert/strict";
import { ChainHead, watchChainHead } from "./chain_head.ts";
import { getPollingIntervals } from "../polling_intervals.ts";

Deno.test("an endpoint is stalled after responses without a newer block for longer than the timeout", () => {
  const head = new ChainHead(60_000);
  equal(head.isStalled, false, "before the first query");
  head.observe(7, 1_000_000);
  for (const now of [1_030_000, 1_060_000]) head.observe(7, now);
  equal(head.isStalled, false);
  head.observe(6, 1_060_001);
  equal(head.isStalled, true, "a node that is behind shows no newer one");
  head.observe(8, 1_070_000);
  equal(head.isStalled, false);
});

Deno.test("chain head: one false seqno is ignored after three rising ones", () => {
  const head = new ChainHead(60_000);
  let now = 1_000_000;
  const answer = (seqno: number) => head.observe(seqno, now += 15_000);
  answer(7);
  answer(2 ** 40);
  for (let i = 0; i < 100; i++) {
    answer(8 + i);
    equal(head.isStalled, false, `answer ${i}`);
  }
  for (let i = 0; i < 10; i++) answer(2 ** 40 + i % 2);
  for (let i = 0; i < 3; i++) answer(200 + i);
  equal(head.isStalled, false);
});

Deno.test("several nodes that are behind, each at its own block, also count as stalled", () => {
  const head = new ChainHead(60_000);
  const nodes = [9, 6, 7, 8];
  for (let now = 0; now < 600_000; now += 15_000) head.observe(nodes[now / 15_000 % 4], 1_000_000 + now);
  equal(head.isStalled, true);
});

Deno.test("an endpoint that does not respond is not stalled", () => {
  const head = new ChainHead(60_000);
  head.observe(7, 1_000_000);
  head.observe(8, 9_000_000);
  equal(head.isStalled, false);
});

Deno.test("chain head: it is polled at its interval, with or without a response, until the abort", async () => {
  const stop = new AbortController();
  const intervals = getPollingIntervals("testnet", { requestsPerSecond: 1, pools: 1 });
  const waits: number[] = [];
  let requests = 0;
  let now = 0;
  const head = new ChainHead(intervals.staleAfterMs);
  await watchChainHead(head, {
    intervals,
    clock: {
      now: () => now,
      sleep: (ms) => {
        waits.push(ms);
        now += ms;
        if (requests === 12) stop.abort();
        return Promise.resolve();
      },
    },
    chain: {
      masterchainSeqno: () => ++requests % 2 ? Promise.resolve(7) : Promise.reject(new Error("down")),
    },
  }, stop.signal);
  deepEqual([requests, new Set(waits)], [12, new Set([intervals.chainHeadPollMs])]);
  equal(head.isStalled, true);
});
