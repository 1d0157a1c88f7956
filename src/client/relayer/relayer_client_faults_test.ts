import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { Problem, problems } from "../../core/errors/problem.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { RelayerClient, type RelayerClientOptions } from "./relayer_client.ts";

const pool = Address.parse(`0:${"11".repeat(32)}`);
const status = { network: "testnet", feeBps: 50, feeMinNanoNative: "1", relayerAddress: pool.toString() };
const args = { pool, proof: {} as Groth16Proof, publicSignals: [], recipient: pool, fee: 1n, refund: 0n };
const job = { pool: pool.toString(), nullifierHash: "0x1", state: "broadcast", seqno: 3, fee: "1" };

type Answer = () => Response | Promise<Response>;
const says = (body: unknown, init: ResponseInit = {}): Answer => () => Response.json(body, init);
const refuses = (code: keyof typeof problems, headers: HeadersInit = {}, members = {}): Answer => {
  const { status, title } = problems[code];
  return says({ code, title, detail: title, status, ...members }, { status, headers });
};
const breaksOff: Answer = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"seqno":'));
      },
      pull(controller) {
        controller.error(new Error("broken off"));
      },
    }),
  );

const drips: Answer = () => {
  let timer: ReturnType<typeof setInterval>;
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 20);
      },
      cancel: () => clearInterval(timer),
    }),
  );
};

async function facing(
  answers: Answer[],
  act: (client: RelayerClient, seen: { requests: number; waited: number[] }) => Promise<void>,
  options: RelayerClientOptions = {},
): Promise<void> {
  const seen = { requests: 0, waited: [] as number[] };
  const ended = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: ended.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, async (request) => {
    await request.body?.cancel();
    return await answers[Math.min(++seen.requests, answers.length) - 1]();
  });
  // Waits between attempts end at once; longer ones are deadlines, which do not pass.
  const sleep: Clock["sleep"] = (ms, signal) =>
    ms > 30_000 ? systemClock.sleep(ms, signal) : (seen.waited.push(ms), Promise.resolve());
  const client = new RelayerClient(`http://127.0.0.1:${server.addr.port}`, {
    clock: { now: Date.now, sleep },
    random: () => 0,
    ...options,
  });
  try {
    await act(client, seen);
  } finally {
    ended.abort();
    await server.finished;
  }
}
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;

const passing: [what: string, first: Answer, waits: number][] = [
  ["not ready, with Retry-After in seconds", refuses("not_ready", { "retry-after": "7" }), 7_000],
  ["asked too often", refuses("rate_limited", { "retry-after": "2" }), 2_000],
  ["busy with proofs, without Retry-After", refuses("verification_busy"), 250],
  ["a proxy's 502 in HTML", () => new Response("<html>", { status: 502 }), 250],
  [
    "a proxy's 503 with Retry-After",
    () => new Response("", { status: 503, headers: { "retry-after": "3" } }),
    3_000,
  ],
  ["a connection that breaks off", breaksOff, 250],
];
for (const [what, first, waits] of passing) {
  Deno.test(`relayer client: ${what} is retried, not sooner than allowed`, () =>
    facing([first, says(status)], async (client, seen) => {
      equal((await client.status()).feeBps, 50);
      deepEqual([seen.requests, seen.waited], [2, [waits]]);
    }));
}

const final: [what: string, answer: Answer, code: string][] = [
  ["a low wallet balance", refuses("relayer_balance_low", { "retry-after": "5" }), "relayer_balance_low"],
  ["an unprofitable fee", refuses("fee_below_cost"), "fee_below_cost"],
  [
    "a cap until the end of the hour",
    refuses("hourly_cap_reached", { "retry-after": "3000" }),
    "hourly_cap_reached",
  ],
  ["a wait that is too long", refuses("not_ready", { "retry-after": "31" }), "not_ready"],
  ["a refusal", refuses("proof_invalid"), "proof_invalid"],
  ["HTML in a 200", () => new Response("<html>"), "relayer_unavailable"],
  ["half a JSON document", () => new Response('{"network":'), "relayer_unavailable"],
  ["an internal error", () => new Response("{}", { status: 500 }), "relayer_unavailable"],
];
for (const [what, answer, expected] of final) {
  Deno.test(`relayer client: ${what} is not retried`, () =>
    facing([answer], async (client, seen) => {
      await rejects(client.status(), code(expected));
      deepEqual([seen.requests, seen.waited], [1, []]);
    }));
}

