import assert from "node:assert/strict";
import {
  findLinkability,
  type LinkabilityCode,
  linkabilityCodes,
  type LinkabilityFacts,
} from "./linkability_warnings.ts";

const quiet: LinkabilityFacts = {
  laterDeposits: 1000,
  depositAgeSeconds: 30 * 24 * 3600,
  recipientUsed: false,
  recipientIsContract: false,
  recipientWithoutGas: false,
  recipientIsDepositor: false,
  recipientReused: false,
  pathFromRelayer: false,
  selfRelayed: false,
  sameEndpoint: false,
};

const cases: Record<LinkabilityCode, Partial<LinkabilityFacts>> = {
  no_gas: { recipientWithoutGas: true },
  contract: { recipientIsContract: true },
  own_wallet: { recipientIsDepositor: true },
  self: { selfRelayed: true },
  recipient_reused: { recipientReused: true },
  recipient_used: { recipientUsed: true },
  recipient_unchecked: { recipientUsed: undefined },
  few_deposits: { laterDeposits: 9 },
  soon: { depositAgeSeconds: 24 * 3600 - 1 },
  unknown_deposit: { depositAgeSeconds: undefined, laterDeposits: undefined },
  path_from_relayer: { pathFromRelayer: true },
  same_endpoint: { sameEndpoint: true },
};

Deno.test("a withdrawal that nothing links has no warnings", () => {
  assert.deepEqual(findLinkability(quiet), []);
  assert.deepEqual(findLinkability({ ...quiet, laterDeposits: 10, depositAgeSeconds: 24 * 3600 }), []);
});

for (const code of linkabilityCodes) {
  Deno.test(`${code} alone produces its warning`, () => {
    assert.deepEqual(findLinkability({ ...quiet, ...cases[code] }), [code]);
  });
}
