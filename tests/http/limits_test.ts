/** Requests that hold a slot without using it: slow bodies, and more concurrent requests than slots. */
import { equal, match, ok } from "node:assert/strict";
import { isProblem, payload, post, withApi, withApiAndApp } from "./api_harness.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { listen } from "../../src/http/listener.ts";

/** Creates a body that sends only its beginning, until `end` is called. */
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
  Deno.test(`a body ${what} that does not arrive ends with 408`, () =>
    withApi(async (ask) => {
      const { body, end } = slowBody();
      isProblem(await ask("/withdraw", slow(body, headers)), "request_timeout");
      end();
    }, { bodyTimeoutMs: 50 }));
}

Deno.test("a client that sends half a body over a socket gets its answer, and the next client is served", () =>
  withApiAndApp(async (app) => {
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
  }, { bodyTimeoutMs: 50 }));

Deno.test("a request above the concurrency limit gets 503 with Retry-After, health still answers, and finished requests free their slots", () =>
  withApi(async (ask) => {
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
  }, { maxConcurrentRequests: 1 }));

const LARGE_FILE = "/docs/swagger-ui.js";
const head = (url: string) => fetch(url + LARGE_FILE, { method: "HEAD" }).then(({ status }) => status);

/** Connections that request the largest file of /docs and read nothing. */
class Unread {
  static async open(base: string, connections: number): Promise<Unread> {
    const { hostname, port } = new URL(base);
    const open = () => Deno.connect({ hostname, port: Number(port) });
    return new Unread(base, await Promise.all(Array.from({ length: connections }, open)));
  }
  constructor(readonly base: string, readonly connections: Deno.Conn[]) {}

  /**
   * Sends requests until the sockets' buffers are full, whatever their size, and these connections hold every
   * slot. Only one request is sent at a time: a second one behind the first would be refused because of the
   * first.
   */
  async holdPlaces(): Promise<void> {
    const request = new TextEncoder().encode(`GET ${LARGE_FILE} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await waitUntil("no place for one more large answer", async () => {
      for (const connection of this.connections) await connection.write(request);
      for (let look = 0; look < 3; look++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (await head(this.base) !== 503) return false;
      }
      return true;
    });
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

Deno.test("clients that do not read a large file limit only each other", () =>
  withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const unread = await Unread.open(listener.url, 12);
    await unread.holdPlaces();
    equal((await (await fetch(`${listener.url}/status`)).json()).network, "localnet");
    unread.close();
    await waitUntil("all are gone", async () => await head(listener.url) === 200);
    await listener.close();
  }, { maxLargeResponses: 8, maxConcurrentRequests: 16 }));

Deno.test("the slot of a large response is held until it is read, timed out or aborted", () =>
  withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    try {
      const brokenOff = await Unread.open(listener.url, 1);
      await brokenOff.holdPlaces();
      brokenOff.close();
      await waitUntil("broken off", async () => await head(listener.url) === 200);
      const whole = await (await fetch(listener.url + LARGE_FILE)).text();
      ok(whole.length > 1e6);
      await waitUntil("read", async () => await head(listener.url) === 200);
    } finally {
      await listener.close();
    }
  }, { maxLargeResponses: 1 }));

Deno.test("a large response that is not read ends with a timeout, and frees its slot", () =>
  withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const unread = await Unread.open(listener.url, 1);
    await unread.holdPlaces();
    await waitUntil("given up", async () => await head(listener.url) === 200);
    unread.close();
    await listener.close();
  }, { maxLargeResponses: 1, readTimeoutMs: 2_000 }));
