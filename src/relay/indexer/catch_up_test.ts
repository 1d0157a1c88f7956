import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Clock } from "../../core/time/clock.ts";
import { rootLog } from "../../telemetry/log.ts";
import type { AccountInfo, Chain, TransactionId } from "../../ton/chain.ts";
import { catchUpOrRollBack, LeaderMemory, splitBetweenTransactions, type StepDeps } from "./catch_up.ts";
import type { PoolEvent } from "../../ton/pool/history/pool_events.ts";
import { PoolState } from "./pool_state.ts";
import { RollbackTrigger } from "./rollback.ts";

const address = new Address(0, Buffer.alloc(32, 7));
const id = (lt: bigint): TransactionId => ({ lt, hash: String(lt).padStart(64, "0") });
const STALE_AFTER_MS = 60_000;

/** A pool whose stored cursor is at 2,000, at an endpoint whose newest transaction is at `newest`. */
async function poolAt(newest: bigint) {
  let now = 0;
  let accountReads = 0;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const chain = {
    transactions: () => Promise.resolve([{ id: id(newest) }]),
    account: () => {
      accountReads++;
      return Promise.resolve<Partial<AccountInfo>>({ last: undefined, syncUtime: 0 });
    },
  } as unknown as Chain;
  const deployment = { address, asset: "native", denomination: 1n } as Deployment;
  const pool = new PoolState("native-1", deployment, STALE_AFTER_MS, "localnet");
  const store = memoryStore({ now: () => now, shared: false })();
  await store.apply({ pool: pool.id, events: [], from: undefined, to: id(2_000n) }, () => undefined);
  const intervals = { staleAfterMs: STALE_AFTER_MS, minRetryMs: 1 } as StepDeps["intervals"];
  const deps: StepDeps = { chain, store, walletAddress: address, clock, intervals, log: rootLog() };
  return { pool, deps, setTime: (to: number) => void (now = to), accountReads: () => accountReads };
}

const never = new AbortController().signal;

Deno.test("an endpoint whose newest transaction is before the stored cursor is behind, and nothing is rolled back", async () => {
  const { pool, deps, accountReads } = await poolAt(1_999n);
  deepEqual(await catchUpOrRollBack(pool, deps, new LeaderMemory(), never), { type: "behind" });
  equal(accountReads(), 0);
  deepEqual(await deps.store.cursor(pool.id), id(2_000n));
});

Deno.test("a missing cursor causes a rollback check after five stale periods, which restart once it is found", async () => {
  const { pool, deps, setTime, accountReads } = await poolAt(1_999n);
  const trigger = new RollbackTrigger();
  const readsAt = async (ms: number) => {
    setTime(ms);
    equal(await trigger.rollBackIfDue(pool, deps, never, () => {}), false);
    return accountReads();
  };
  deepEqual([await readsAt(1_000), await readsAt(1_000 + 5 * STALE_AFTER_MS - 1)], [0, 0]);
  equal(await readsAt(1_000 + 5 * STALE_AFTER_MS), 1);
  trigger.reset();
  const found = 1_000_000;
  deepEqual([await readsAt(found), await readsAt(found + 5 * STALE_AFTER_MS - 1)], [1, 1]);
  equal(await readsAt(found + 5 * STALE_AFTER_MS), 2);
});

Deno.test("an endpoint that is behind does not prove that the cursor is missing, and a second endpoint that has the cursor ends the rollback", async () => {
  const MISSING_SINCE_SECONDS = 1_700_000_000;
  for (
    const [syncUtime, last, isAsked] of [
      [MISSING_SINCE_SECONDS - 1, id(1_999n), false],
      [MISSING_SINCE_SECONDS, undefined, false],
      [MISSING_SINCE_SECONDS, id(1_999n), true],
    ] as const
  ) {
    const { pool, deps, setTime } = await poolAt(1_999n);
    const requests: unknown[] = [];
    const chain = {
      ...deps.chain,
      account: () => Promise.resolve({ last, syncUtime }),
      verifier: {
        hasTransaction: (_: unknown, cursor: unknown) => Promise.resolve(requests.push(cursor) > 0),
      },
    } as unknown as Chain;
    const trigger = new RollbackTrigger();
    const rollBack = (ms: number) => {
      setTime(MISSING_SINCE_SECONDS * 1000 + ms);
      return trigger.rollBackIfDue(pool, { ...deps, chain }, never, () => {});
    };
    equal(await rollBack(0), false);
    const due = rollBack(5 * STALE_AFTER_MS);
    if (isAsked) await rejects(due, { code: "chain_inconsistent", message: /second chain endpoint knows/ });
    else equal(await due, false);
    deepEqual(requests, isAsked ? [id(2_000n)] : []);
  }
});

Deno.test("the events of a transaction are written together, in parts of at most the store's limit", () => {
  const events = [1n, 1n, 2n, 2n, 2n, 3n, 4n].map((lt) => ({ tx: id(lt) }) as PoolEvent);
  const split = (limit: number) =>
    splitBetweenTransactions(events, limit).map((part) => part.map(({ tx }) => Number(tx.lt)));
  deepEqual(split(7), [[1, 1, 2, 2, 2, 3, 4]]);
  deepEqual(split(4), [[1, 1], [2, 2, 2, 3], [4]]);
  deepEqual(split(3), [[1, 1], [2, 2, 2], [3, 4]]);
  deepEqual(splitBetweenTransactions([], 3), [[]]);
});
