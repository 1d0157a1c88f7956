import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address, TupleReader } from "@ton/core";
import type { HttpProblemCode } from "../../core/errors/http_problems.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import {
  remainingFailoverMs,
  submitAndWait,
  waitForWithdrawal,
  type WithdrawalWaitProgress,
} from "./withdrawal_wait.ts";
import { RelayerProblem } from "../relayer/relayer_problem.ts";
import { RelayerClient, type WithdrawArgs } from "../relayer/relayer_client.ts";

const address = Address.parse(`0:${"11".repeat(32)}`);
function poolThatReports(isSpent: () => boolean): Pool {
  const get: Chain["runGetMethod"] = () =>
    Promise.resolve(new TupleReader([{ type: "int", value: isSpent() ? -1n : 0n }]));
  return new Pool({ runGetMethod: get } as Chain, address);
}
const pool = poolThatReports(() => false);
const args = { pool: address, proof: {}, publicSignals: [], recipient: address, fee: 1n, refund: 0n };

async function neverEnding(
  submission: () => Response,
  act: (relayer: RelayerClient, polls: () => number) => Promise<void>,
  onPoll: () => void = () => {},
): Promise<void> {
  let polls = 0;
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      if (new URL(request.url).pathname === "/withdraw") return submission();
      polls++;
      onPoll();
      return Response.json({ state: "accepted" });
    },
  );
  try {
    await act(new RelayerClient(`http://127.0.0.1:${server.addr.port}`, { maxAttempts: 1 }), () => polls);
  } finally {
    ended.abort();
    await server.finished;
  }
}

function testClock() {
  let ms = 0;
  let slept = 0;
  const pass = (by: number) => void (ms += by);
  const sleep = (by: number) => (slept += by, pass(by), Promise.resolve());
  return { clock: { now: () => ms, sleep } satisfies Clock, slept: () => slept, pass };
}

const reported = (code: HttpProblemCode) => new RelayerProblem(code, "https://relayer.example", {});
const inUse = () => Response.json({ code: "nullifier_already_used" }, { status: 409 });
const accepted = () => Response.json({}, { status: 202 });
const unavailable = (message: RegExp) => (error: unknown) => {
  ok(error instanceof Problem);
  equal(error.code, "relayer_unavailable");
  match(error.message, message);
  return true;
};

