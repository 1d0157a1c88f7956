/** Any cache may keep pages that never change, and no other response. */
import { deepEqual } from "node:assert/strict";
import { NullifierLog } from "../../src/relay/indexer/tree/nullifier_log.ts";
import { pool, withApiAndApp } from "./api_harness.ts";
import { requestApp } from "../support/relayer/request_app.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";
const payments = new NullifierLog();
for (let i = 0; i < 230; i++) payments.append(BigInt(i));

async function cachingOf(path: string, network: "testnet" | "localnet"): Promise<string[]> {
  const found: string[] = [];
  await withApiAndApp(
    async (app) => {
      for (const accept of ["application/json", "application/octet-stream"]) {
        const response = await requestApp(app, `${path}&pool=${pool.toRawString()}`, { headers: { accept } });
        found.push(response.headers.get("cache-control")!);
        await response.body?.cancel();
      }
    },
    {},
    (relayer) => ({
      ...relayer,
      network,
      spent: (_, from, limit) => ({ pool: pool.toString(), ...payments.page(from, limit) }),
    }),
  );
  return found;
}

Deno.test("a full page of /spent with 30 later payments is immutable, in both forms", async () => {
  deepEqual(await cachingOf("/spent?limit=100", "testnet"), [IMMUTABLE, IMMUTABLE]);
  deepEqual(await cachingOf("/spent?limit=100&from=100", "testnet"), [IMMUTABLE, IMMUTABLE]);
});

Deno.test("pages of /spent whose order may still change are not cached", async () => {
  deepEqual(await cachingOf("/spent?limit=100&from=101", "testnet"), ["no-store", "no-store"]);
  deepEqual(await cachingOf("/spent?limit=1000", "testnet"), ["no-store", "no-store"]);
});

Deno.test("nothing of a local network is cached", async () => {
  deepEqual(await cachingOf("/spent?limit=100", "localnet"), ["no-store", "no-store"]);
});
