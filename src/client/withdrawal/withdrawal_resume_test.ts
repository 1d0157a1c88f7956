import { deepEqual, equal, rejects } from "node:assert/strict";
import { Address, TupleReader } from "@ton/core";
import type { Note } from "../../core/protocol/note.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { V2PoolLog } from "../../ton/pool/v2/pool_log.ts";
import type { WithdrawalAttempt } from "../notes/note_store.ts";
import { RelayerClient } from "../relayer/relayer_client.ts";
import { resumeWithdrawal } from "./withdrawal_resume.ts";

const address = new Address(0, Buffer.alloc(32, 1));
const note = { nullifierHash: 5n } as Note;
const journal = {} as WithdrawalAttempt;

function poolThatReports(...isSpent: boolean[]): Pool {
  const runGetMethod = () => {
    const spent = isSpent.length > 1 ? isSpent.shift()! : isSpent[0];
    return Promise.resolve(new TupleReader([{ type: "int", value: spent ? -1n : 0n }]));
  };
  return new Pool({ runGetMethod } as Partial<Chain> as Chain, address);
}

/** A version 2 pool that accepts 1,024 roots, of which its get method returns the newest 30. */
function v2PoolWith(acceptedRoots: readonly bigint[], ...isSpent: boolean[]): V2Pool {
  const newest = acceptedRoots.slice(-30).reverse().map((value) => ({ type: "int" as const, value }));
  const runGetMethod = () => Promise.resolve(new TupleReader([{ type: "tuple", items: newest }]));
  const pool = new V2Pool({ runGetMethod } as Partial<Chain> as Chain, address);
  const log = { acceptedRoots, isSpent: () => isSpent.length > 1 ? isSpent.shift()! : isSpent[0] };
  pool.readLog = () => Promise.resolve(log as unknown as V2PoolLog);
  return pool;
}

async function requestedBy(state: string, act: (relayer: RelayerClient) => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  const ended = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      if (pathname === "/withdraw") return Response.json({ seqno: 1, fee: "1" });
      const isUnknown = state === "unknown" && !paths.includes("/withdraw");
      return isUnknown
        ? Response.json({ code: "withdrawal_not_found" }, { status: 404 })
        : Response.json({ state: state === "unknown" ? "confirmed" : state });
    },
  );
  try {
    await act(new RelayerClient(`http://127.0.0.1:${server.addr.port}`, { maxAttempts: 1 }));
  } finally {
    ended.abort();
    await server.finished;
  }
  return paths;
}

Deno.test("a note that the pool reports as spent is paid, and no relayer is asked", async () => {
  const paths = await requestedBy("accepted", async (relayer) => {
    equal(await resumeWithdrawal(relayer, { pool: poolThatReports(true), note, journal }), true);
  });
  deepEqual(paths, []);
});

Deno.test("only the pool decides whether a withdrawal that a relayer reports as confirmed is paid", async () => {
  await requestedBy("confirmed", async (relayer) => {
    equal(await resumeWithdrawal(relayer, { pool: poolThatReports(false), note, journal }), false);
    equal(await resumeWithdrawal(relayer, { pool: poolThatReports(false, true), note, journal }), true);
  });
});

Deno.test("a withdrawal that a relayer reports as failed is proved again", async () => {
  await requestedBy("failed", async (relayer) => {
    equal(await resumeWithdrawal(relayer, { pool: poolThatReports(false), note, journal }), false);
  });
});

Deno.test("a proof that no relayer knows is submitted while a version 2 pool accepts its root, however old", async () => {
  const roots = Array.from({ length: 1_024 }, (_, i) => BigInt(i + 1));
  const attempt = {
    recipient: address.toRawString(),
    fee: "1",
    refund: "0",
    request: { publicSignals: ["1"] },
  } as unknown as WithdrawalAttempt;
  const resume = async (pool: V2Pool) => {
    let isPaid = false;
    const paths = await requestedBy("unknown", async (relayer) => {
      isPaid = await resumeWithdrawal(relayer, { pool, note, journal: attempt });
    });
    return [isPaid, paths.includes("/withdraw")];
  };
  deepEqual(await resume(v2PoolWith(roots, false, true)), [true, true]);
  deepEqual(await resume(v2PoolWith(roots.slice(1), false)), [false, false]);
});

Deno.test("a relayer that does not answer ends the resumption", async () => {
  const relayer = new RelayerClient("http://127.0.0.1:1", { maxAttempts: 1 });
  await rejects(resumeWithdrawal(relayer, { pool: poolThatReports(false), note, journal }), {
    code: "relayer_unavailable",
  });
});
