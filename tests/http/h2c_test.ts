/**
 * HTTP/2 without TLS: the runtime serves it to clients that begin with it, and it cannot be disabled. The
 * limits of the API apply to it as well.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import http2 from "node:http2";
import type { AppOptions } from "../../src/http/app.ts";
import { listen } from "../../src/http/listener.ts";
import { createMemoryRateLimitStore } from "../../src/store/memory/memory_rate_limit_store.ts";
import { payload, withApiAndApp } from "./api_harness.ts";

interface Answer {
  /** Undefined if the stream was reset. */
  readonly status?: number;
  // deno-lint-ignore no-explicit-any
  readonly body?: any;
}

type Ask = (headers: http2.OutgoingHttpHeaders, body?: string, end?: boolean) => Promise<Answer>;

/** Opens one HTTP/2 connection to the API. */
async function overHttp2(act: (ask: Ask) => Promise<void>, options: AppOptions = {}): Promise<void> {
  await withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const session = http2.connect(listener.url);
    const closed = new Promise<void>((resolve) => session.on("close", () => resolve()));
    session.on("error", () => {});
    try {
      await act((headers, body, end = true) => ask(session, headers, body, end));
    } finally {
      session.destroy();
      await closed;
      await listener.close();
    }
  }, options);
}

function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body: string | undefined,
  end: boolean,
): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let [status, text]: [number | undefined, string] = [undefined, ""];
    stream.on("response", (answer) => status = Number(answer[":status"]));
    stream.setEncoding("utf8");
    stream.on("data", (part: string) => text += part);
    stream.on("end", () => resolve(status === undefined ? {} : { status, body: JSON.parse(text || "null") }));
    stream.on("error", () => resolve(status === undefined ? {} : { status }));
    if (body !== undefined) stream.write(body);
    if (body !== undefined && end) stream.end();
  });
}

const post = { ":method": "POST", ":path": "/note/check", "content-type": "application/json" };
const ignore = Deno.version.deno.startsWith("2.4."); // its HTTP/2 client fails, not its server
const sanitize = { sanitizeOps: false, sanitizeResources: false }; // the client's socket closes a little later

Deno.test({
  name: "h2c: routes answer, and a body that is too large is not read, for any declared length",
  ignore,
  ...sanitize,
  fn: () =>
    overHttp2(async (ask) => {
      equal((await ask({ ":path": "/livez" })).status, 200);
      const large = JSON.stringify({ pad: "x".repeat(40_000) });
      const codeOf = ({ body }: Answer) => body?.code;
      equal(codeOf(await ask(post, large)), "body_too_large");
      equal(codeOf(await ask({ ...post, "content-length": String(large.length) }, large)), "body_too_large");
      deepEqual(
        await ask({ ...post, "content-length": "5" }, large),
        {},
        "a false length resets the stream",
      );
      equal(codeOf(await ask(post, "{}")), "invalid_request");
      equal((await ask({ ":path": "/livez" })).status, 200, "the connection goes on");
    }),
});

Deno.test({
  name: "h2c: a body that does not arrive times out",
  ignore,
  ...sanitize,
  fn: () =>
    overHttp2(async (ask) => {
      equal((await ask(post, "{", false)).body.code, "request_timeout");
    }, { bodyTimeoutMs: 200 }),
});

Deno.test({
  name: "h2c: streams of one connection count as requests under way, and by one address",
  ignore,
  ...sanitize,
  fn: async () => {
    await overHttp2(async (ask) => {
      const held = Array.from({ length: 3 }, () => ask(post, "{", false));
      await new Promise((resolve) => setTimeout(resolve, 200));
      equal((await ask({ ":path": "/pools" })).body.code, "overloaded");
      equal((await ask({ ":path": "/livez" })).status, 200);
      for (const { body } of await Promise.all(held)) equal(body.code, "request_timeout");
      equal((await ask({ ":path": "/pools" })).status, 200);
    }, { maxConcurrentRequests: 3, bodyTimeoutMs: 1_000 });
    const own = createMemoryRateLimitStore(Date.now);
    const limits = {
      noteChecksPerMinute: 2,
      withdrawalsPerMinute: 2,
      trustedProxies: 0,
      store: own,
      fallbackStore: own,
      clientKey: (network: string) => network,
    };
    await overHttp2(async (ask) => {
      const codes = [];
      for (let i = 0; i < 3; i++) {
        codes.push((await ask({ ...post, ":path": "/withdraw" }, JSON.stringify(payload))).body.code);
      }
      deepEqual(codes.slice(0, 2).includes("rate_limited"), false);
      equal(codes[2], "rate_limited");
    }, { rateLimits: limits });
    await own.close();
  },
});

Deno.test({
  name: "h2c: headers above 16 KiB are refused, and no route sees them",
  ignore,
  ...sanitize,
  fn: () =>
    overHttp2(async (ask) => {
      const { status } = await ask({ ":path": "/livez", "x-a": "a".repeat(15_000) });
      equal(status, 200);
      const large = await Promise.race([
        ask({ ":path": "/livez", "x-a": "a".repeat(40_000) }),
        new Promise<Answer>((resolve) => setTimeout(() => resolve({ status: 0 }), 3_000)),
      ]);
      ok(large.status !== 200, JSON.stringify(large));
    }),
});
