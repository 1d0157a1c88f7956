import assert from "node:assert/strict";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { listen } from "./listener.ts";

const local = { host: "127.0.0.1", port: 0 };

async function within5Seconds(closed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => timer = setTimeout(resolve, 5_000, "late"));
  assert.equal(await Promise.race([closed, late]), undefined);
  clearTimeout(timer);
}

Deno.test("closing does not wait for an idle connection that a client keeps open", async () => {
  const listener = listen(() => new Response("ok"), local);
  const { hostname, port } = new URL(listener.url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  await connection.read(new Uint8Array(1024));
  await listener.close();
  assert.equal(await connection.read(new Uint8Array(1024)), null, "the server has closed the connection");
});

Deno.test("a request in progress is answered before the server closes", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const listener = listen(() => (arrived.resolve(), answer.promise), local);
  const response = fetch(listener.url);
  await arrived.promise;
  const closed = listener.close();
  answer.resolve(new Response("late"));
  assert.equal(await (await response).text(), "late");
  await within5Seconds(closed);
});

/** A clock that records its sleeps. A sleep without a signal ends at once, the others when they are woken or aborted. */
function recordingClock() {
  const sleeps: number[] = [];
  let wake = () => {};
  const sleep = (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms);
    if (signal === undefined) return Promise.resolve();
    return new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener("abort", () => resolve());
    });
  };
  return { sleeps, wake: () => wake(), clock: { now: () => 0, sleep } };
}

for (const [claim, answersInTime] of [["35 s at most", false], ["no longer than it takes", true]] as const) {
  Deno.test(`a closing server waits for a request in progress, ${claim}, and then until its response is sent`, async () => {
    const { clock, sleeps, wake } = recordingClock();
    const arrived = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    const listener = listen(() => (arrived.resolve(), answer.promise), { ...local, clock });
    const response = fetch(listener.url).then(({ status }) => status, () => "cut off");
    await arrived.promise;
    const closed = listener.close();
    assert.deepEqual(sleeps, [35_000]);
    if (answersInTime) answer.resolve(new Response("late"));
    else wake();
    await within5Seconds(closed);
    assert.deepEqual(sleeps, [35_000, 50]);
    if (!answersInTime) assert.equal(await response, "cut off");
    answer.resolve(new Response("late"));
    await response;
  });
}

Deno.test("the server closes with its last request, not with the first of several", async () => {
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  let requests = 0;
  const listener = listen(() => (arrived[requests].resolve(), answers[requests++].promise), local);
  const first = fetch(listener.url);
  await arrived[0].promise;
  const second = fetch(listener.url);
  await arrived[1].promise;
  const closed = listener.close();
  for (const [i, response] of [first, second].entries()) {
    answers[i].resolve(new Response(String(i)));
    assert.equal(await (await response).text(), String(i));
  }
  await within5Seconds(closed);
});

Deno.test("a request to a server that is shutting down gets not_ready with Retry-After", async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const listener = listen(() => (arrived.resolve(), answer.promise), local);
  const response = fetch(listener.url);
  await arrived.promise;
  const closed = listener.close();
  const refused = await fetch(listener.url);
  const { code, status } = await refused.json();
  assert.deepEqual([refused.status, status, code], [503, 503, "not_ready"]);
  assert.equal(refused.headers.get("content-type"), "application/problem+json");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);
  answer.resolve(new Response("late"));
  await (await response).body?.cancel();
  await closed;
});

/** Runs `use` while the server that is opened next can be made to fail, as when the system has no file descriptors. */
async function withFailingServer(use: (fail: () => void, opened: () => number) => Promise<void>) {
  const { serve } = Deno;
  const failure = Promise.withResolvers<never>();
  let opened = 0;
  Deno.serve = ((...args: Parameters<typeof serve>) => {
    opened++;
    const server = serve(...args);
    return { addr: server.addr, finished: Promise.race([server.finished, failure.promise]) };
  }) as typeof serve;
  try {
    await use(() => failure.reject(new Error("no file descriptors")), () => opened);
  } finally {
    Deno.serve = serve;
  }
}

Deno.test("a listener that is closed while it waits to be reopened stays closed", () =>
  withFailingServer(async (fail, opened) => {
    const { clock, sleeps } = recordingClock();
    const failures: string[] = [];
    const failed = (error: unknown) => failures.push(String(error));
    const listener = listen(() => new Response("ok"), { ...local, clock, failed });
    fail();
    await waitUntil("it waits to reopen", () => sleeps.includes(100));
    await within5Seconds(listener.close());
    assert.deepEqual([opened(), failures], [1, ["Error: no file descriptors"]]);
  }));

Deno.test("a listener that is closed has not failed", async () => {
  const failures: unknown[] = [];
  const listener = listen(() => new Response("ok"), { ...local, failed: (error) => failures.push(error) });
  await within5Seconds(listener.close());
  assert.deepEqual(failures, []);
});
