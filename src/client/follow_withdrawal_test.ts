/** Relayers that never come to an end: each has its time, and no more. Real servers, the client's own time. */
import { equal, match, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { Pool } from "../ton/pool.ts";
import { connect } from "../ton/toncenter.ts";
import { submit, untilEnded, type WaitedFor } from "./follow_withdrawal.ts";
import { RelayerClient, type WithdrawArgs } from "./relayer_client.ts";

const address = Address.parse(`0:${"11".repeat(32)}`);
const pool = new Pool(connect({ endpoint: "http://127.0.0.1:9" }), address);
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
      equal(slept(), 190_000, "it is asked at the very end, too");
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
      equal(slept(), most + 10_000);
    }
  }));

Deno.test("a relayer that takes its time over every answer has no more of it", () =>
  neverEnding(taken, async (relayer, asked) => {
    const { now, wait } = clock(50_000);
    const options = { pollMs: 10_000, patienceMs: 180_000, now, wait };
    await rejects(untilEnded(relayer, address, 5n, options), told(/not finished in 180 s/));
    equal(asked(), 4);
  }));
