import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { FIELD_MODULUS } from "../../core/crypto/field.ts";
import { RelayerClient } from "./relayer_client.ts";
import { RelayerProblem } from "./relayer_problem.ts";

const pool = Address.parse(`0:${"11".repeat(32)}`);

function relayerThatAnswers(
  ...answers: [status: number, body: unknown][]
): { client: RelayerClient; requests: string[] } {
  const requests: string[] = [];
  const client = new RelayerClient("http://relayer.invalid/", {
    maxAttempts: 1,
    fetch: (input) => {
      requests.push(String(input));
      const [status, body] = answers[Math.min(requests.length, answers.length) - 1];
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return Promise.resolve(new Response(text, { status }));
    },
  });
  return { client, requests };
}

const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected;
const leaf = (leafIndex: number) => ({ leafIndex, commitment: `0x${(leafIndex + 1).toString(16)}` });
const page = (from: number, count: number, nextFrom: number | null) => ({
  pool: pool.toString(),
  from,
  count,
  nextFrom,
  commitments: Array.from({ length: count }, (_, i) => leaf(from + i)),
});

Deno.test("pages of commitments are joined in order up to the last one", async () => {
  const { client, requests } = relayerThatAnswers([200, page(0, 2, 2)], [200, page(2, 1, null)]);
  assert.deepEqual((await Array.fromAsync(client.treeCommitments(pool))).flat(), [1n, 2n, 3n]);
  assert.deepEqual(requests.map((url) => new URL(url).searchParams.get("from")), ["0", "2"]);
});

function relayerWithBytes(...pages: (readonly bigint[] | Uint8Array<ArrayBuffer>)[]) {
  const requests: Request[] = [];
  const client = new RelayerClient("https://relayer.example", {
    maxAttempts: 1,
    fetch: (input, init) => {
      const page = pages[requests.push(new Request(input, init)) - 1];
      const bytes = page instanceof Uint8Array
        ? page
        : Buffer.from(page.map((leaf) => leaf.toString(16).padStart(64, "0")).join(""), "hex");
      const headers = { "content-type": "application/octet-stream" };
      return Promise.resolve(new Response(new Uint8Array(bytes), { headers }));
    },
  });
  return { client, requests };
}

Deno.test("pages of leaves as bytes are joined, and the first that is not full is the last", async () => {
  const { client, requests } = relayerWithBytes([1n, 2n], [3n]);
  assert.deepEqual((await Array.fromAsync(client.treeCommitments(pool, 0, 2))).flat(), [1n, 2n, 3n]);
  assert.deepEqual(requests.map(({ url }) => new URL(url).searchParams.get("from")), ["0", "2"]);
  assert.match(requests[0].headers.get("accept")!, /^application\/octet-stream, application\/json/);
  const full = relayerWithBytes([1n, 2n], []);
  assert.deepEqual((await Array.fromAsync(full.client.treeCommitments(pool, 0, 2))).flat(), [1n, 2n]);
});

for (
  const [name, bytes] of [
    ["a leaf at r", [1n, FIELD_MODULUS]],
    ["more leaves than were asked for", [1n, 2n, 3n]],
    ["half a leaf", new Uint8Array(48)],
  ] as const
) {
  Deno.test(`bytes with ${name} are refused`, async () => {
    const { client } = relayerWithBytes(bytes as Uint8Array<ArrayBuffer>);
    await assert.rejects(Array.fromAsync(client.treeCommitments(pool, 0, 2)), code("relayer_unavailable"));
  });
}

const lies: [string, unknown][] = [
  ["a gap inside a page", { ...page(0, 2, null), commitments: [leaf(0), leaf(2)] }],
  ["leaves in another order", { ...page(0, 2, null), commitments: [leaf(1), leaf(0)] }],
  ["a count that is not the page's", { ...page(0, 2, null), count: 3 }],
  ["a next page that does not join", page(0, 2, 7)],
  ["a next page that lies before, which would never end", page(0, 2, 0)],
  ["a commitment at r", {
    ...page(0, 1, null),
    commitments: [{ leafIndex: 0, commitment: `0x${FIELD_MODULUS.toString(16)}` }],
  }],
  ["a commitment that is a number", { ...page(0, 1, null), commitments: [{ leafIndex: 0, commitment: 5 }] }],
  ["no commitments", {}],
  ["no JSON", "<html>"],
];
for (const [name, body] of lies) {
  Deno.test(`pages with ${name} are refused`, async () => {
    const { client } = relayerThatAnswers([200, body]);
    await assert.rejects(Array.fromAsync(client.treeCommitments(pool)), code("relayer_unavailable"));
  });
}

