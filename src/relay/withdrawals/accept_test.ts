import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import { baseProof } from "../../../testkit/simulation/requests.ts";
import { fieldToHex } from "../../core/crypto/field.ts";
import { Problem } from "../../core/errors/problem.ts";
import { addressToField } from "../../core/protocol/messages/address_field.ts";
import type { Clock } from "../../core/time/clock.ts";
import { SingleFlight } from "../../core/time/single_flight.ts";
import { createMemoryRateLimitStore } from "../../store/memory/memory_rate_limit_store.ts";
import type { Job, JobId } from "../../store/store.ts";
import { ChangeSignal } from "../change_signal.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { WalletBalance } from "../wallet/balance.ts";
import { getWithdrawalStatus, submitWithdrawal } from "./accept.ts";
import type { Candidate, WithdrawalSubmission } from "./candidate.ts";
import { HourlyCaps } from "./hourly_caps.ts";

const START_MS = 1_700_000_000_000;
const address = new Address(0, Buffer.alloc(32, 7));
const recipient = new Address(0, Buffer.alloc(32, 3));
const relayerAddress = new Address(0, Buffer.alloc(32, 2));
const id = { pool: address.toRawString(), nullifierHash: 9n };
const signals = {
  root: 7n,
  nullifierHash: 9n,
  fee: 50n,
  refund: 5n,
  recipient: addressToField(recipient),
  relayer: addressToField(relayerAddress),
};
const request: WithdrawalSubmission = {
  pool: address,
  proof: baseProof,
  recipient,
  fee: 50n,
  refund: 5n,
  signals,
};
const pool = {
  id: id.pool,
  formattedAddress: "the pool",
  lacksMinFee: false,
  deployment: { asset: "jet", denomination: 10_000_000n, maxRefund: 5n },
  readiness: () => ({ ready: true }),
  rootPlacesLeft: () => 30,
} as unknown as PoolState;
const never = new AbortController().signal;

function relayer({ hourly = 0 } = {}) {
  let now = START_MS;
  let proofs = 0;
  const due: { readonly at: number; readonly act: () => unknown }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 0)); // work that does not wait comes first
      if (signal?.aborted) return;
      now = Math.min(now + ms, ...due.map(({ at }) => START_MS + at));
      for (const each of due.filter(({ at }) => START_MS + at <= now)) {
        due.splice(due.indexOf(each), 1);
        await each.act();
      }
    },
  };
  const store = memoryStore({ now: () => now, shared: false })();
  const changes = new ChangeSignal();
  const caps = new HourlyCaps(createMemoryRateLimitStore(() => now), { hourly, hourlyPerPool: 0 });
  const deps = {
    store,
    clock,
    changes,
    deduplicator: new SingleFlight<Job>(),
    feeBps: 0,
    feeMinNano: 0n,
    pools: new Map([[id.pool, pool]]),
    wallet: { address: relayerAddress },
    hourlyCaps: caps,
    unjournaled: new Map<Candidate, string>(),
    balance: new WalletBalance({ balance: () => Promise.resolve(1_000_000n) }, clock, { warn: 0n, stop: 0n }),
    proofVerifier: { verify: () => Promise.resolve(++proofs > 0) },
    poolCache: {
      getPoolInfo: () => Promise.resolve({ claims: 0 }),
      getIsSpent: () => Promise.resolve(false),
      getWithdrawValue: () => Promise.resolve(0n),
    },
    fillRandom: (bytes: Uint8Array) => void bytes.fill(1),
  } as unknown as Parameters<typeof submitWithdrawal>[1];
  const change = async (fields: Partial<Job>) => {
    await store.changeJob(id, (job) => ({ ...job, ...fields }));
    changes.notify();
  };
  return {
    store,
    caps,
    deps,
    change,
    proofs: () => proofs,
    elapsed: () => now - START_MS,
    submit: (signal = never, changed: Partial<WithdrawalSubmission> = {}) =>
      submitWithdrawal({ ...request, ...changed }, deps, signal),
    at: (at: number, act: () => unknown) => void due.push({ at, act }),
  };
}

Deno.test("the note's job is read once before a withdrawal is journaled", async () => {
  const { submit, store, deps } = relayer();
  const calls: string[] = [];
  Object.assign(deps, {
    store: {
      ...store,
      job: (id: JobId) => (calls.push("job"), store.job(id)),
      addJob: (...job: Parameters<typeof store.addJob>) => (calls.push("addJob"), store.addJob(...job)),
    },
  });
  await submit();
  deepEqual(calls.slice(0, calls.indexOf("addJob") + 1), ["job", "addJob"]);
});

Deno.test("a withdrawal is journaled as submitted, with a random query id", async () => {
  const { submit, store, elapsed } = relayer();
  const { sent, withdrawal } = await submit();
  deepEqual([sent, withdrawal.state, withdrawal.pool, elapsed()], [false, "accepted", "the pool", 30_000]);
  const { message, ...job } = (await store.job(id))!;
  equal(message!.recipient, recipient.toRawString());
  const { root, fee, refund, queryId, failures, acceptedAt, state } = job;
  deepEqual([root, fee, refund, failures, acceptedAt, state], [7n, 50n, 5n, 0, START_MS, "accepted"]);
  equal(queryId, 0x0101010101010101n);
});

