import { equal, rejects } from "node:assert/strict";
import { Address, type TupleItem, TupleReader } from "@ton/core";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import { MerkleTree, ROOT_HISTORY_SIZE } from "../../../core/tree/merkle_tree.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { AppContext } from "../context.ts";
import { readPages } from "./pool_pages.ts";
import { PoolTrees } from "./pool_trees.ts";

Deno.test("a cancelled download ends at once, and the next one of its pool does not wait for it", async () => {
  const roots = Array.from(
    { length: ROOT_HISTORY_SIZE },
    (): TupleItem => ({ type: "int", value: new MerkleTree().root }),
  );
  const chain = {
    runGetMethod: (_pool: Address, method: string) =>
      Promise.resolve(
        new TupleReader([
          method === "get_root_history" ? { type: "tuple", items: roots } : { type: "int", value: 0n },
        ]),
      ),
  } as unknown as Chain;
  const context = {
    trees: new PoolTrees(),
    pages: { read: async () => {}, write: async () => {} },
    connections: () => ({ relayers: ["https://relayer.example"], withdrawalEndpoint: "" }),
    connect: () => chain,
  } as unknown as AppContext;
  const deployment = { address: new Address(0, Buffer.alloc(32)) } as Deployment;
  const { fetch } = globalThis;
  let isStalled = true;
  globalThis.fetch = (_input, init) => {
    const headers = { "content-type": "application/octet-stream" };
    if (!isStalled) return Promise.resolve(new Response(new Uint8Array(), { headers }));
    return new Promise((_, reject) =>
      init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))
    );
  };
  try {
    const stop = new AbortController();
    const cancelled = readPages(context, deployment, { signal: stop.signal });
    setTimeout(() => stop.abort(), 0);
    await rejects(cancelled, { code: "cancelled" });
    isStalled = false;
    equal((await readPages(context, deployment, {})).tree.size, 0);
  } finally {
    globalThis.fetch = fetch;
  }
});

Deno.test("an unreachable endpoint is reported instead of missing relayers", async () => {
  const readWith = (account: () => Promise<unknown>) =>
    readPages(
      {
        connections: () => ({ relayers: [], withdrawalEndpoint: "" }),
        connect: () => ({ account }),
      } as unknown as AppContext,
      { address: new Address(0, Buffer.alloc(32)) } as Deployment,
      {},
    );
  await rejects(readWith(() => Promise.reject(new Problem("chain_unavailable"))), {
    code: "chain_unavailable",
  });
  await rejects(readWith(() => Promise.resolve({})), { code: "relayer_unavailable" });
});
