/** What holds a place without using it: slow bodies, and more requests at once than there are places. */
import { equal, match, ok } from "node:assert/strict";
import { isProblem, payload, post, withApp, withAppItself } from "./api_harness.ts";
import { until } from "../support/until.ts";
import { listen } from "../../src/http/listen.ts";

/** A body of which only the beginning arrives, until `end`. */
function slowBody(): { body: ReadableStream<Uint8Array>; end: () => void } {
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"pool":'));
      end = () => controller.close();
    },
  });
  return { body, end: () => end() };
}
const slow = (body: ReadableStream, more: HeadersInit = {}) =>
  ({
    ...post(""),
    headers: { "content-type": "application/json", ...more },
    body,
    duplex: "half",
  }) as RequestInit;

for (
  const [what, headers] of [["of unknown length", {}], ["of a told length", {
    "content-length": "100",
  }]] as const
) {
  Deno.test(`http: a body ${what} that does not arrive is given up with 408`, () =>
    withApp(async (ask) => {
      const { body, end } = slowBody();
      isProblem(await ask("/withdraw", slow(body, headers)), "request_timeout");
      end();
    }, { bodyPatienceMs: 50 }));
}

Deno.test("http: a client that sends half a body over a socket gets its answer, and the next client is served", () =>
  withAppItself(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const { hostname, port } = new URL(listener.url);
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const head =
      "POST /withdraw HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head));
    const bytes = new Uint8Array(1_024);
    const answer = new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
    match(answer, /^HTTP\/1\.1 408 /);
    equal((await (await fetch(`${listener.url}/status`)).json()).network, "localnet");
    await listener.close();
  }, { bodyPatienceMs: 50 }));

Deno.test("http: one request too many at once is 503 with Retry-After, health is told all the same, and places come back", () =>
  withApp(async (ask) => {
    const { body, end } = slowBody();
    const holding = ask("/withdraw", slow(body));
    const refused = await ask("/status");
    isProblem(refused, "overloaded");
    match(refused.response.headers.get("retry-after")!, /^[1-9]/);
    equal((await ask("/livez")).status, 200);
    equal((await ask("/readyz")).status, 503);
    end();
    isProblem(await holding, "invalid_request");
    equal((await ask("/status")).status, 200);
    isProblem(await ask("/withdraw", post(payload)), "not_ready");
  }, { mostUnderWay: 1 }));

/** Asks for the largest file of /docs, uncompressed, so often (90 MB) that no socket's buffers hold the answers; reads nothing. */
async function unreadDocs(base: string): Promise<Deno.Conn> {
  const { hostname, port } = new URL(base);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const request = "GET /docs/swagger-ui.js HTTP/1.1\r\nhost: x\r\n\r\n";
  await connection.write(new TextEncoder().encode(request.repeat(64)));
  return connection;
}
const head = (url: string) =>
  fetch(`${url}/docs/swagger-ui.js`, { method: "HEAD" }).then(({ status }) => status);

Deno.test("http: those who ask for the largest file and read nothing are counted, and take no places but each other's", () =>
  withAppItself(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const connections = await Promise.all(Array.from({ length: 12 }, () => unreadDocs(listener.url)));
    await until("no place for one more large answer", async () => await head(listener.url) === 503);
    equal((await (await fetch(`${listener.url}/status`)).json()).network, "localnet");
    for (const connection of connections) connection.close();
    await until("all are gone", async () => await head(listener.url) === 200);
    await listener.close();
  }, { mostLargeAnswers: 8, mostUnderWay: 16 }));

Deno.test("http: the place of a large answer is held until it is read, given up or broken off", () =>
  withAppItself(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    try {
      const brokenOff = await unreadDocs(listener.url);
      await until("it is held", async () => await head(listener.url) === 503);
      brokenOff.close();
      await until("broken off", async () => await head(listener.url) === 200);
      const whole = await (await fetch(`${listener.url}/docs/swagger-ui.js`)).text();
      ok(whole.length > 1e6);
      await until("read", async () => await head(listener.url) === 200);
    } finally {
      await listener.close();
    }
  }, { mostLargeAnswers: 1 }));

Deno.test("http: a large answer of which nothing is read for long is given up, and its place comes back", () =>
  withAppItself(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    using _unread = await unreadDocs(listener.url);
    await until("it is held", async () => await head(listener.url) === 503);
    await until("given up", async () => await head(listener.url) === 200);
    await listener.close();
  }, { mostLargeAnswers: 1, readPatienceMs: 300 }));
