/** The API's responses while no pool is ready, and the rules for every response. */
import { deepEqual, equal, match } from "node:assert/strict";
import { httpProblemCodes } from "../../src/http/responses/problem_response.ts";
import { isProblem, payload, pool, post, wallet, withApi, withApiAndApp } from "./api_harness.ts";
import { requestApp } from "../support/relayer/request_app.ts";

const address = encodeURIComponent(payload.pool);

Deno.test("/status and /pools answer as the interface says while no pool is ready", () =>
  withApi(async (ask) => {
    deepEqual((await ask("/status")).body, {
      network: "localnet",
      feeBps: 50,
      feeMinNanoNative: "50000000",
      relayerAddress: wallet.address.toString({ bounceable: false, testOnly: true }),
    });
    const { network, pools } = (await ask("/pools")).body;
    equal(network, "localnet");
    deepEqual(pools["native-10"], {
      address: pool.toString({ bounceable: true, testOnly: true }),
      asset: "native",
      amount: "10",
      denomination: "10000000000",
      deployedSeqno: 7,
      feeMin: "50000000",
      maxRefund: "100000000",
    });
  }));

Deno.test("/note/check returns 200 with what the relayer knows of a note", () =>
  withApiAndApp(
    async (app) => {
      const response = await requestApp(
        app,
        "/note/check",
        post({ pool: payload.pool, nullifierHash: "0x5" }),
      );
      equal(response.status, 200);
      deepEqual(await response.json(), { deposited: null, leafIndex: null, timestamp: null, spent: true });
    },
    {},
    (relayer) => ({
      ...relayer,
      noteState: (_, commitment, nullifierHash) => {
        deepEqual([commitment, nullifierHash], [undefined, 5n]);
        return Promise.resolve({ deposited: null, leafIndex: null, timestamp: null, spent: true });
      },
    }),
  ));

Deno.test("another method is 405 with Allow, another path 404", () =>
  withApi(async (ask) => {
    const { response, ...answer } = await ask("/withdraw");
    isProblem({ response, ...answer }, "method_not_allowed");
    equal(response.headers.get("allow"), "POST");
    const wrong = await ask("/status", post({}));
    isProblem(wrong, "method_not_allowed");
    equal(wrong.response.headers.get("allow"), "GET, HEAD");
    isProblem(await ask("/status", { method: "DELETE" }), "method_not_allowed");
    for (const path of ["/", "/status/", "/Status", "/withdraw/x", `/${"a".repeat(9_000)}`, "/%00", "/%ff"]) {
      isProblem(await ask(path), "not_found");
    }
  }));

Deno.test("a body of another media type is 415, a body over 32 KiB 413", () =>
  withApi(async (ask) => {
    const text = JSON.stringify(payload);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
      isProblem(await ask("/withdraw", post(text, type)), "unsupported_media_type");
    }
    isProblem(await ask("/withdraw", post(text, "application/json; charset=utf-8")), "not_ready");
    const padding = (length: number) => text.slice(0, -1) + " ".repeat(length - text.length) + "}";
    isProblem(await ask("/withdraw", post(padding(32 * 1024))), "not_ready");
    isProblem(await ask("/withdraw", post(padding(32 * 1024 + 1))), "body_too_large");
    for (const [length, code] of [[32 * 1024, "not_ready"], [32 * 1024 + 1, "body_too_large"]] as const) {
      const headers = { "content-type": "application/json", "content-length": String(length) };
      isProblem(await ask("/withdraw", { ...post(padding(length)), headers }), code);
    }
    const stream = new Blob([padding(40_000)]).stream();
    isProblem(
      await ask("/withdraw", { ...post(""), body: stream, duplex: "half" } as RequestInit),
      "body_too_large",
    );
  }));

