import assert from "node:assert/strict";
import {
  findLinkabilityWarnings,
  type LinkabilityFacts,
  linkabilityWarnings,
} from "./linkability_warnings.ts";

const quiet: LinkabilityFacts = {
  laterDeposits: 1000,
  depositAgeSeconds: 30 * 24 * 3600,
  recipientUsed: false,
  recipientIsDepositor: false,
  pathFromRelayer: false,
  selfRelayed: false,
};

const cases: [string, Partial<LinkabilityFacts>][] = [
  ["own_wallet", { recipientIsDepositor: true }],
  ["self", { selfRelayed: true }],
  ["recipient_used", { recipientUsed: true }],
  ["recipient_unchecked", { recipientUsed: undefined }],
  ["few_deposits", { laterDeposits: 9 }],
  ["soon", { depositAgeSeconds: 24 * 3600 - 1 }],
  ["unknown_deposit", { depositAgeSeconds: undefined, laterDeposits: undefined }],
  ["fast", { pathFromRelayer: true }],
];

Deno.test("a withdrawal that nothing links has no warnings", () => {
  assert.deepEqual(findLinkabilityWarnings(quiet), []);
  assert.deepEqual(
    findLinkabilityWarnings({ ...quiet, laterDeposits: 10, depositAgeSeconds: 24 * 3600 }),
    [],
  );
});

for (const [name, fact] of cases) {
  Deno.test(`${name} alone is warned of`, () => {
    assert.deepEqual(findLinkabilityWarnings({ ...quiet, ...fact }).map((link) => link.name), [name]);
  });
}

const crowds: [since: number, says: string][] = [
  [0, "no deposit came after yours"],
  [1, "only 1 deposit came after yours"],
  [2, "only 2 deposits came after yours"],
];
for (const [since, says] of crowds) {
  Deno.test(`${since} later deposits are reported as "${says}"`, () => {
    const [{ text }] = findLinkabilityWarnings({ ...quiet, laterDeposits: since });
    assert.ok(text.startsWith(`${says}, so the anonymity set is small.`), text);
  });
}

Deno.test("every warning has a test case", () => {
  assert.deepEqual(linkabilityWarnings.map(({ name }) => name), cases.map(([name]) => name));
});
