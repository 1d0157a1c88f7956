/** Quotes of relayers that answer, of one that drips, and of one that is silent: over real connections. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address } from "@ton/core";
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

/** A server at an address of its own. */
function serving(answer: (path: string) => Response | Promise<Response>) {
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen: () => {} },
    (request) => answer(new URL(request.url).pathname),
  );
  return {
    client: new RelayerClient(`http://127.0.0.1:${server.addr.port}`),
    [Symbol.asyncDispose]: () => (ended.abort(), server.finished),
  };
}

/** Headers at once, and then a space every 100 ms. */
function drip(): Response {
  let timer: ReturnType<typeof setInterval>;
  return new Response(
    new ReadableStream({
      start(controller) {
        timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 100);
      },
      cancel: () => clearInterval(timer),
    }),
    { headers: { "content-type": "application/json" } },
  );
}

const on = { network: "testnet", pool } as const;

Deno.test("a relayer that drips, and one that always says later, hold the others' quotes for the patience alone", async () => {
  await using honest = serving((path) => Response.json(answers[path]));
  await using dripping = serving(drip);
  await using later = serving(() =>
    Response.json({ code: "not_ready" }, { status: 503, headers: { "retry-after": "20" } })
  );
  const told: string[][] = [];
  const start = performance.now();
  const { quotes, refused } = await quoteRelayers([dripping.client, honest.client, later.client], on, {
    patienceMs: 2_500,
    onWaiting: (silent) => told.push(silent.map(({ baseUrl }) => baseUrl)),
  });
  const took = performance.now() - start;
  ok(took > 2_300 && took < 6_000, `${took} ms`);
  deepEqual(quotes.map(({ relayer, fee }) => [relayer, fee]), [[honest.client, 7n]]);
  const slow = [dripping.client.baseUrl, later.client.baseUrl];
  deepEqual(refused.map(({ pointer }) => pointer).toSorted(), slow.toSorted());
  for (const { detail } of refused) match(detail, /has not answered \/pools in time/);
  deepEqual(told, [slow, slow]);
});

Deno.test("when all of them drip, that is said in time, and nothing is left open", async () => {
  await using dripping = serving(drip);
  const start = performance.now();
  await rejects(quoteRelayers([dripping.client], on, { patienceMs: 300 }), { code: "relayer_unavailable" });
  ok(performance.now() - start < 3_000);
});

Deno.test("all the tries of one question have one deadline", async () => {
  let asked = 0;
  await using dripping = serving(() => (asked++, drip()));
  const client = new RelayerClient(dripping.client.baseUrl, { timeoutMs: 200, totalMs: 900, attempts: 100 });
  const start = performance.now();
  await rejects(client.treeRoot(pool), { code: "relayer_unavailable" });
  ok(performance.now() - start < 3_000);
  ok(asked >= 1 && asked < 5, String(asked));
});

Deno.test("who is cancelled hears that, and not that a relayer was late", async () => {
  await using dripping = serving(drip);
  const stop = new AbortController();
  const client = new RelayerClient(dripping.client.baseUrl, { signal: stop.signal });
  const quoting = quoteRelayers([client], on);
  setTimeout(() => stop.abort(), 100);
  await rejects(quoting, { code: "cancelled" });
  equal(stop.signal.aborted, true);
});