Deno.test("503 carries Retry-After, every answer an id and CORS for browsers", () =>
  withApi(async (ask) => {
    const { response } = await ask(`/tree/root?pool=${address}`);
    match(response.headers.get("retry-after")!, /^[1-9][0-9]*$/);
    for (const path of ["/status", "/nowhere", "/tree/root"]) {
      const { headers } = (await ask(path)).response;
      equal(headers.get("access-control-allow-origin"), "*");
      match(headers.get("x-request-id")!, /^[0-9a-f-]{36}$/);
    }
    const preflight = await ask("/withdraw", {
      method: "OPTIONS",
      headers: { origin: "https://wallet.example", "access-control-request-method": "POST" },
    });
    equal(preflight.status, 204);
    match(preflight.response.headers.get("access-control-allow-methods")!, /POST/);
    match(preflight.response.headers.get("access-control-allow-headers")!, /content-type/);
    equal(preflight.response.headers.get("access-control-max-age"), "86400");
  }));

Deno.test("/livez succeeds while /readyz names the pool that is not ready, with the reason", () =>
  withApi(async (ask) => {
    deepEqual((await ask("/livez")).body, { status: "alive" });
    const { status, body } = await ask("/readyz");
    equal(status, 503);
    equal(body.ready, false);
    equal(typeof body.pools["native-10"].reason, "string");
    deepEqual(Object.keys(body.dependencies).sort(), ["chain", "prover", "registry", "store", "wallet"]);
  }));

Deno.test("/docs loads all its files from this host, and its policy allows no other", () =>
  withApiAndApp(async (app) => {
    const page = await requestApp(app, "/docs");
    match(page.headers.get("content-type")!, /^text\/html/);
    match(page.headers.get("content-security-policy")!, /^default-src 'none'; script-src 'self';/);
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url);
    deepEqual(files, ["data:,", "/docs/swagger-ui.css", "/docs/swagger-ui.js", "/docs/start.js"]);
    for (const path of files.slice(1)) {
      const plain = await requestApp(app, path);
      const packed = await requestApp(app, path, { headers: { "accept-encoding": "br, gzip" } });
      deepEqual([plain.status, plain.headers.get("content-encoding")], [200, null]);
      const kept = path.includes("swagger-ui") ? "public, max-age=86400, no-transform" : "no-store";
      deepEqual([plain, packed].map(({ headers }) => headers.get("cache-control")), [kept, kept]);
      const text = await plain.text();
      equal(text.length > 80, true, path);
      if (packed.headers.get("content-encoding") !== "gzip") continue;
      const unpacked = packed.body!.pipeThrough(new DecompressionStream("gzip"));
      equal(await new Response(unpacked).text(), text);
    }
  }));

Deno.test("/openapi.json documents every route and each code that it may answer with", () =>
  withApi(async (ask) => {
    const { body } = await ask("/openapi.json");
    equal(body.openapi, "3.1.0");
    deepEqual(Object.keys(body.paths).sort(), [
      "/livez",
      "/note/check",
      "/pools",
      "/readyz",
      "/spent",
      "/status",
      "/tree/commitments",
      "/tree/path",
      "/tree/root",
      "/withdraw",
      "/withdraw/status",
    ]);
    const descriptions = JSON.stringify(body.paths);
    for (const code of httpProblemCodes) {
      const ofAnyPath = code === "not_found" || code === "method_not_allowed";
      equal(descriptions.includes(`\`${code}\``), !ofAnyPath, code);
    }
  }));

for (
  const [what, sent, members, status] of [
    ["sent", true, { seqno: 7, fee: "50000000" }, 200],
    ["journaled again after an earlier transfer, and not sent", false, { seqno: 7, fee: "50000000" }, 202],
    ["sent, of which the journal knows no transfer", true, { seqno: null, fee: "50000000" }, 202],
    ["sent, of which the fee is not known", true, { seqno: 7, fee: null }, 202],
  ] as const
) {
  Deno.test(`a withdrawal that is ${what} is answered with ${status}`, () =>
    withApi(
      async (ask) => {
        const { status: answered, body } = await ask("/withdraw", post(payload));
        equal(answered, status, JSON.stringify(body));
        equal(body.seqno, members.seqno);
      },
      {},
      (relayer) => ({
        ...relayer,
        submit: () =>
          Promise.resolve({
            sent,
            withdrawal: {
              pool: pool.toString(),
              nullifierHash: "0x5",
              state: "accepted",
              txHash: null,
              reason: null,
              ...members,
            },
          } as unknown as Awaited<ReturnType<typeof relayer.submit>>),
      }),
    ));
}
