import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";
import { systemClock } from "../../core/time/clock.ts";
import type { Chain } from "../chain.ts";
import { connect } from "./toncenter.ts";
import { instrumentChain } from "./instrumented_chain.ts";

Deno.test("responses and failures are counted, cancelled calls are not, and responses are unchanged", async () => {
  let status = 200;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      Response.json({ ok: status === 200, result: { last: { seqno: 7 } }, error: "down", code: status }, {
        status,
      }),
  );
  const counted: [string, string][] = [];
  const chain = instrumentChain(
    connect({ endpoint: `http://127.0.0.1:${server.addr.port}/api/v2/jsonRPC`, attempts: 1 }),
    { recordChainCall: (call, outcome) => void counted.push([call, outcome]) },
  );
  equal(chain.lastOutcome(), undefined);
  equal(await chain.masterchainSeqno(), 7);
  equal(chain.lastOutcome(), "ok");
  status = 503;
  await rejects(chain.masterchainSeqno(), { code: "chain_unavailable" });
  equal(chain.lastOutcome(), "failed");
  await rejects(chain.masterchainSeqno({ signal: AbortSignal.abort() }), { code: "cancelled" });
  status = 200;
  await chain.masterchainSeqno();
  equal(chain.lastOutcome(), "ok");
  deepEqual(counted, [["masterchainSeqno", "ok"], ["masterchainSeqno", "failed"], [
    "masterchainSeqno",
    "ok",
  ]]);
  await server.shutdown();
});

Deno.test("a call's time is measured in seconds, and a contract's refusal is a response", async () => {
  let now = 5_000;
  const calls: [call: string, outcome: string, seconds: number][] = [];
  const failures: ProblemCode[] = ["contract_refused", "overloaded", "chain_inconsistent"];
  const chain = instrumentChain(
    {
      masterchainSeqno: () => (now += 1_500, Promise.resolve(7)),
      send: () => (now += 250, Promise.reject(new Problem(failures.shift()!))),
      account: () => Promise.reject(new TypeError("our bug")),
      verifier: { hasTransaction: () => (now += 2_000, Promise.resolve(true)) },
    } as unknown as Chain,
    { recordChainCall: (...call) => void calls.push(call) },
    { ...systemClock, now: () => now },
  );
  await chain.masterchainSeqno();
  equal(
    await chain.verifier!.hasTransaction(Address.parse(`0:${"0".repeat(64)}`), { lt: 1n, hash: "" }),
    true,
  );
  await rejects(chain.account(Address.parse(`0:${"0".repeat(64)}`)), TypeError);
  equal(chain.lastOutcome(), "failed");
  for (const code of [...failures]) await rejects(chain.send(Cell.EMPTY), { code });
  deepEqual(calls, [
    ["masterchainSeqno", "ok", 1.5],
    ["transactions", "ok", 2],
    ["account", "failed", 0],
    ["send", "ok", 0.25],
    ["send", "failed", 0.25],
  ]);
});
