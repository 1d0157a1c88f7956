/**
 * Each check of the withdrawal policy. A good withdrawal on real parts passes all of them; each case changes
 * one thing, so that exactly one check refuses it.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Problem } from "../../src/core/errors/problem.ts";
import { FIELD_MODULUS } from "../../src/core/crypto/field.ts";
import { ChangeSignal } from "../../src/relay/change_signal.ts";
import { HourlyCaps } from "../../src/relay/withdrawals/hourly_caps.ts";
import { SingleFlight } from "../../src/core/time/single_flight.ts";
import { PoolCache } from "../../src/relay/withdrawals/pool_cache.ts";
import {
  Candidate,
  type CheckDeps,
  type WithdrawalSubmission,
} from "../../src/relay/withdrawals/candidate.ts";
import { openCandidate, runWithdrawalChecks, withdrawalChecks } from "../../src/relay/withdrawals/checks.ts";
import { submitWithdrawal } from "../../src/relay/withdrawals/accept.ts";
import { createMemoryRateLimitStore } from "../../src/store/memory/memory_rate_limit_store.ts";
import { computeAttachedValue } from "../../src/relay/withdrawals/policy.ts";
import type { Job } from "../../src/store/store.ts";
import { estimateWithdrawalCost } from "../../src/ton/pool/withdrawal_cost.ts";
import { memoryStore } from "../../testkit/relayer/memory_store.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";
import {
  candidateOf,
  holding,
  KEY,
  newerRoots,
  refusals,
  requestOf,
  stranger,
  untilRoot,
  withdrawDirectly,
} from "../support/relayer/withdrawal_candidate.ts";
import { alteredPool, breakEachCheck } from "../support/relayer/broken_candidates.ts";

const runChecks = async (request: WithdrawalSubmission, deps: CheckDeps, checks = withdrawalChecks) =>
  await runWithdrawalChecks(openCandidate(request, deps), checks);

/** Starts a local network with a spent note and a request that passes every check. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const [spent, unspent] = [await net.deposit(KEY), await net.deposit(KEY)];
  const request = await requestOf(net, unspent);
  const spentRequest = await requestOf(net, spent);
  await withdrawDirectly(net, spentRequest);
  const candidate = await candidateOf(net, request);
  const { deps, pool } = candidate;
  const prices = await deps.priceCache.getPrices();
  const submit = (changed: CheckDeps) =>
    submitWithdrawal(request, {
      ...changed,
      changes: new ChangeSignal(),
      deduplicator: new SingleFlight<Job>(),
      fillRandom: (bytes) => void crypto.getRandomValues(bytes),
    }, new AbortController().signal);
  stack.defer(() => deps.store.close());
  const base = { candidate, request, spentRequest, deps, pool, prices };
  const broken = await breakEachCheck(base);
  const open = stack.move();
  return {
    ...base,
    submit,
    broken,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("withdrawal policy: each check alone refuses its own case", async (t) => {
  await using scene = await openScene();
  await t.step("a good withdrawal passes every check", () => acceptsGood(scene));
  await t.step(
    "a withdrawal rejected by a later check, or not accepted, does not count against the caps",
    () => countsAgainstCaps(scene),
  );
  await toleratesStoreFailures(t, scene);
  await coversCosts(t, scene);
  await boundsRootAge(t, scene);
  await refusesItsOwnCase(t, scene);
});

async function acceptsGood({ candidate, request, deps }: Scene): Promise<void> {
  deepEqual(await refusals(candidate), []);
  await runChecks(request, deps);
}

async function countsAgainstCaps({ request, deps }: Scene): Promise<void> {
  const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 1 });
  for (let i = 0; i < 3; i++) {
    await rejects(runChecks(request, { ...deps, hourlyCaps: caps, balance: holding(0n, 1n) }), {
      code: "relayer_balance_low",
    });
    await (await runChecks(request, { ...deps, hourlyCaps: caps }))(false);
  }
  await (await runChecks(request, { ...deps, hourlyCaps: caps }))(true);
  await rejects(runChecks(request, { ...deps, hourlyCaps: caps }), {
    code: "hourly_cap_reached",
  });
}

async function toleratesStoreFailures(
  t: Deno.TestContext,
  { submit, deps, pool, request }: Scene,
): Promise<void> {
  await t.step("a withdrawal stays counted when the store's answer to its job is lost", async () => {
    const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 1 });
    const store = memoryStore({ now: Date.now, shared: false })();
    const addJob: typeof store.addJob = async (...job) => {
      await store.addJob(...job);
      throw new Problem("store_unavailable");
    };
    await rejects(submit({ ...deps, hourlyCaps: caps, store: { ...store, addJob } }), {
      code: "store_unavailable",
    });
    equal((await caps.reserve({ pool: pool.id, nullifierHash: 1n })).allowed, false);
  });
  await t.step("a journaled withdrawal is accepted even if the store fails afterwards", async () => {
    const store = memoryStore({ now: Date.now, shared: false })();
    let silent = false;
    const { sent, withdrawal } = await submit({
      ...deps,
      store: {
        ...store,
        job: (id) => silent ? Promise.reject(new Problem("store_unavailable")) : store.job(id),
        addJob: (...job) => store.addJob(...job).finally(() => silent = true),
      },
    });
    deepEqual([sent, withdrawal.state, withdrawal.fee], [false, "accepted", request.fee]);
  });
}

async function coversCosts(
  t: Deno.TestContext,
  { deps, pool, request, prices, candidate }: Scene,
): Promise<void> {
  await t.step("the wallet's balance covers withdrawals that are not journaled yet", async () => {
    const funded = withdrawalChecks.filter(({ name }) => name === "wallet can pay for it");
    const value = computeAttachedValue(await deps.poolCache.getWithdrawValue(pool, request.refund));
    const poor = { ...deps, balance: holding(value, 0n), unjournaled: new Map() };
    const other = { ...request, signals: { ...request.signals, nullifierHash: 5n } };
    const both = await Promise.allSettled(
      [request, other].map((each) => runChecks(each, poor, funded)),
    );
    deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    for (const one of both) if (one.status === "fulfilled") await one.value(false);
    await runChecks(other, poor, funded);
  });
  await t.step("the fee must cover the value that a pool with too few coins requires", async () => {
    const [covers] = withdrawalChecks.filter(({ name }) => name === "fee covers the cost");
    const info = await deps.poolCache.getPoolInfo(pool);
    const quote = await deps.poolCache.getWithdrawValue(pool, 0n);
    const margin = request.fee - estimateWithdrawalCost(prices, info, { quote });
    for (const [more, holds] of [[margin, true], [margin + 1n, false]] as const) {
      const poolCache = {
        getPoolInfo: () => Promise.resolve(info),
        getWithdrawValue: () => Promise.resolve(quote + more),
      } as unknown as PoolCache;
      const refusal = await covers.refusal(new Candidate({ ...candidate, deps: { ...deps, poolCache } }));
      equal(refusal === undefined, holds, `${more} nano more`);
    }
  });
}

async function boundsRootAge(
  t: Deno.TestContext,
  { pool, request, deps, broken }: Scene,
): Promise<void> {
  await t.step(
    "a root that stays in the history for three more roots is accepted, for two it is stale",
    async () => {
      for (const [newer, fits] of [[0, true], [26, true], [27, false], [29, false]] as const) {
        const pools = new Map([[pool.id, alteredPool(pool, {}, newerRoots(newer, request))]]);
        const run = runChecks(request, { ...deps, pools }, untilRoot);
        if (fits) await (await run)(false);
        else await rejects(run, { code: "stale_root" }, `${newer} newer roots`);
      }
    },
  );
  await t.step("invalid proofs do not count against the caps", async () => {
    const caps = new HourlyCaps(createMemoryRateLimitStore(Date.now), { hourly: 1, hourlyPerPool: 1 });
    const { request: garbage } = broken["proof verifies"];
    for (let i = 0; i < 5; i++) {
      await rejects(runChecks(garbage, { ...deps, hourlyCaps: caps }), { code: "proof_invalid" });
    }
    await runChecks(request, { ...deps, hourlyCaps: caps });
  });
}

async function refusesItsOwnCase(t: Deno.TestContext, { broken, request, deps }: Scene): Promise<void> {
  await t.step("every check has a case", () => {
    deepEqual(withdrawalChecks.map(({ name }) => name).filter((name) => !(name in broken)), []);
  });
  for (const [name, candidate] of Object.entries(broken)) {
    await t.step(`only "${name}" refuses`, async () => deepEqual(await refusals(candidate), [name]));
  }
  await t.step("a public input of r or more is refused before any lookup", async () => {
    for (const signal of Object.keys(request.signals) as (keyof typeof request.signals)[]) {
      const signals = { ...request.signals, [signal]: request.signals[signal] + FIELD_MODULUS };
      await rejects(runChecks({ ...request, signals }, { ...deps, pools: new Map() }), {
        code: "not_in_field",
      });
    }
  });
  await t.step("a pool that is not registered is refused", async () => {
    await rejects(runChecks({ ...request, pool: stranger }, deps), { code: "unknown_pool" });
  });
}
