import assert from "node:assert/strict";
import { Address } from "@ton/core";
import {
  matchesProblem,
  rpcError,
  rpcResult,
  scriptedChain,
  silentFetch,
} from "../../../tests/support/endpoint/scripted_endpoint.ts";
import type { Problem } from "../../core/errors/problem.ts";
import { startLocalnet } from "../../localnet/localnet.ts";
import { normalizeEndpointUrl } from "./json_rpc.ts";
import { connect } from "./toncenter.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));
const masterchain = (seqno: unknown) => rpcResult({ last: { seqno } });

Deno.test("an endpoint is given with or without its path", () => {
  const whole = "https://testnet.toncenter.com/api/v2/jsonRPC";
  for (const path of ["", "/", "/api/v2", "/api/v2/", "/api/v2/jsonRPC", "/api/v2/jsonRPC/"]) {
    assert.equal(normalizeEndpointUrl(`https://testnet.toncenter.com${path}`).href.replace(/\/$/, ""), whole);
  }
  assert.equal(normalizeEndpointUrl("http://host/prefix?x=1").href, "http://host/prefix/api/v2/jsonRPC?x=1");
  for (const bad of ["", "toncenter.com", "ftp://host/", "file:///etc/passwd", "https://user:pw@host/"]) {
    assert.throws(() => normalizeEndpointUrl(bad), matchesProblem("invalid_config"));
  }
  for (const path of ["/api/v3", "/api/v3/", "/api/v3/jsonRPC", "/prefix/api/v3"]) {
    const named = matchesProblem("invalid_config", /API v3.*\/api\/v2/);
    assert.throws(() => normalizeEndpointUrl(`https://toncenter.com${path}`), named);
  }
});

Deno.test("the block of a time is looked up on the masterchain; a localnet answers with the first since then", async () => {
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  try {
    const chain = connect({ endpoint: net.url, attempts: 1 });
    const { now } = (await chain.transactions(net.relayer.address, { limit: 1 }))[0];
    await net.setNow(now + 1000);
    const later = await chain.masterchainSeqno();
    for (const time of [now + 1000, now + 500]) assert.equal(await chain.masterchainSeqnoAt(time), later);
    assert.ok(await chain.masterchainSeqnoAt(now) < later);
    await assert.rejects(chain.masterchainSeqnoAt(now + 1_000_000));
  } finally {
    await net.close();
  }
});

Deno.test("the API key is sent in its header", async () => {
  const { chain, requests } = scriptedChain(() => masterchain(7), {});
  assert.equal(await chain.masterchainSeqno(), 7);
  assert.equal(requests[0].headers.get("x-api-key"), "key");
});

Deno.test("a redirect is named and not followed, so that its target does not get the key", async () => {
  await using target = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    reached++;
    return masterchain(1);
  });
  let [reached, asked] = [0, 0];
  const location = `http://127.0.0.1:${target.addr.port}/api/v2/jsonRPC`;
  for (const status of [301, 302, 307, 308]) {
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
      asked++;
      return new Response("moved", { status, headers: { location: `${location}?key=s3cret` } });
    });
    const chain = connect({ endpoint: `http://127.0.0.1:${server.addr.port}`, apiKey: "key" });
    await assert.rejects(chain.masterchainSeqno(), (error: Problem) => {
      assert.equal(error.code, "chain_unavailable");
      assert.ok(error.message.includes(`HTTP ${status}: redirects to ${location}`), error.message);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  }
  assert.deepEqual([reached, asked], [0, 4], "no redirect is followed or retried");
});

for (const apiKey of ["k\u0435y", "k\ufeffey", "key\nx-other: 1", "key\u0000"]) {
  Deno.test(`an API key that no header can carry is refused at once: ${JSON.stringify(apiKey)}`, () => {
    assert.throws(() => connect({ endpoint: "https://endpoint.test", apiKey }), (error: Problem) => {
      assert.equal(error.code, "invalid_config");
      assert.ok(!error.message.includes(apiKey));
      return true;
    });
  });
}

for (const apiKey of ["\ufeffkey", "\u2028key", "key\u00a0", " key\n"]) {
  Deno.test(`white space around an API key is not sent: ${JSON.stringify(apiKey)}`, async () => {
    const sent: (string | null)[] = [];
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ headers }) => {
      sent.push(headers.get("x-api-key"));
      return masterchain(7);
    });
    const chain = connect({ endpoint: `http://127.0.0.1:${server.addr.port}`, apiKey, attempts: 1 });
    assert.equal(await chain.masterchainSeqno(), 7);
    assert.deepEqual(sent, ["key"]);
  });
}

