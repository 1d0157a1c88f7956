import assert from "node:assert/strict";
import { hash } from "./parameters.ts";
import vectors from "../../../testkit/vectors/protocol.json" with { type: "json" };

for (const [name, cases] of Object.entries(vectors.poseidon)) {
  Deno.test(`parameters drawn from the Grain LFSR give the published hashes of ${name} input(s)`, () => {
    for (const { in: inputs, out } of cases) assert.equal(hash(inputs.map(BigInt)), BigInt(out));
  });
}
