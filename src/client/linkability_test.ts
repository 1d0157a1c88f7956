/** What a depositor is warned of before a withdrawal. */
import assert from "node:assert/strict";
import { type LinkFacts, linksOf, linkWarnings } from "./linkability.ts";

const quiet: LinkFacts = {
  since: 1000,
  age: 30 * 24 * 3600,
  recipientUsed: false,
  recipientPaid: false,
  fast: false,
  self: false,
};

const cases: [string, Partial<LinkFacts>][] = [
  ["own_wallet", { recipientPaid: true }],
  ["self", { self: true }],
  ["recipient_used", { recipientUsed: true }],
  ["recipient_unchecked", { recipientUsed: undefined }],
  ["few_deposits", { since: 9 }],
  ["soon", { age: 24 * 3600 - 1 }],
  ["unknown_deposit", { age: undefined, since: undefined }],
  ["fast", { fast: true }],
];

Deno.test("nothing is warned of where nothing links", () => {
  assert.deepEqual(linksOf(quiet), []);
  assert.deepEqual(linksOf({ ...quiet, since: 10, age: 24 * 3600 }), []);
});

for (const [name, fact] of cases) {
  Deno.test(`${name} is warned of, alone`, () => {
    assert.deepEqual(linksOf({ ...quiet, ...fact }).map((link) => link.name), [name]);
  });
}

const crowds: [since: number, says: string][] = [
  [0, "no deposit came after yours"],
  [1, "only 1 deposit came after yours"],
  [2, "only 2 deposits came after yours"],
];
for (const [since, says] of crowds) {
  Deno.test(`${says} is what is said of ${since}`, () => {
    const [{ text }] = linksOf({ ...quiet, since });
    assert.ok(text.startsWith(`${says}: the crowd is small.`), text);
  });
}

Deno.test("every warning has a case here", () => {
  assert.deepEqual(linkWarnings.map(({ name }) => name), cases.map(([name]) => name));
});
