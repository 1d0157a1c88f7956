import { deepEqual } from "node:assert/strict";
import { Hono } from "hono";
import { Problem } from "../../core/errors/problem.ts";
import type { LogThrottle } from "../../telemetry/log_throttle.ts";
import { bodyGuards, MAX_BODY_BYTES } from "./body_guards.ts";

const warnings: string[] = [];
const log = { warning: (template: string) => void warnings.push(template) } as unknown as LogThrottle;

const app = new Hono();
app.onError((error, c) => c.text(error instanceof Problem ? error.code : `other: ${error}`, 500));
app.post("/", ...bodyGuards(log, 1_000), (c) => c.text("accepted"));

const json = (bytes: number) => `"${"a".repeat(bytes - 2)}"`;

async function post(body: BodyInit, headers: Record<string, string>): Promise<string> {
  const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
  return await (await app.request("/", init)).text();
}

const streamed = (text: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      const bytes = new TextEncoder().encode(text);
      controller.enqueue(bytes.subarray(0, 5));
      controller.enqueue(bytes.subarray(5));
      controller.close();
    },
  });

Deno.test("a body of the maximum size is accepted, and a byte more is refused, with and without a length", async () => {
  const answers: string[] = [];
  for (const size of [MAX_BODY_BYTES, MAX_BODY_BYTES + 1]) {
    answers.push(await post(json(size), { "content-length": String(size) }));
    answers.push(await post(streamed(json(size)), {}));
    answers.push(await post(streamed(json(size)), { "content-length": "9", "transfer-encoding": "chunked" }));
  }
  const [accepted, refused] = ["accepted", "body_too_large"];
  deepEqual(answers, [accepted, accepted, accepted, refused, refused, refused]);
});

Deno.test("only JSON is accepted, with any media type parameters", async () => {
  const types = {
    "application/json": "accepted",
    "Application/JSON; charset=utf-8": "accepted",
    "application/json; charset=utf-8; profile=a": "accepted",
    "application/json;": "unsupported_media_type",
    "application/jsonp": "unsupported_media_type",
    "text/json": "unsupported_media_type",
    "": "unsupported_media_type",
  };
  for (const [type, answer] of Object.entries(types)) {
    deepEqual([type, await post("{}", { "content-type": type })], [type, answer]);
  }
});

Deno.test("bodies that are not JSON are refused, and so are those with a note's secrets, with a warning", async () => {
  deepEqual(await post("{", {}), "invalid_request");
  deepEqual(warnings, []);
  deepEqual(await post(JSON.stringify({ a: [{ nullifier: "1", secret: "2" }] }), {}), "secret_in_body");
  deepEqual(warnings, ["rejected a body for {path} that contains note secrets"]);
});
