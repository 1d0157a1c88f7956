import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { RelayerClient } from "./relayer_client.ts";
import { quoteRelayers } from "./relayer_quotes.ts";

const pool = Address.parse(`0:${"11".repeat(32)}`);
const answers: Record<string, unknown> = {
  "/status": {
    network: "testnet",
    feeBps: 50,
    feeMinNanoNative: "7",
    relayerAddress: `0:${"22".repeat(32)}`,
  },
  "/pools": {
    network: "testnet",
    pools: {
      "native-1": {
        address: pool.toRawString(),
        asset: "native",
        amount: "1",
        denomination: "1000",
        deployedSeqno: 1,
      },
    },
  },
};

/** Clients of slow relayers, and the reports, have a clock that runs four times as fast as real time. */
const SPEED = 4;
const clock: Clock = {
  now: () => performance.now() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
};

function serving(answer: (path: string) => Response | Promise<Response>, clientClock: Clock = clock) {
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen: () => {} },
    (request) => answer(new URL(request.url).pathname),
  );
  return {
    client: new RelayerClient(`http://127.0.0.1:${server.addr.port}`, { clock: clientClock }),
    [Symbol.asyncDispose]: () => (ended.abort(), server.finished),
  };
}

function drip(): Response {
  let timer: ReturnType<typeof setInterval>;
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 10);
      },
      cancel: () => clearInterval(timer),
    }),
    { headers: { "content-type": "application/json" } },
  );
}

const on = { network: "testnet", pool } as const;

Deno.test("relayers that never finish an answer delay the others' quotes until the timeout, not longer", async () => {
  await using honest = serving((path) => Response.json(answers[path]), systemClock);
  await using dripping = serving(drip);
  await using later = serving(() =>
    Response.json({ code: "not_ready" }, { status: 503, headers: { "retry-after": "30" } })
  );
  const reports: string[][] = [];
  const start = clock.now();
  const { quotes, refused } = await quoteRelayers([dripping.client, honest.client, later.client], on, {
    timeoutMs: 5_000,
    clock,
    onWaiting: (silent) => reports.push(silent.map(({ baseUrl }) => baseUrl)),
  });
  const elapsed = clock.now() - start;
  ok(elapsed > 4_800 && elapsed < 30_000, `${elapsed} ms`); // a second wait would be the relayer's 30 s
  deepEqual(quotes.map(({ relayer, fee }) => [relayer, fee]), [[honest.client, 7n]]);
  const slow = [dripping.client.baseUrl, later.client.baseUrl];
  deepEqual(refused.map(({ pointer }) => pointer).toSorted(), slow.toSorted());
  for (const { detail } of refused) match(detail, /has not responded to \/pools in time/);
  // On a busy machine the honest relayer may still be silent at the first report, and one of the others be given up just
  // before the last.
  ok(reports.length >= 2, `${reports.length} reports`);
  const slowIn = reports.map((silent) => silent.filter((url) => url !== honest.client.baseUrl));
  deepEqual(slowIn.slice(0, -1), slowIn.slice(1).map(() => slow));
  deepEqual(reports.at(-1), slow.filter((url) => reports.at(-1)!.includes(url)));
});

Deno.test("quotes come cheapest first, in whatever order the relayers are given", async () => {
  const charging = (feeMinNanoNative: string) =>
    serving(
      (path) =>
        Response.json(path === "/status" ? { ...answers[path] as object, feeMinNanoNative } : answers[path]),
      systemClock,
    );
  await using dear = charging("30");
  await using cheap = charging("7");
  await using fair = charging("20");
  const { quotes } = await quoteRelayers([dear.client, cheap.client, fair.client], on);
  deepEqual(quotes.map(({ fee }) => fee), [7n, 20n, 30n]);
});

Deno.test("quoteRelayers fails in time if no relayer finishes its answer, and leaves nothing open", async () => {
  await using dripping = serving(drip);
  const start = performance.now();
  await rejects(quoteRelayers([dripping.client], on, { timeoutMs: 300 }), { code: "relayer_unavailable" });
  ok(performance.now() - start < 3_000);
});

Deno.test("all attempts of a request share one deadline", async () => {
  let requests = 0;
  await using dripping = serving(() => (requests++, drip()));
  const client = new RelayerClient(dripping.client.baseUrl, {
    attemptTimeoutMs: 200,
    requestTimeoutMs: 900,
    maxAttempts: 100,
    clock,
  });
  const start = performance.now();
  await rejects(client.treeRoot(pool), { code: "relayer_unavailable" });
  ok(performance.now() - start < 3_000);
  ok(requests >= 1 && requests < 5, String(requests));
});

Deno.test("a cancelled quote fails with cancelled, not with a relayer's timeout", async () => {
  await using dripping = serving(drip);
  const stop = new AbortController();
  const client = new RelayerClient(dripping.client.baseUrl, { signal: stop.signal, clock });
  const quoting = quoteRelayers([client], on);
  setTimeout(() => stop.abort(), 10);
  await rejects(quoting, { code: "cancelled" });
  equal(stop.signal.aborted, true);
});

function quoting(baseUrl: string, feeMin: string, entry: object = {}, network = "testnet") {
  const served = {
    ...(answers["/pools"] as { pools: { "native-1": object } }).pools["native-1"],
    feeMin,
    ...entry,
  };
  const bodies: Record<string, unknown> = {
    ...answers,
    "/pools": { network, pools: { "native-1": served } },
  };
  return new RelayerClient(baseUrl, {
    maxAttempts: 1,
    fetch: (input) => Promise.resolve(Response.json(bodies[new URL(String(input)).pathname])),
  });
}

Deno.test("quotes come cheapest first, with the largest refund of each relayer", async () => {
  const [dear, cheap] = [
    quoting("https://dear.example", "90", { maxRefund: "5" }),
    quoting("https://cheap.example", "80"),
  ];
  const { quotes, refused } = await quoteRelayers([dear, cheap], on);
  deepEqual(quotes.map(({ relayer, fee, maxRefund }) => [relayer, fee, maxRefund]), [[cheap, 80n, 0n], [
    dear,
    90n,
    5n,
  ]]);
  deepEqual(refused, []);
});

const unusable: [name: string, client: RelayerClient, detail: RegExp][] = [
  ["that has retired the pool", quoting("https://a.example", "9", { retired: true }), /./],
  ["of another network", quoting("https://a.example", "9", {}, "mainnet"), /it serves mainnet/],
  [
    "without the pool",
    quoting("https://a.example", "9", { address: `0:${"33".repeat(32)}` }),
    /serves no pool/,
  ],
];
for (const [name, client, detail] of unusable) {
  Deno.test(`a relayer ${name} gives no quote, and the others do`, async () => {
    const honest = quoting("https://honest.example", "9");
    const { quotes, refused } = await quoteRelayers([client, honest], on);
    deepEqual([quotes.map(({ relayer }) => relayer), refused.map(({ pointer }) => pointer)], [
      [honest],
      ["https://a.example"],
    ]);
    match(refused[0].detail, detail);
    await rejects(quoteRelayers([client], on), { code: "relayer_unavailable" });
  });
}