Deno.test("a path must have 20 elements below r and 20 bits", async () => {
  const path = { root: "0x1", pathElements: Array(20).fill("0x1"), pathIndices: Array(20).fill(0) };
  assert.equal((await relayerThatAnswers([200, path]).client.treePath(pool, 1n)).pathElements.length, 20);
  for (
    const wrong of [{ pathElements: Array(19).fill("0x1") }, { pathIndices: Array(20).fill(2) }, {
      root: "-1",
    }]
  ) {
    const { client } = relayerThatAnswers([200, { ...path, ...wrong }]);
    await assert.rejects(client.treePath(pool, 1n), code("relayer_unavailable"));
  }
});

Deno.test("a relayer's refusal keeps its code, detail and members", async () => {
  const withdrawal = { state: "broadcast" };
  const body = { code: "nullifier_already_used", title: "t", detail: "d", status: 409, withdrawal };
  const { client } = relayerThatAnswers([409, body]);
  await assert.rejects(client.treeRoot(pool), (error) => {
    assert.ok(error instanceof RelayerProblem);
    assert.deepEqual([error.code, error.members.detail, error.members.withdrawal], [
      "nullifier_already_used",
      "d",
      withdrawal,
    ]);
    assert.match(
      error.message,
      /^the relayer refuses and reports this reason: /,
      "names the source of the reason",
    );
    return true;
  });
});

for (
  const [status, body] of [[500, "oops"], [502, {}], [400, { code: "something_new" }], [404, {
    code: "toString",
  }]] as const
) {
  Deno.test(`an answer ${status} ${JSON.stringify(body)} without a known problem code is relayer_unavailable`, async () => {
    await assert.rejects(relayerThatAnswers([status, body]).client.status(), code("relayer_unavailable"));
  });
}

Deno.test("the fee floor uses the pool's own minimum fee, or else the one for native pools", async () => {
  const status = {
    network: "localnet",
    feeBps: 50,
    feeMinNanoNative: "7000",
    relayerAddress: pool.toString(),
  };
  const served = (asset: string, feeMin?: string) => ({
    address: pool.toString(),
    asset,
    amount: "1",
    denomination: "1000000",
    deployedSeqno: 1,
    ...feeMin === undefined ? {} : { feeMin },
  });
  const floorOf = async (asset: string, feeMin?: string) => {
    const pools = { network: "localnet", pools: { it: served(asset, feeMin) } };
    return await relayerThatAnswers([200, status], [200, pools]).client.feeFloor("it");
  };
  assert.equal(await floorOf("native", "9000"), 9_000n);
  assert.equal(await floorOf("native", "6000"), 6_000n, "also when it is smaller");
  assert.equal(await floorOf("native", "1"), 5_000n, "half a percent is the least all the same");
  assert.equal(await floorOf("native"), 7_000n);
  assert.equal(await floorOf("jet", "9000"), 9_000n);
  assert.equal(await floorOf("jet"), 5_000n);
});

Deno.test("a pool key that is a property of every object is unknown", async () => {
  const status = { network: "localnet", feeBps: 50, feeMinNanoNative: "1", relayerAddress: pool.toString() };
  const { client } = relayerThatAnswers([200, status], [200, { network: "localnet", pools: {} }]);
  await assert.rejects(client.feeFloor("constructor"), code("unknown_pool"));
});

Deno.test("no request carries a commitment and a nullifier hash together", async () => {
  const bodies: string[] = [];
  const client = new RelayerClient("http://relayer.invalid", {
    fetch: (_, init) => {
      bodies.push(String(init?.body));
      return Promise.resolve(
        Response.json({ deposited: null, leafIndex: null, timestamp: null, spent: true }),
      );
    },
  });
  await client.isDeposited(pool, 1n);
  assert.equal(await client.isSpent(pool, 2n), true);
  assert.deepEqual(bodies.map((body) => Object.keys(JSON.parse(body)).sort()), [["commitment", "pool"], [
    "nullifierHash",
    "pool",
  ]]);
});
