import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import { type Job, type JobEvent, type JobState } from "../../store/store.ts";
import { applyJobEvent, reopenJob } from "./job_outcome.ts";
import { omit } from "../../core/omit.ts";

const us = Address.parse(`0:${"aa".repeat(32)}`);
const mallory = Address.parse(`0:${"bb".repeat(32)}`);
const job: Job = {
  pool: us.toRawString(),
  nullifierHash: 9n,
  state: "broadcast",
  queryId: 77n,
  root: 1n,
  fee: 5n,
  refund: 0n,
  message: { recipient: mallory.toRawString(), proof: "te6" },
  failures: 0,
  acceptedAt: 1,
};
const about = { tx: { lt: 5n, hash: "cc".repeat(32) }, timestamp: 3, messageHash: "", nullifierHash: 9n };
const refusal = (sender: Address, queryId: bigint, exitCode?: number): JobEvent => ({
  ...about,
  kind: "refused",
  op: "withdraw",
  sender,
  queryId,
  ...(exitCode === undefined ? {} : { exitCode }),
});
const payment = (
  sender: Address,
  paid: Partial<Extract<JobEvent, { kind: "withdrawal" }>> = {},
): Extract<JobEvent, { kind: "withdrawal" }> => ({
  ...about,
  kind: "withdrawal",
  sender,
  queryId: 0n,
  fee: 5n,
  refund: 0n,
  recipient: mallory,
  relayer: us,
  ...paid,
});

for (const state of ["accepted", "broadcast"] satisfies JobState[]) {
  Deno.test(`the pool's log confirms a job that is ${state}, even if another wallet sent the same withdrawal`, () => {
    const { state: now, txHash, message, endedAt } = applyJobEvent(
      { ...job, state },
      payment(mallory),
      us,
      8,
    )!;
    deepEqual([now, txHash, message, endedAt], ["confirmed", "cc".repeat(32), undefined, 8]);
  });
}

for (const state of ["failed", "expired"] satisfies JobState[]) {
  Deno.test(`only our own message confirms a job that is ${state}: it no longer names its recipient`, () => {
    const ended = omit({ ...job, state }, "message");
    equal(applyJobEvent(ended, payment(us, { queryId: 77n }), us, 8)!.state, "confirmed");
    equal(applyJobEvent(ended, payment(mallory), us, 8)!.state, "superseded");
  });
}

const others: [what: string, Parameters<typeof payment>[1]][] = [
  ["another recipient", { recipient: us }],
  ["another relayer", { relayer: mallory }],
  ["no relayer", { relayer: null, fee: 0n }],
  ["another fee", { fee: 4n }],
  ["another refund", { refund: 1n }],
  ["our query id, by another wallet for another recipient", { queryId: 77n, recipient: us }],
];
for (const [what, paid] of others) {
  Deno.test(`a payment of the note with ${what} supersedes the job, which names what was paid`, () => {
    const event = payment(mallory, paid);
    const { state, fee, refund, txHash, message } = applyJobEvent(job, event, us, 8)!;
    const { fee: paidFee, refund: paidRefund } = event;
    deepEqual([state, fee, refund, txHash, message], [
      "superseded",
      paidFee,
      paidRefund,
      event.tx.hash,
      undefined,
    ]);
  });
}

Deno.test("a payment by our own message of an earlier job supersedes the present one", () => {
  equal(applyJobEvent(job, payment(us, { queryId: 76n, recipient: us }), us, 8)!.state, "superseded");
});

Deno.test("the pool's refusal of our own message fails the job and names the exit code", () => {
  const { state, reason, failures, message } = applyJobEvent(job, refusal(us, 77n, 203), us, 8)!;
  deepEqual([state, reason, failures, message], ["failed", "ERR_UNKNOWN_ROOT", 1, undefined]);
  equal(applyJobEvent(job, refusal(us, 77n, 13), us, 8)!.reason, "exit code 13");
  equal(applyJobEvent(job, refusal(us, 77n), us, 8)!.reason, "no gas");
});

Deno.test("of a refused message with several withdrawals, each is sent again with its own query id", () => {
  const batch = { ...refusal(us, 77n, 201), op: "withdraw_many" } as JobEvent;
  const { state, attempts, failures, queryId, message } = applyJobEvent(job, batch, us, 8)!;
  deepEqual([state, attempts, failures, message], ["accepted", 1, 0, job.message]);
  const sibling = applyJobEvent({ ...job, nullifierHash: 10n }, batch, us, 8)!;
  equal(new Set([job.queryId, queryId, sibling.queryId]).size, 3);
});

Deno.test("a withdrawal that its message left out is sent again, unless its note is spent", () => {
  const skipped = (code: number, sender = us): JobEvent => ({
    ...about,
    kind: "skipped",
    code,
    sender,
    queryId: 77n,
  });
  for (const code of [203, 211]) {
    const { state, attempts, failures } = applyJobEvent(job, skipped(code), us, 8)!;
    deepEqual([state, attempts, failures], ["accepted", 1, 0]);
  }
  equal(applyJobEvent(job, skipped(202), us, 8), undefined);
  equal(applyJobEvent(job, skipped(211, mallory), us, 8), undefined);
  equal(applyJobEvent({ ...job, queryId: 78n }, skipped(211), us, 8), undefined);
});

Deno.test("a refusal forged by another wallet, or of another message of ours, changes nothing", () => {
  equal(applyJobEvent(job, refusal(mallory, 77n, 201), us, 8), undefined);
  equal(applyJobEvent(job, refusal(us, 78n, 201), us, 8), undefined);
});

Deno.test("a refusal after the payment (exit 202) leaves the job confirmed", () => {
  const confirmed = applyJobEvent(job, payment(mallory), us, 8)!;
  equal(applyJobEvent(confirmed, refusal(us, 77n, 202), us, 9), undefined);
});

Deno.test("a refusal or another payment leaves a superseded job as it is", () => {
  const superseded = applyJobEvent(job, payment(mallory, { relayer: mallory }), us, 8)!;
  equal(applyJobEvent(superseded, refusal(us, 77n, 202), us, 9), undefined);
  equal(applyJobEvent(superseded, payment(us), us, 9), undefined);
});

Deno.test("the rollback of a payment expires its job, and changes no other", () => {
  for (const state of ["confirmed", "superseded"] satisfies JobState[]) {
    const unpaid = omit({ ...job, state, endedAt: 1 }, "message");
    const reason = "its payment is not on chain";
    deepEqual(reopenJob({ ...unpaid, txHash: "ee" }, undefined, us, 8), {
      ...unpaid,
      state: "expired",
      reason,
      endedAt: 8,
    });
  }
  for (const state of ["accepted", "broadcast", "failed", "expired"] satisfies JobState[]) {
    equal(reopenJob({ ...job, state }, undefined, us, 8), undefined);
  }
});

Deno.test("a job whose payment is replaced gets the state of the payment on chain", () => {
  const paid = applyJobEvent(job, payment(mallory), us, 8)!;
  const real = payment(us, { queryId: 77n, tx: { lt: 6n, hash: "ff" } });
  deepEqual(reopenJob(paid, real, us, 9), { ...paid, txHash: "ff" });
  const lie = applyJobEvent(job, payment(mallory, { fee: 4n }), us, 8)!;
  deepEqual(reopenJob(lie, real, us, 9), { ...lie, state: "confirmed", fee: 5n, txHash: "ff" });
  equal(reopenJob(paid, payment(mallory, { relayer: null }), us, 9)!.state, "superseded");
});
