/**
 * Requests generated from the API's own OpenAPI document, sent to a relayer over HTTP. Every answer must have
 * a status, content type, shape and problem code that the document lists, and must not be an internal error.
 * The relayer's pools are not ready here; `tests/models/api_fuzz_test.ts` tests a relayer that serves.
 */
import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { listen } from "../../src/http/listener.ts";
import { propertyParameters } from "../../testkit/random/property_runs.ts";
import { arbitraryRequests, createResponseValidator, exampleBody } from "../../testkit/relayer/openapi.ts";
import { payload, pool, unknownPool, withApiAndApp } from "../http/api_harness.ts";
import { requestApp } from "../support/relayer/request_app.ts";

Deno.test("requests that the OpenAPI document allows or almost allows get documented answers", () =>
  withApiAndApp(async (app) => {
    const listener = listen((request, from) => app.fetch(request, from), { host: "127.0.0.1", port: 0 });
    const api = await (await fetch(`${listener.url}/openapi.json`)).json();
    const wrong = createResponseValidator(api);
    const addresses = [pool.toString(), pool.toRawString(), unknownPool.toString()];
    const requests = arbitraryRequests(api, {
      pool: addresses,
      recipient: [payload.recipient],
      publicSignals: payload.publicSignals,
      fee: [payload.fee],
      refund: ["0"],
    });
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const { path, method, query, body } = request;
        const response = await fetch(`${listener.url}${path}${query}`, {
          method,
          ...body === undefined ? {} : { body, headers: { "content-type": "application/json" } },
        });
        const answer = { status: response.status, headers: response.headers, body: await response.json() };
        seen.set(`${path} ${answer.status}`, (seen.get(`${path} ${answer.status}`) ?? 0) + 1);
        equal(wrong(request, answer), undefined, JSON.stringify(answer.body));
      }),
      propertyParameters(600),
    );
    await listener.close();
    for (const path of Object.keys(api.paths)) {
      ok([...seen.keys()].some((key) => key.startsWith(`${path} `)), `${path} was asked`);
    }
    for (
      const key of ["/status 200", "/withdraw 400", "/withdraw 503", "/tree/root 503", "/note/check 404"]
    ) {
      ok(seen.has(key), `${key} is among ${[...seen.keys()].sort()}`);
    }
  }));

Deno.test("each example of the OpenAPI document is well-formed, because tools send them unchanged", () =>
  withApiAndApp(async (app) => {
    const api = await (await requestApp(app, "/openapi.json")).json();
    for (const [path, { post }] of Object.entries<Record<string, { requestBody: unknown }>>(api.paths)) {
      if (post === undefined) continue;
      const body = JSON.stringify(exampleBody(api, path));
      const headers = { "content-type": "application/json" };
      const answer = await (await requestApp(app, path, { method: "POST", headers, body })).json();
      ok(answer.code !== "invalid_request", `${path}: ${JSON.stringify(answer.errors)}`);
    }
  }));

Deno.test("the check of responses finds undocumented ones", () =>
  withApiAndApp(async (app) => {
    const api = await (await requestApp(app, "/openapi.json")).json();
    const wrong = createResponseValidator(api);
    const request = { path: "/status", method: "GET" };
    const headers = new Headers({ "content-type": "application/json" });
    const good = await (await requestApp(app, "/status")).json();
    equal(wrong(request, { status: 200, headers, body: good }), undefined);
    for (
      const answer of [
        { status: 418, headers, body: good },
        { status: 200, headers: new Headers({ "content-type": "text/html" }), body: good },
        { status: 200, headers, body: { ...good, feeBps: "50" } },
        { status: 200, headers, body: {} },
      ]
    ) equal(typeof wrong(request, answer), "string", JSON.stringify(answer));
  }));
