import { equal } from "node:assert/strict";
import { Hono } from "hono";
import { Problem } from "../../core/errors/problem.ts";
import type { HttpEnv } from "../dependencies.ts";
import { limitLargeResponses, streamBytes } from "./response_backpressure.ts";

const READ_TIMEOUT_MS = 300;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns a request to an app with one slot for large responses. Without `sent`, it has no connection. */
function openApp() {
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => c.text(error instanceof Problem ? error.code : String(error), 503));
  app.use(limitLargeResponses(1, READ_TIMEOUT_MS));
  app.get("/large", () => new Response(streamBytes(new Uint8Array(3 * 128 * 1024))));
  app.get("/empty", (c) => c.body(null, 204));
  return async (path: string, sent?: Promise<void>) => await app.request(path, {}, sent && { sent });
}

Deno.test("a response without a body, or to no connection, leaves its slot to the next one", async () => {
  const request = openApp();
  const sent = Promise.withResolvers<void>();
  for (let i = 0; i < 3; i++) {
    equal((await request("/empty", sent.promise)).status, 204);
    equal((await (await request("/large")).arrayBuffer()).byteLength, 3 * 128 * 1024);
  }
  const large = await request("/large", sent.promise);
  equal(await (await request("/large")).text(), "overloaded");
  await large.body!.cancel();
  equal((await request("/large")).status, 200);
});

Deno.test("a client that reads each chunk in time gets the whole response, however long all chunks take", async () => {
  const request = openApp();
  const sent = Promise.withResolvers<void>();
  const reader = (await request("/large", sent.promise)).body!.getReader();
  let bytes = 0;
  for (;;) {
    await sleep(READ_TIMEOUT_MS / 2);
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
  }
  equal(bytes, 3 * 128 * 1024);
  sent.resolve();
});

Deno.test({
  name: "a client that leaves in the middle of a response leaves no timer behind",
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    const request = openApp();
    const sent = Promise.withResolvers<void>();
    const reader = (await request("/large", sent.promise)).body!.getReader();
    await reader.read();
    await reader.cancel();
  },
});