Deno.test("a relayer client gives up after three attempts, with growing waits", () =>
  facing([() => new Response(null, { status: 503 })], async (client, seen) => {
    await rejects(client.status(), code("relayer_unavailable"));
    deepEqual([seen.requests, seen.waited], [3, [250, 500]]);
  }));

Deno.test("a withdrawal whose answer was lost is waiting if the next attempt reports the note as in use", () =>
  facing([breaksOff, refuses("nullifier_already_used", {}, { withdrawal: job })], async (client) => {
    deepEqual(await client.withdraw(args), { state: "waiting" });
  }));

Deno.test("a withdrawal answered with not_ready is waiting if the next attempt reports the note as in use", () =>
  facing(
    [refuses("not_ready"), refuses("nullifier_already_used", {}, { withdrawal: job })],
    async (client) => {
      deepEqual(await client.withdraw(args), { state: "waiting" });
    },
  ));

Deno.test("a note that was in use before the first attempt is refused", () =>
  facing([refuses("nullifier_already_used", {}, { withdrawal: job })], async (client) => {
    await rejects(client.withdraw(args), code("nullifier_already_used"));
  }));

Deno.test("a temporary refusal does not mean that the withdrawal was accepted", () =>
  facing([refuses("verification_busy"), refuses("nullifier_already_used")], async (client) => {
    await rejects(client.withdraw(args), code("nullifier_already_used"));
  }));

Deno.test("an endless response is aborted", () => {
  let sent = 0;
  const endless: Answer = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(65_536).fill(32));
          sent += 65_536;
        },
      }),
    );
  return facing([endless], async (client) => {
    await rejects(client.status(), code("relayer_unavailable"));
    ok(sent < 64 * 2 ** 20, String(sent));
  });
});

Deno.test("a relayer that never responds causes a timeout", () =>
  facing([() => new Promise<Response>(() => {})], async (client, seen) => {
    await rejects(client.status(), code("relayer_unavailable"));
    equal(seen.requests, 1);
  }, { attemptTimeoutMs: 100, maxAttempts: 1, clock: systemClock }));

Deno.test("a submission whose answer never ends is sent once, and its outcome is unknown", () =>
  facing([drips], async (client, seen) => {
    await rejects(client.withdraw(args), (error: Problem) => {
      equal(error.code, "relayer_unavailable");
      match(error.message, /has not responded to \/withdraw in time, and may still carry out the withdrawal/);
      return true;
    });
    equal(seen.requests, 1);
  }, { attemptTimeoutMs: 1_000, requestTimeoutMs: 200, clock: systemClock }));

Deno.test("a submission without an answer has an unknown outcome", () =>
  facing([breaksOff], async (client) => {
    await rejects(client.withdraw(args), {
      message: /does not respond to \/withdraw, and may still carry out/,
    });
    await rejects(client.status(), { message: /does not respond to \/status$/ });
  }));

Deno.test("a cancelled request ends at once, also between two attempts", async () => {
  const stop = new AbortController();
  await facing([() => (stop.abort(), new Promise<Response>(() => {}))], async (client, seen) => {
    await rejects(client.status(), code("cancelled"));
    equal(seen.requests, 1);
  }, { signal: stop.signal });
  const later = new AbortController();
  await facing(
    [() => (queueMicrotask(() => later.abort()), new Response(null, { status: 503 }))],
    async (client) => {
      await rejects(client.status(), code("cancelled"));
    },
    { signal: later.signal, clock: systemClock },
  );
});
