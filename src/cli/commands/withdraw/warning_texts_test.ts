import { ok } from "node:assert/strict";
import { linkabilityCodes } from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import { warningText } from "./warning_texts.ts";

const crowds: [since: number, says: string][] = [
  [0, "no deposit of others came after yours"],
  [1, "only 1 deposit of others came after yours"],
  [2, "only 2 deposits of others came after yours"],
];
for (const [laterDeposits, says] of crowds) {
  Deno.test(`${laterDeposits} later deposits are reported as "${says}"`, () => {
    const text = warningText("few_deposits", { laterDeposits });
    ok(text.startsWith(`${says}, so the anonymity set is small.`), text);
  });
}

Deno.test("every warning has its own text", () => {
  const texts = linkabilityCodes.map((code) => warningText(code, { laterDeposits: 3 }));
  ok(texts.every((text) => text.length > 20) && new Set(texts).size === linkabilityCodes.length);
});
