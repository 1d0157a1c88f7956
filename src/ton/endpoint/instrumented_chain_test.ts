import { deepEqual, equal, rejects } from "node:assert/strict";
import { connect } from "./toncenter.ts";
import { instrumentChain } from "./instrumented_chain.ts";

Deno.test("watched chain: answers and faults are counted, cancelled calls are neither, and answers pass unchanged", async () => {
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
