import { equal, ok } from "node:assert/strict";
import { problems } from "../../core/errors/problem.ts";
import { problemsEn } from "./problems_en.ts";

Deno.test("every problem code has a text and a next step, in sentences without a command", () => {
  for (const code of Object.keys(problems)) {
    const entry = problemsEn[code as keyof typeof problemsEn];
    ok(entry, code);
    for (const sentence of [entry.text, entry.next]) {
      ok(/^[A-Z].*\.$/.test(sentence) && sentence.length <= 120, `${code}: ${sentence}`);
      ok(!/[`_]|--|GET |POST /.test(sentence), `${code}: ${sentence}`);
    }
  }
});

Deno.test("there is no text for a code that does not exist", () => {
  for (const code of Object.keys(problemsEn)) equal(Object.hasOwn(problems, code), true, code);
});
