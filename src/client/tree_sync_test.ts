import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { RelayerClient } from "./relayer/relayer_client.ts";
import { commitmentsFromRelayer } from "./tree_sync.ts";

const pool = Address.parse(`0:${"11".repeat(32)}`);
const PAGE = 10_000;

function relayerWith(leaves: number): { client: RelayerClient; requests: URLSearchParams[] } {
  const requests: URLSearchParams[] = [];
  const client = new RelayerClient("http://relayer.invalid/", {
    maxAttempts: 1,
    fetch: (input) => {
      const query = new URL(String(input)).searchParams;
      requests.push(query);
      const [from, limit] = [Number(query.get("from")), Number(query.get("limit"))];
      const count = Math.max(0, Math.min(limit, leaves - from));
      const nextFrom = from + count < leaves ? from + count : null;
      const commitments = Array.from(
        { length: count },
        (_, i) => ({ leafIndex: from + i, commitment: `0x${(from + i + 1).toString(16)}` }),
      );
      return Promise.resolve(Response.json({ pool: pool.toString(), from, count, nextFrom, commitments }));
    },
  });
  return { client, requests };
}

const cases: [have: number, deposited: number, requests: number[]][] = [
  [0, 3, [0]],
  [2, 3, [0]],
  [9_999, 10_001, [0, PAGE]],
  [PAGE, PAGE, [PAGE]],
  [PAGE, 10_001, [PAGE]],
  [12_345, 25_000, [PAGE, 2 * PAGE]],
];
for (const [have, deposited, expected] of cases) {
  Deno.test(`a client with ${have} of ${deposited} leaves requests whole pages and yields only the new leaves`, async () => {
    const { client, requests } = relayerWith(deposited);
    const batches = await Array.fromAsync(commitmentsFromRelayer(client, pool).commitments(have));
    const leaves = batches.flat();
    assert.equal(leaves.length, deposited - have);
    assert.ok(leaves.every((leaf, i) => leaf === BigInt(have + i + 1)));
    assert.deepEqual(requests.map((query) => Number(query.get("from"))), expected);
    assert.ok(requests.every((query) => query.get("limit") === String(PAGE)));
    assert.ok(batches.every((batch) => batch.length > 0), "no empty batch");
  });
}