for (const timeoutMs of [undefined, 600_000]) {
  Deno.test(`a note that a relayer always reports as in use causes a timeout after three minutes, with timeout ${timeoutMs}`, () =>
    neverEnding(inUse, async (relayer) => {
      const { clock, slept } = testClock();
      const seen: WithdrawalWaitProgress[] = [];
      const onStatus = (_: unknown, waited: WithdrawalWaitProgress) => void seen.push(waited);
      const options = { pollIntervalMs: 10_000, timeoutMs, clock, onStatus };
      await rejects(
        submitAndWait(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
        unavailable(/reports the note as in use, but has not finished a withdrawal of it within 180 s/),
      );
      equal(slept(), 180_000);
      ok(seen.every((each) => each.inUse && each.relayer === relayer && each.timeoutMs === 180_000));
      equal(seen.at(-1)!.elapsedMs, 180_000);
    }));
}

Deno.test("a withdrawal that stays accepted causes a timeout after ten minutes, or after the given time", () =>
  neverEnding(accepted, async (relayer) => {
    for (const [timeoutMs, expected] of [[undefined, 600_000], [60_000, 60_000]] as const) {
      const { clock, slept } = testClock();
      const options = { pollIntervalMs: 10_000, timeoutMs, clock };
      await rejects(
        submitAndWait(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
        unavailable(new RegExp(`it has not finished within ${expected / 1000} s`)),
      );
      equal(slept(), expected);
    }
  }));

for (const [what, submission, expected] of [["accepted", accepted, 1], ["in use", inUse, 0]] as const) {
  Deno.test(`a relayer that reports a submission as ${what} has accepted it ${expected} times`, () =>
    neverEnding(submission, async (relayer, polls) => {
      const { clock } = testClock();
      const pollsBefore: number[] = [];
      const onAccepted = () => void pollsBefore.push(polls());
      const options = { pollIntervalMs: 10_000, timeoutMs: 20_000, clock, onAccepted };
      await rejects(submitAndWait(relayer, pool, args as unknown as WithdrawArgs, 5n, options));
      deepEqual(pollsBefore, Array(expected).fill(0));
    }));
}

Deno.test("slow answers of a relayer count towards its timeout", () => {
  const { clock, pass } = testClock();
  return neverEnding(accepted, async (relayer, polls) => {
    const options = { pollIntervalMs: 10_000, timeoutMs: 180_000, clock };
    await rejects(waitForWithdrawal(relayer, address, 5n, options), unavailable(/not finished within 180 s/));
    equal(polls(), 4);
  }, () => pass(50_000));
});

Deno.test("a relayer whose time for a note in use is over is polled once and not waited for", () =>
  neverEnding(inUse, async (relayer, polls) => {
    const { clock, slept } = testClock();
    const options = { pollIntervalMs: 10_000, inUseTimeoutMs: 0, clock };
    await rejects(
      submitAndWait(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
      unavailable(
        /reports the note as in use, but has not finished a withdrawal of it within the time that it had left/,
      ),
    );
    deepEqual([polls(), slept()], [1, 0]);
  }));

for (const [what, submission] of [["in use", inUse], ["accepted", accepted]] as const) {
  Deno.test(`the wait for a withdrawal that stays ${what} ends when the pool reports the note as spent`, () =>
    neverEnding(submission, async (relayer) => {
      const { clock, slept } = testClock();
      const paid = poolThatReports(() => slept() >= 30_000);
      const options = { pollIntervalMs: 10_000, clock };
      const { state } = await submitAndWait(relayer, paid, args as unknown as WithdrawArgs, 5n, options);
      equal(state, "confirmed");
      ok(slept() <= 90_000, `${slept()} ms`);
    }));
}

Deno.test("an endpoint that fails does not end the wait for a relayer", () =>
  neverEnding(accepted, async (relayer) => {
    const { clock } = testClock();
    const isSpent = () => Promise.reject(new Problem("chain_unavailable"));
    const options = { pollIntervalMs: 10_000, timeoutMs: 180_000, clock, isSpent };
    await rejects(waitForWithdrawal(relayer, address, 5n, options), unavailable(/not finished within 180 s/));
  }));

Deno.test("a cancelled wait polls no relayer, and a cancelled read of the chain ends it", () =>
  neverEnding(accepted, async (relayer, polls) => {
    const signal = AbortSignal.abort();
    await rejects(waitForWithdrawal(relayer, address, 5n, { signal }), { code: "cancelled" });
    equal(polls(), 0);
    const { clock } = testClock();
    for (const error of [new Problem("cancelled"), new TypeError("a fault of the program")]) {
      const isSpent = () => Promise.reject(error);
      await rejects(
        waitForWithdrawal(relayer, address, 5n, { clock, isSpent, pollIntervalMs: 10_000 }),
        error,
      );
    }
  }));

Deno.test("the pool is asked after every fifth poll of the relayer, and before the timeout", () =>
  neverEnding(accepted, async (relayer, polls) => {
    const { clock } = testClock();
    const askedAfter: number[] = [];
    const isSpent = () => Promise.resolve(askedAfter.push(polls()) > 3);
    const options = { pollIntervalMs: 10_000, timeoutMs: 120_000, clock, isSpent };
    await rejects(waitForWithdrawal(relayer, address, 5n, options), unavailable(/not finished within 120 s/));
    deepEqual(askedAfter, [5, 10, 13]);
  }));

Deno.test("a relayer's report that a note is in use, before it fails, counts only if the pool confirms it", async () => {
  const submit = async (withdraw: () => Promise<unknown>, isSpent: boolean) => {
    const withdrawalStatus = () => Promise.reject(reported("withdrawal_not_found"));
    const relayer = { withdraw, withdrawalStatus } as unknown as RelayerClient;
    const { clock } = testClock();
    const request = args as unknown as WithdrawArgs;
    await submitAndWait(relayer, poolThatReports(() => isSpent), request, 5n, { clock });
  };
  const refuse = (code: HttpProblemCode) => () => Promise.reject(reported(code));
  const used = refuse("nullifier_already_used");
  await rejects(submit(used, false), unavailable(/the pool does not report it as spent/));
  await rejects(submit(used, true), { code: "withdrawal_not_found" });
  await rejects(submit(() => Promise.resolve({ state: "waiting" }), false), { code: "withdrawal_not_found" });
  await rejects(submit(refuse("stale_root"), false), { code: "stale_root" });
});

Deno.test("the remaining time shrinks with a submission's age, and a clock that was set back does not extend it", () => {
  deepEqual([-5_000, 0, 60_000, 180_000, 1e9].map(remainingFailoverMs), [180_000, 180_000, 120_000, 0, 0]);
});
