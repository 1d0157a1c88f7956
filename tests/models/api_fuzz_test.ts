/**
 * Requests generated from the API's OpenAPI document, sent to a relayer that serves a real pool. Requests
 * that pass the first checks reach the tree, the store, the verifier and the chain. The document lists every
 * answer.
 */
import { equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import fc from "fast-check";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { arbitraryRequests, createResponseValidator } from "../../testkit/relayer/openapi.ts";
import { propertyParameters } from "../../testkit/random/property_runs.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";

Deno.test("variations of a valid withdrawal, and of requests to every other route, are answered as documented", async () => {
  await using net = await RelayerHarness.start();
  const [spent, note] = [await net.deposit(KEY), await net.deposit(KEY)];
  await net.untilIndexed(KEY);
  const recipient = Address.parse(`0:${"42".repeat(32)}`);
  const first = await net.withdrawal(KEY, spent, { recipient });
  equal((await net.post("/withdraw", first)).status < 300, true);
  const good = await net.withdrawal(KEY, note, { recipient });
  const api = (await net.get("/openapi.json")).body;
  const wrong = createResponseValidator(api);
  const requests = arbitraryRequests(api, {
    pool: [good.pool],
    recipient: [good.recipient],
    publicSignals: good.publicSignals,
    fee: [good.fee],
    refund: [good.refund],
    commitment: [fieldToHex(note.commitment), fieldToHex(spent.commitment)],
    nullifierHash: [fieldToHex(note.nullifierHash), fieldToHex(spent.nullifierHash)],
    ...Object.fromEntries(["pi_a", "pi_c"].map((name) => [name, good.proof[name as "pi_a"]])),
  });
  const seen = new Set<string>();
  await net.untilIndexed(KEY);
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { path, method, query, body } = request;
      const response = await net.request(`http://relayer${path}${query}`, {
        method,
        ...body === undefined ? {} : { body, headers: { "content-type": "application/json" } },
      });
      const answer = { status: response.status, headers: response.headers, body: await response.json() };
      seen.add(`${path} ${answer.status}`);
      equal(wrong(request, answer), undefined, JSON.stringify(answer.body));
    }),
    propertyParameters(200),
  );
  for (const key of ["/tree/commitments 200", "/tree/path 200", "/note/check 200", "/withdraw 422"]) {
    ok(seen.has(key), `${key} is among ${[...seen].sort()}`);
  }
});