const temporary: [string, () => Response | Promise<Response>][] = [
  ["429", () => rpcError(429)],
  ["500", () => rpcError(500)],
  ["503 without JSON", () => new Response("<html>down</html>", { status: 503 })],
  ["200 with an error in it", () => Response.json({ ok: false, error: "x", code: 502 })],
  ["truncated JSON", () => new Response('{"ok": true, "result": {"las')],
  ["no answer in it", () => Response.json([1, 2])],
  ["a lost connection", () => Promise.reject(new TypeError("connection reset"))],
];
for (const [what, answer] of temporary) {
  Deno.test(`after ${what} the request is retried with growing delays, and succeeds`, async () => {
    const { chain, clock } = scriptedChain((_method, _params, tries) =>
      tries < 4 ? answer() : masterchain(9)
    );
    assert.equal(await chain.masterchainSeqno(), 9);
    const backOff = clock.waits.filter((ms) => ms > 0);
    assert.ok(backOff.includes(250) && backOff.includes(1000), String(backOff));
  });

  Deno.test(`permanent ${what} is chain_unavailable after five attempts`, async () => {
    const { chain, requests } = scriptedChain(answer);
    await assert.rejects(chain.masterchainSeqno(), matchesProblem("chain_unavailable", /endpoint\.test/));
    assert.equal(requests.length, 5);
  });
}

Deno.test("a rejected request is not retried", async () => {
  const { chain, requests } = scriptedChain(() => rpcError(422, "wrong address"));
  await assert.rejects(chain.account(stranger), matchesProblem("chain_unavailable", /422: wrong address/));
  assert.equal(requests.length, 1);
});

const errorBodies: [from: string, status: number, body: unknown, message: RegExp][] = [
  // toncenter/ton-http-api pyTON/main.py, `jsonrpc_handler`
  [
    "pyTON, without a code",
    422,
    { ok: false, error: "Unknown method", jsonrpc: "2.0" },
    /422: Unknown method/,
  ],
  ["toncenter's limit", 429, { ok: false, result: "Ratelimit exceed", code: 429 }, /429: Ratelimit exceed/],
  ["JSON-RPC 2.0", 400, { error: { code: -32602, message: "bad params" } }, /400: bad params/],
  ["a status in a nested error", 200, { error: { code: 403, message: "no access" } }, /403: no access/],
  ["a gateway", 401, { message: "Invalid API key" }, /401: Invalid API key/],
  ["a framework", 404, { detail: "Not Found" }, /404: Not Found/],
  ["texts that are no texts", 400, { ok: false, error: 5, result: ["x"], code: "400" }, /HTTP 400$/],
  ["a failure of a successful status", 403, { ok: true, result: "denied" }, /403: denied/],
];
for (const [from, status, body, message] of errorBodies) {
  Deno.test(`the text of an error is read: ${from}`, async () => {
    const { chain } = scriptedChain(() => Response.json(body, { status }), { attempts: 1 });
    await assert.rejects(chain.masterchainSeqno(), matchesProblem("chain_unavailable", message));
  });
}

Deno.test("a rate limit in the body of a successful response stops every request, too", async () => {
  const { chain, clock } = scriptedChain((_method, _params, tries) =>
    tries > 1 ? masterchain(1) : Response.json({ ok: false, result: "Ratelimit exceed", code: 429 })
  );
  const started = clock.now();
  await Promise.all([chain.masterchainSeqno(), chain.masterchainSeqno()]);
  assert.ok(clock.now() - started >= 500);
});

Deno.test("a call without a response fails after the timeout", async () => {
  const { chain } = scriptedChain(
    () => new Promise(() => {}),
    {
      attempts: 1,
      timeoutMs: 5,
      fetch: silentFetch,
    },
  );
  await assert.rejects(
    chain.masterchainSeqno(),
    matchesProblem("chain_unavailable", /no response within 5 ms/),
  );
});

const delays: [retryAfter: string, ms: number][] = [
  ["7", 7_000],
  ["1.5", 1_500],
  ["86400", 30_000],
  ["-1", 500],
  ["soon", 500],
];
for (const [retryAfter, ms] of delays) {
  Deno.test(`Retry-After: ${retryAfter} stops every request for ${ms} ms`, async () => {
    const { chain, clock } = scriptedChain((_method, _params, tries) =>
      tries > 1 ? masterchain(1) : new Response("{}", { status: 429, headers: { "retry-after": retryAfter } })
    );
    await chain.masterchainSeqno();
    assert.equal(clock.now(), ms);
  });
}

