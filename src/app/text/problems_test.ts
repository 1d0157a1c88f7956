import { equal, ok } from "node:assert/strict";
import { problems } from "../../core/errors/problem.ts";
import { en } from "./en.ts";
import { ru } from "./ru.ts";

const translations = [en, ru];

Deno.test("every problem code has a text and a next step, in sentences without a command", () => {
  for (const texts of translations) {
    for (const code of Object.keys(problems)) {
      const entry = texts.problems[code as keyof typeof texts.problems];
      ok(entry, code);
      for (const sentence of [entry.text, entry.next]) {
        ok(/^\p{Lu}.*\.$/u.test(sentence) && sentence.length <= 120, `${code}: ${sentence}`);
        ok(!/[`_]|--|GET |POST /.test(sentence), `${code}: ${sentence}`);
      }
    }
  }
});

Deno.test("there is no text for a code that does not exist", () => {
  for (const texts of translations) {
    for (const code of Object.keys(texts.problems)) equal(Object.hasOwn(problems, code), true, code);
  }
});
