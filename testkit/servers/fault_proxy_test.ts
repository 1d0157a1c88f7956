import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address, beginCell, external, storeMessage } from "@ton/core";
import { startFaultProxy } from "./fault_proxy.ts";

const HISTORY = {
  ok: true,
  result: [{ data: "AAECAwQF" }, { data: "BgcICQoL" }, { data: "DA0ODxAR" }],
};
const ROOT = { ok: true, result: { stack: [["num", `0x${"5a".repeat(32)}`]] } };

const BOC = beginCell()
  .store(storeMessage(external({ to: new Address(0, Buffer.alloc(32)), body: beginCell().endCell() })))
  .endCell().toBoc().toString("base64");

/** Starts an endpoint that counts calls. */
function endpoint() {
  let [calls, answer] = [0, 0];
  const ended = new AbortController();
  const server = Deno.serve({ port: 0, signal: ended.signal, onListen: () => {} }, async (request) => {
    calls++;
    const { method } = await request.json();
    if (method === "getTransactions") return Response.json(HISTORY);
    if (method === "runGetMethod") return Response.json(ROOT);
    return Response.json({ ok: true, result: answer++ });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    get calls() {
      return calls;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await server.finished;
    },
  };
}

async function ask(url: string, method: string, params: Record<string, unknown> = {}) {
  // The runtime repeats a call whose reused connection breaks, which would hide the fault.
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ method, params }), client });
  const text = await response.text();
  return { status: response.status, text, retryAfter: response.headers.get("retry-after") };
}

Deno.test("without faults every call passes unchanged", async () => {
  await using target = endpoint();
  await using proxy = startFaultProxy({ target: target.url, seed: 1 });
  deepEqual(JSON.parse((await ask(proxy.url("a"), "getTransactions")).text), HISTORY);
  deepEqual(JSON.parse((await ask(proxy.url("a"), "runGetMethod", { method: "getCurrentRoot" })).text), ROOT);
  deepEqual([proxy.callCount, target.calls, proxy.counts.size], [2, 2, 0]);
});

Deno.test("with faults every kind occurs soon, and only faults that were applied are counted", async () => {
  await using target = endpoint();
  await using proxy = startFaultProxy({ target: target.url, seed: 2 });
  proxy.setFaultProbability(0.1);
  let [wrong, newest] = [0, -1];
  const calls = [
    ["getTransactions", {}],
    ["runGetMethod", { method: "getCurrentRoot" }],
    ["counter", {}],
    ["sendBoc", { boc: BOC }],
  ] as const;
  const isGood = (method: string, text: string) => {
    if (method === "sendBoc") return /"result":[0-9]/.test(text);
    if (method !== "counter") {
      return text === JSON.stringify(method === "getTransactions" ? HISTORY : ROOT);
    }
    const count = Number(text.match(/^\{"ok":true,"result":([0-9]+)\}$/)?.[1] ?? -1);
    const isNew = count > newest;
    newest = Math.max(newest, count);
    return isNew;
  };
  for (let i = 0; proxy.unseenKinds.length > 0; i++) {
    ok(i < 1_000, `never ${proxy.unseenKinds}`);
    const [method, params] = calls[i % calls.length];
    const answer = await ask(proxy.url("a"), method, params).catch(() => undefined);
    if (answer?.status === 429) equal(answer.retryAfter, "1");
    if (!isGood(method, answer?.text ?? "")) wrong++;
  }
  // Repeated and delayed responses look like valid ones.
  const counted = [...proxy.counts].filter(([kind]) => !/twice|delayed/.test(kind));
  equal(wrong, counted.reduce((all, [, count]) => all + count, 0));
});

Deno.test("in false mode every root differs", async () => {
  await using target = endpoint();
  await using proxy = startFaultProxy({ target: target.url, seed: 3 });
  proxy.altersRoots = true;
  const { text } = await ask(proxy.url("a"), "runGetMethod", { method: "getCurrentRoot" });
  match(text, /0x(5a){31}59"/);
  proxy.altersRoots = false;
  deepEqual(JSON.parse((await ask(proxy.url("a"), "runGetMethod", { method: "getCurrentRoot" })).text), ROOT);
});

Deno.test("a barrier holds a call before it is made, names its caller, and drops it", async () => {
  await using target = endpoint();
  await using proxy = startFaultProxy({ target: target.url, seed: 4 });
  const barrier = proxy.addBarrier("before", ({ method }) => method === "held");
  const held = ask(proxy.url("b"), "held");
  equal((await barrier.reached).client, "b");
  equal((await ask(proxy.url("a"), "other")).status, 200);
  equal(target.calls, 1);
  barrier.release("drop");
  await rejects(held);
  equal((await ask(proxy.url("b"), "held")).status, 200, "nothing is held afterwards");
  equal(target.calls, 2);
});
