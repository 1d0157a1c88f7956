import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { toLeaves } from "../../../../testkit/relayer/leaf_batches.ts";
import type { LogEntry } from "../../../store/store.ts";
import type { WithdrawalEvent } from "../../../ton/pool/history/pool_events.ts";
import { FINAL_PAYMENT_DEPTH } from "../../../core/protocol/pool_constants.ts";
import { NullifierLog } from "./nullifier_log.ts";
import { PoolTree, type StoredPool } from "./pool_tree.ts";

const never = new AbortController().signal;
const payment = (position: number, value = BigInt(1_000 + position)): LogEntry => ({
  position,
  kind: "payment",
  value,
  settled: 0,
  txHash: `tx ${position}`,
});
const deposits = Array.from({ length: 4 }, (_, i) => ({ commitment: BigInt(i), timestamp: i }));
const storeOf = (log: readonly LogEntry[]): StoredPool => ({
  leaves: async function* (_pool, from) {
    const rest = deposits.slice(from).map((deposit, i) => ({ ...deposit, leafIndex: from + i }));
    if (rest.length > 0) yield await Promise.resolve(toLeaves(rest));
  },
  poolLog: async function* (_pool, from) {
    yield* log.filter(({ position }) => position >= from);
  },
});
const lastBytes = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / 32 }, (_, i) => 256 * bytes[i * 32 + 30] + bytes[i * 32 + 31]);

Deno.test("a page is immutable once it is full and 30 later payments follow", () => {
  const log = new NullifierLog();
  for (let i = 0; i < 300 + FINAL_PAYMENT_DEPTH; i++) log.append(BigInt(i));
  equal(log.page(0, 300).isImmutable, true);
  equal(log.page(0, 301).isImmutable, false, "the last hash has 29 successors");
  equal(log.page(0, 10_000).isImmutable, false, "the page is not full");
  const { count, nextFrom, bytes } = log.page(298, 2);
  deepEqual([count, nextFrom, lastBytes(bytes)], [2, 300, [298, 299]]);
  deepEqual([log.page(330, 2).count, log.page(330, 2).nextFrom], [0, null]);
  deepEqual([log.page(329, 1).count, log.page(329, 1).nextFrom], [1, null]);
});

Deno.test("a version 1 tree logs its withdrawals in order, and loads what the store has", async () => {
  const tree = new PoolTree();
  await tree.load(storeOf([payment(0), payment(1)]), "", never);
  const sender = new Address(0, new Uint8Array(32) as Buffer);
  const event: WithdrawalEvent = {
    kind: "withdrawal",
    tx: { lt: 5n, hash: "tx 2" },
    timestamp: 5,
    sender,
    queryId: 0n,
    messageHash: "",
    nullifierHash: 1_002n,
    fee: 0n,
    refund: 0n,
    recipient: sender,
    relayer: null,
  };
  deepEqual(tree.logEntries([event]), [payment(2)]);
  await tree.apply([event]);
  await tree.load(storeOf([payment(0), payment(1), payment(2), payment(3)]), "", never);
  deepEqual(lastBytes(tree.spentPage(0, 10).bytes), [1_000, 1_001, 1_002, 1_003]);
  await rejects(tree.load(storeOf([payment(3), payment(5)]), "", never), RangeError);
});

Deno.test("a follower drops payments that the leader has rolled back", async () => {
  const tree = new PoolTree();
  await tree.load(storeOf([payment(0), payment(1), payment(2)]), "", never);
  await tree.load(storeOf([payment(0), payment(1, 7n), payment(2, 8n)]), "", never);
  deepEqual(lastBytes(tree.spentPage(0, 10).bytes), [1_000, 7, 8]);
  await tree.load(storeOf([payment(0)]), "", never);
  deepEqual(lastBytes(tree.spentPage(0, 10).bytes), [1_000]);
  await tree.load(storeOf([]), "", never);
  equal(tree.spentPage(0, 10).count, 0);
});