const outcomes: [name: string, fields: Partial<Job>, sent: boolean][] = [
  ["is broadcast", { state: "broadcast", seqno: 4 }, true],
  ["was paid at once", { state: "confirmed", seqno: 4 }, true],
  ["expired before it was sent", { state: "expired" }, false],
];
for (const [name, fields, sent] of outcomes) {
  Deno.test(`a withdrawal that ${name} is ${sent ? "" : "not "}reported as sent, without a further wait`, async () => {
    const { submit, change, at, elapsed } = relayer();
    at(2_000, () => change(fields));
    const result = await submit();
    deepEqual([result.sent, result.withdrawal.state, elapsed()], [sent, fields.state, 2_000]);
  });
}

Deno.test("a requeued withdrawal is reported as not sent, although it has an earlier seqno", async () => {
  const { submit, change, at } = relayer();
  at(2_000, () => change({ seqno: 4 }));
  deepEqual((await submit()).sent, false);
});

Deno.test("a client that disconnects ends the wait, but not the withdrawal", async () => {
  const { submit, store, elapsed } = relayer();
  deepEqual((await submit(AbortSignal.abort())).sent, false);
  deepEqual([elapsed(), (await store.job(id))!.state], [0, "accepted"]);
});

Deno.test("equal requests at once are checked once, and only one of them is accepted", async () => {
  const { submit, proofs, change, at } = relayer();
  at(1_000, () => change({ state: "broadcast", seqno: 1 }));
  const results = await Promise.allSettled([submit(), submit(), submit()]);
  deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
  for (const result of results.slice(1)) {
    const { code, members } = (result as PromiseRejectedResult).reason as Problem;
    deepEqual([code, (members.withdrawal as { state: string }).state], [
      "nullifier_already_used",
      "accepted",
    ]);
  }
  equal(proofs(), 1);
});

for (const changed of [{ recipient: relayerAddress }, { fee: 51n }, { refund: 4n }, { proof: {} }]) {
  Deno.test(`a request with another ${Object.keys(changed)} does not share the checks of the first`, async () => {
    const { submit } = relayer();
    const first = submit(AbortSignal.abort());
    await rejects(submit(never, changed), ({ code }: Problem) => code !== "nullifier_already_used");
    await first;
  });
}

Deno.test("the same note is accepted again only after it failed and its delay is over", async () => {
  const { submit, store, change } = relayer();
  await submit(AbortSignal.abort());
  await rejects(submit(), { code: "nullifier_already_used" });
  await change({ state: "failed", failures: 1, endedAt: START_MS - 29_999 });
  await rejects(submit(), { code: "retry_later" });
  await change({ endedAt: START_MS - 30_000 });
  await submit(AbortSignal.abort());
  deepEqual((await store.job(id))!.failures, 1, "the next delay is longer");
});

Deno.test("a job that another replica added meanwhile is refused with its status, and counts against no cap", async () => {
  const { deps, store, submit, caps } = relayer({ hourly: 1 });
  await submit(AbortSignal.abort());
  const { job, addJob } = store;
  const token = (await store.job(id))!.capToken;
  await caps.release({ ...id, capToken: token! });
  Object.assign(deps.store, {
    job: (requests: typeof id) => requests.nullifierHash === 9n ? undefined : job(requests),
  });
  await rejects(submit(), { code: "nullifier_already_used" });
  Object.assign(deps.store, { job, addJob });
  equal((await caps.reserve({ ...id, nullifierHash: 10n })).allowed, true);
});

for (const [code, counted] of [["store_unavailable", true], ["not_leader", false]] as const) {
  Deno.test(`a journal that fails with ${code} ${counted ? "counts" : "does not count"} against the caps`, async () => {
    const { deps, submit, caps } = relayer({ hourly: 1 });
    Object.assign(deps.store, { addJob: () => Promise.reject(new Problem(code)) });
    await rejects(submit(), { code });
    equal((await caps.reserve({ ...id, nullifierHash: 10n })).allowed, !counted);
    equal(deps.unjournaled.size, 0);
  });
}

Deno.test("an accepted withdrawal keeps the token by which its cap is released", async () => {
  const { submit, store, caps } = relayer({ hourly: 1 });
  await submit(AbortSignal.abort());
  const other = { ...id, nullifierHash: 10n };
  equal((await caps.reserve(other)).allowed, false);
  await caps.release((await store.job(id))!);
  equal((await caps.reserve(other)).allowed, true);
});

Deno.test("a store that fails while the client waits is not a refusal", async () => {
  const { deps, submit, at, elapsed } = relayer();
  at(1_000, () => {
    Object.assign(deps.store, { job: () => Promise.reject(new Problem("store_unavailable")) });
    deps.changes.notify();
  });
  const { sent, withdrawal } = await submit();
  deepEqual([sent, withdrawal.state, elapsed()], [false, "accepted", 1_000]);
});

Deno.test("the status is that of the job, or of the payment on chain, also of a pool that is not served", async () => {
  const { deps, store, submit } = relayer();
  const status = (nullifierHash: bigint, pools: typeof deps.pools = deps.pools) =>
    getWithdrawalStatus(address, nullifierHash, { store, pools, network: "localnet" });
  await rejects(status(9n), { code: "withdrawal_not_found" });
  await rejects(status(9n, new Map()), { code: "unknown_pool" });
  await submit(AbortSignal.abort());
  deepEqual((await status(9n)).state, "accepted");
  Object.assign(store, {
    job: () => Promise.resolve(undefined),
    withdrawal: () =>
      Promise.resolve({ nullifierHash: 9n, fee: 50n, refund: 5n, timestamp: 7, txHash: "aa" }),
  });
  const paid = await status(9n, new Map());
  deepEqual([paid.state, paid.fee, paid.txHash, paid.settledAt, paid.acceptedAt], [
    "confirmed",
    "50",
    "aa",
    7,
    null,
  ]);
  equal(paid.nullifierHash, fieldToHex(9n));
});
