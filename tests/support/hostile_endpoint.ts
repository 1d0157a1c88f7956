/** A chain behind an endpoint that answers as a test likes. */
import assert from "node:assert/strict";
import { Problem, type ProblemCode } from "../../src/core/errors.ts";
import type { Timer } from "../../src/ton/scheduler.ts";
import { connect } from "../../src/ton/toncenter.ts";

/** Time that stands still but for who waits. */
function testTimer(): Timer & { waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    wait(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
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

/** A chain behind an endpoint that answers as it likes. */
export function hostile(respond: Responder, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const timer = testTimer();
  const asked: { method: string; params: Record<string, unknown>; headers: Headers }[] = [];
  const chain = connect({
    endpoint: "https://endpoint.test",
    apiKey: "key",
    requestsPerSecond: Infinity,
    random: () => 0,
    timer,
    fetch: async (_url, init) => {
      const { method, params } = JSON.parse(String(init!.body));
      asked.push({ method, params, headers: new Headers(init!.headers) });
      return await respond(method, params, asked.length);
    },
    ...options,
  });
  return { chain, asked, timer };
}

/** An answer with a result. */
export const ok = (result: unknown) => Response.json({ ok: true, result });
/** An answer that tells an error. */
export const failed = (code: number, error = "broken") =>
  Response.json({ ok: false, error, code }, { status: code });

/** For `assert.rejects`: a problem of this code, with a message that matches. */
export function problem(code: ProblemCode, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  };
}
