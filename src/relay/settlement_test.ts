import { deepEqual, equal } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Job, JobState, SettlingEvent } from "../store/store.ts";
import { settle, unsettle } from "./settlement.ts";

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
const refusal = (sender: Address, queryId: bigint, exitCode?: number): SettlingEvent => ({
  ...about,
  kind: "refused",
  op: "withdraw",
  sender,
  queryId,
  ...(exitCode === undefined ? {} : { exitCode }),
});
const payment = (sender: Address): SettlingEvent => ({
  ...about,
  kind: "withdrawal",
  sender,
  queryId: 0n,
  fee: 5n,
  refund: 0n,
  recipient: mallory,
  relayer: us,
});

for (const state of ["accepted", "broadcast", "failed", "expired"] satisfies JobState[]) {
  Deno.test(`settle: the pool's log confirms a job that is ${state}, whoever sent the message`, () => {
    const { state: now, txHash, message, settledAt } = settle({ ...job, state }, payment(mallory), us, 8)!;
    deepEqual([now, txHash, message, settledAt], ["confirmed", "cc".repeat(32), undefined, 8]);
  });
}

Deno.test("settle: the pool's refusal of our own message fails the job and names the exit code", () => {
  const { state, reason, failures, message } = settle(job, refusal(us, 77n, 203), us, 8)!;
  deepEqual([state, reason, failures, message], ["failed", "ERR_UNKNOWN_ROOT", 1, undefined]);
  equal(settle(job, refusal(us, 77n, 13), us, 8)!.reason, "exit code 13");
  equal(settle(job, refusal(us, 77n), us, 8)!.reason, "no gas");
});

Deno.test("settle: a refusal forged by another wallet, or of another message of ours, changes nothing", () => {
  equal(settle(job, refusal(mallory, 77n, 201), us, 8), undefined);
  equal(settle(job, refusal(us, 78n, 201), us, 8), undefined);
});

Deno.test("settle: a refusal after the payment (exit 202) leaves the job confirmed", () => {
  const confirmed = settle(job, payment(mallory), us, 8)!;
  equal(settle(confirmed, refusal(us, 77n, 202), us, 9), undefined);
});

Deno.test("a confirmation that is taken back expires an unpaid job, keeps a paid one, and leaves all others", () => {
  const { message: _, ...ended } = { ...job, state: "confirmed" as const, txHash: "ee", settledAt: 1 };
  const reason = "its payment is not on chain after all";
  const { txHash: __, ...rest } = ended;
  deepEqual(unsettle(ended, undefined, 8), { ...rest, state: "expired", reason, settledAt: 8 });
  deepEqual(unsettle(ended, "ff", 8), { ...ended, txHash: "ff" });
  for (const state of ["accepted", "broadcast", "failed", "expired"] satisfies JobState[]) {
    equal(unsettle({ ...job, state }, undefined, 8), undefined);
  }
});