const rates: [string, Partial<Parameters<typeof connect>[0]>, number][] = [
  ["1 a second without a key", { apiKey: undefined }, 1000],
  ["10 a second with one", {}, 100],
  ["as many as one likes on this machine", { endpoint: "http://127.0.0.1:1", apiKey: undefined }, 0],
  ["what is asked for", { requestsPerSecond: 4 }, 250],
  ["what is asked for, also on this machine", { endpoint: "http://[::1]:1", requestsPerSecond: 4 }, 250],
  ["no limit", { requestsPerSecond: 0 }, 0],
  ["no limit on a private host", { endpoint: "http://ton-http-api:8081", apiKey: undefined }, 0],
];
for (const [what, options, interval] of rates) {
  Deno.test(`requests start at the endpoint's rate: ${what}`, async () => {
    const { chain, clock } = scriptedChain(() => masterchain(1), {
      requestsPerSecond: undefined,
      ...options,
    });
    await Promise.all([1, 2, 3, 4].map(() => chain.masterchainSeqno()));
    assert.equal(clock.now(), 3 * interval);
  });
}

Deno.test("an endless response is rejected", async () => {
  const chunk = new Uint8Array(2 ** 20).fill(32);
  let given = 0;
  const { chain } = scriptedChain(() =>
    new Response(
      new ReadableStream({
        pull(controller) {
          given++;
          controller.enqueue(chunk);
        },
      }),
    )
  );
  await assert.rejects(chain.masterchainSeqno(), matchesProblem("chain_unavailable", /too large/));
  assert.ok(given < 64);
});

Deno.test("a key in the endpoint's URL is in no message", async () => {
  const { chain } = scriptedChain(() => rpcError(403, "no"), {
    endpoint: "https://endpoint.test/v2?api_key=s3cret",
  });
  await assert.rejects(chain.masterchainSeqno(), (error: Problem) => {
    assert.equal(error.code, "chain_unavailable");
    assert.doesNotMatch(error.message, /s3cret/);
    return true;
  });
});

Deno.test("an abort ends the call with `cancelled`, before and while it runs", async () => {
  const { chain, requests } = scriptedChain(() => masterchain(1));
  await assert.rejects(chain.masterchainSeqno({ signal: AbortSignal.abort() }), matchesProblem("cancelled"));
  assert.equal(requests.length, 0);
  const controller = new AbortController();
  const running = scriptedChain(() => masterchain(1), {
    fetch: (_url, init) => {
      controller.abort();
      return Promise.reject(init!.signal!.reason);
    },
  });
  await assert.rejects(
    running.chain.masterchainSeqno({ signal: controller.signal }),
    matchesProblem("cancelled"),
  );
});

Deno.test("an endpoint's messages are shortened and stripped of control characters", async () => {
  const { chain } = scriptedChain(() => rpcError(400, "\u001b[2Jevil\n" + "x".repeat(5000)));
  await assert.rejects(chain.masterchainSeqno(), (error: Problem) => {
    assert.ok(error.message.length < 500);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(error.message, /[\u0000-\u001f]/);
    return true;
  });
});

Deno.test("low-priority calls wait behind all others, for every kind of call", async () => {
  const { chain, requests } = scriptedChain(() => rpcError(400), { requestsPerSecond: 1 });
  const lowPriority = { lowPriority: true };
  const calls = [
    chain.masterchainSeqno(), // these start before the others are there
    chain.masterchainSeqno(),
    chain.runGetMethod(stranger, "getDenomination", [], lowPriority),
    chain.account(stranger, lowPriority),
    chain.configParam(20, lowPriority),
    chain.runGetMethod(stranger, "get_root_history"),
    chain.transactions(stranger, { limit: 1 }),
    chain.account(stranger),
  ];
  await Promise.allSettled(calls);
  assert.deepEqual(requests.map(({ method, params }) => params.method ?? method), [
    "getMasterchainInfo",
    "getMasterchainInfo",
    "getAddressInformation",
    "getTransactions",
    "get_root_history",
    "getDenomination",
    "getAddressInformation",
    "getConfigParam",
  ]);
});
