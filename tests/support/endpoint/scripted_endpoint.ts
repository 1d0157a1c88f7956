/** A chain behind an endpoint whose responses the test defines. */
import assert from "node:assert/strict";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import type { Clock } from "../../../src/core/time/clock.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";

/** Returns a clock that advances only during waits. */
export function testClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

type Responder = (
  method: string,
  params: Record<string, unknown>,
  tries: number,
) => Response | Promise<Response>;

/** Returns the chain, the requests it made, and its clock. */
export function scriptedChain(respond: Responder, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const clock = testClock();
  const requests: { method: string; params: Record<string, unknown>; headers: Headers }[] = [];
  const chain = connect({
    endpoint: "https://endpoint.test",
    apiKey: "key",
    requestsPerSecond: Infinity,
    random: () => 0,
    clock,
    fetch: async (_url, init) => {
      const { method, params } = JSON.parse(String(init!.body));
      requests.push({ method, params, headers: new Headers(init!.headers) });
      return await respond(method, params, requests.length);
    },
    ...options,
  });
  return { chain, requests, clock };
}

/** A successful response. */
export const rpcResult = (result: unknown) => Response.json({ ok: true, result });
/** An error response. */
export const rpcError = (code: number, error = "broken") =>
  Response.json({ ok: false, error, code }, { status: code });

/** Returns a validator for `assert.rejects`: a problem with this code and a message that matches. */
export function matchesProblem(code: ProblemCode, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  };
}

/** Never answers. */
export const silentFetch: typeof fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason));
  });
