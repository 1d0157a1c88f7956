import { deepEqual } from "node:assert/strict";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";
import { createBatchObserver } from "./batch_metrics.ts";

function observe(settled: number, events: readonly object[]) {
  const recorded: string[] = [];
  const observer = createBatchObserver({
    recordPoolSettlement: (pool, deposits) => void recorded.push(`${pool}: ${deposits} deposits`),
    recordWithdrawalBatch: (pool, size) => void recorded.push(`${pool}: ${size} withdrawals`),
  });
  observer({ key: "native-10-v2" }, events as PoolEvent[], settled);
  return recorded;
}

Deno.test("a settlement counts the deposits from the end of the one before it", () => {
  const events = [{ kind: "settlement", end: 20 }, { kind: "deposit" }, { kind: "settlement", end: 36 }];
  deepEqual(observe(16, events), ["native-10-v2: 4 deposits", "native-10-v2: 16 deposits"]);
});

Deno.test("withdrawals of one transaction are one batch, with those that the pool left out", () => {
  const of = (kind: string, hash: string) => ({ kind, tx: { hash } });
  const events = [of("withdrawal", "a"), of("skipped", "a"), of("withdrawal", "b"), of("refused", "c")];
  deepEqual(observe(0, events), ["native-10-v2: 2 withdrawals", "native-10-v2: 1 withdrawals"]);
});
