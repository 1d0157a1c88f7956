/** Relayers that never come to an end: each has its time, and no more. Real servers, the client's own time. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address, TupleReader } from "@ton/core";
import { Problem } from "../core/errors.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { patienceLeft, submit, untilEnded, type WaitedFor } from "./follow_withdrawal.ts";
import { RelayerClient, type WithdrawArgs } from "./relayer_client.ts";

const address = Address.parse(`0:${"11".repeat(32)}`);
/** A pool of which the chain says this, whatever it is asked. */
function poolThatSays(isSpent: () => boolean): Pool {
  const get: Chain["get"] = () =>
    Promise.resolve(new TupleReader([{ type: "int", value: isSpent() ? -1n : 0n }]));
  return new Pool({ get } as Chain, address);
}
const pool = poolThatSays(() => false);
const args = { pool: address, proof: {}, publicSignals: [], recipient: address, fee: 1n, refund: 0n };

/** A relayer that answers a submission so, and tells for ever that the withdrawal is accepted. */
async function neverEnding(
  submission: () => Response,
  act: (relayer: RelayerClient, asked: () => number) => Promise<void>,
): Promise<void> {
  let asked = 0;
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      if (new URL(request.url).pathname === "/withdraw") return submission();
      asked++;
      return Response.json({ state: "accepted" });
    },
  );
  try {
    await act(new RelayerClient(`http://127.0.0.1:${server.addr.port}`, { attempts: 1 }), () => asked);
  } finally {
    ended.abort();
    await server.finished;
  }
}

/** Time that passes only where the client waits, and `perAnswer` while it is answered. */
function clock(perAnswer = 0) {
  let ms = 0;
  let slept = 0;
  return {
    now: () => (ms += perAnswer),
    wait: (by: number) => (slept += by, Promise.resolve()),
    slept: () => slept,
  };
}

const inUse = () => Response.json({ code: "nullifier_already_used" }, { status: 409 });
const taken = () => Response.json({}, { status: 202 });
const told = (says: RegExp) => (error: unknown) => {
  ok(error instanceof Problem);
  equal(error.code, "relayer_unavailable");
  match(error.message, says);
  return true;
};

for (const patienceMs of [undefined, 600_000]) {
  Deno.test(`in use for ever: given up after three minutes, with a patience of ${patienceMs}`, () =>
    neverEnding(inUse, async (relayer) => {
      const { now, wait, slept } = clock();
      const seen: WaitedFor[] = [];
      const onStatus = (_: unknown, waited: WaitedFor) => void seen.push(waited);
      const options = { pollMs: 10_000, patienceMs, now, wait, onStatus };
      await rejects(
        submit(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
        told(/says that the note is in use, and has finished no withdrawal of it in 180 s/),
      );
      equal(slept(), 180_000);
      ok(seen.every((each) => each.inUse && each.relayer === relayer && each.patienceMs === 180_000));
      equal(seen.at(-1)!.ms, 180_000);
    }));
}

Deno.test("accepted for ever: given up after ten minutes, or sooner where it is said", () =>
  neverEnding(taken, async (relayer) => {
    for (const [patienceMs, most] of [[undefined, 600_000], [60_000, 60_000]] as const) {
      const { now, wait, slept } = clock();
      const options = { pollMs: 10_000, patienceMs, now, wait };
      await rejects(
        submit(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
        told(new RegExp(`it has not finished in ${most / 1000} s`)),
      );
      equal(slept(), most);
    }
  }));

Deno.test("a relayer that takes its time over every answer has no more of it", () =>
  neverEnding(taken, async (relayer, asked) => {
    const { now, wait } = clock(50_000);
    const options = { pollMs: 10_000, patienceMs: 180_000, now, wait };
    await rejects(untilEnded(relayer, address, 5n, options), told(/not finished in 180 s/));
    equal(asked(), 4);
  }));

Deno.test("in use, and its time is over: it is asked where that one stands, and not waited for", () =>
  neverEnding(inUse, async (relayer, asked) => {
    const { now, wait, slept } = clock();
    const options = { pollMs: 10_000, inUsePatienceMs: 0, now, wait };
    await rejects(
      submit(relayer, pool, args as unknown as WithdrawArgs, 5n, options),
      told(/says that the note is in use, and has finished no withdrawal of it in the time that it had/),
    );
    deepEqual([asked(), slept()], [1, 0]);
  }));

for (const [what, submission] of [["in use", inUse], ["accepted", taken]] as const) {
  Deno.test(`${what} for ever, and paid: the chain's word ends the wait`, () =>
    neverEnding(submission, async (relayer) => {
      const { now, wait, slept } = clock();
      const paid = poolThatSays(() => slept() >= 30_000);
      const options = { pollMs: 10_000, now, wait };
      const { state } = await submit(relayer, paid, args as unknown as WithdrawArgs, 5n, options);
      equal(state, "confirmed");
      ok(slept() <= 90_000, `${slept()} ms`);
    }));
}

Deno.test("an endpoint that fails while a relayer is followed ends nothing", () =>
  neverEnding(taken, async (relayer) => {
    const { now, wait } = clock();
    const isSpent = () => Promise.reject(new Problem("chain_unavailable"));
    const options = { pollMs: 10_000, patienceMs: 180_000, now, wait, isSpent };
    await rejects(untilEnded(relayer, address, 5n, options), told(/not finished in 180 s/));
  }));

Deno.test("the time that is left shrinks with a submission's age, and no clock makes it longer", () => {
  deepEqual([-5_000, 0, 60_000, 180_000, 1e9].map(patienceLeft), [180_000, 180_000, 120_000, 0, 0]);
});
