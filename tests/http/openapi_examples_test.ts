/** The API's documentation: valid examples, tags, and the server's own errors. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { listen } from "../../src/http/listener.ts";
import { responseExamples } from "../../src/http/routes/examples.ts";
import { alterPayload, payload, post, withApi, withApiAndApp } from "./api_harness.ts";

// deno-lint-ignore no-explicit-any
type Any = any;

async function documented(): Promise<Any> {
  let api: Any;
  await withApi(async (ask) => void (api = (await ask("/openapi.json")).body));
  return api;
}
const api = await documented();
const operations = Object.entries<Any>(api.paths).flatMap(([path, methods]) =>
  Object.entries<Any>(methods).map(([method, operation]) => ({ path, method, operation }))
);

Deno.test("every route has one of the documented tags", () => {
  const names = api.tags.map(({ name }: { name: string }) => name);
  deepEqual(new Set(operations.map(({ operation }) => operation.tags.join())), new Set(names));
});

Deno.test("every request body and every success has an example that its schema allows", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", ...api });
  const pointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
  let examples = 0;
  for (const { path, method, operation } of operations) {
    const at = `api#/paths/${pointer(path)}/${method}`;
    const bodies: [string, Any][] = Object.entries<Any>(operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, { content }]) => [`${at}/responses/${status}`, content]);
    if (operation.requestBody) bodies.push([`${at}/requestBody`, operation.requestBody.content]);
    for (const [place, content] of bodies) {
      const { example }: Any = content["application/json"];
      const validate = ajv.compile({ $ref: `${place}/content/${pointer("application/json")}/schema` });
      const allows = (value: unknown): boolean => validate(value);
      ok(example !== undefined && allows(example), `${place}: ${ajv.errorsText(validate.errors)}`);
      ok(!allows({ ...example, [Object.keys(example)[0]]: {} }), `${place} has a schema that refuses`);
      examples++;
    }
  }
  equal(examples, operations.length + 1 + 3); // POST /withdraw has two successes, and three routes have a body
});

Deno.test("the examples of pages have as many entries as they count", () => {
  const { spent, commitments } = responseExamples;
  equal(spent.count, spent.nullifierHashes.length);
  equal(commitments.count, commitments.commitments.length);
});

Deno.test("the routes parse the unchanged examples of their requests", () =>
  withApi(async (ask) => {
    for (const { path, operation } of operations) {
      if (!operation.requestBody) continue;
      const { example } = operation.requestBody.content["application/json"];
      const behind = { "/withdraw": "relayer_mismatch", "/withdraw/status": "withdrawal_not_found" };
      const { body } = await ask(path, post({ ...example, pool: payload.pool }));
      equal(body.code, behind[path as keyof typeof behind] ?? "not_ready", JSON.stringify(body));
    }
  }));

Deno.test("the documentation of a proof's coordinates includes integers, which are accepted", () =>
  withApi(async (ask) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "api", ...api });
    const validate = ajv.compile({ $ref: "api#/components/schemas/Proof" });
    for (
      const [value, accepted] of [
        ["12", true],
        ["0x1f", true],
        [12, true],
        [Number.MAX_SAFE_INTEGER, true],
        [2 ** 53, false],
        [-1, false],
        [1.5, false],
        ["012", false],
        [null, false],
      ] as const
    ) {
      const body = alterPayload("/proof/pi_a/0", value) as typeof payload;
      equal(validate(body.proof), accepted, `schema of ${value}`);
      equal(
        (await ask("/withdraw", post(body))).body.code !== "invalid_request",
        accepted,
        `route of ${value}`,
      );
    }
  }));

/** Sends bytes to a server, and returns the status and body of its answer. */
async function raw(url: string, text: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  let answer = "";
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  for (let read; (read = await connection.read(buffer).catch(() => null)) !== null;) {
    answer += decoder.decode(buffer.subarray(0, read));
  }
  const [head, body] = answer.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body };
}

Deno.test("the server's own errors are documented for every route", () =>
  withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const malformed = await raw(listener.url, "GET /status HTTP/1.1\r\nno colon\r\n\r\n");
    deepEqual(malformed, { status: 400, body: "" });
    const tooMany = Array.from({ length: 200 }, (_, i) => `x-${i}: 1\r\n`).join("");
    for (
      const [head, statuses] of [
        [`GET /status HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(600_000)}\r\n\r\n`, [400, 431]],
        [`GET /status HTTP/1.1\r\nhost: x\r\n${tooMany}\r\n`, [400, 431]],
        [`GET /status?${"a".repeat(70_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, [400, 414]],
      ] as const
    ) {
      const { status, body } = await raw(listener.url, head);
      ok(statuses.some((each) => each === status), String(status));
      equal(body, "");
    }
    await listener.close();
    for (const { method, operation: { responses } } of operations) {
      match(responses[400].description, /Without a body: the request is not HTTP/);
      for (const status of [414, 431]) {
        match(responses[status].description, /too large/);
        equal(responses[status].content, undefined);
      }
      if (method === "post") match(responses[408].description, /request_timeout/);
    }
  }));
