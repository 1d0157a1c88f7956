/** The languages: their choice, their forms, and that each is complete and in its own script. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { problems } from "../../core/errors/problem.ts";
import { en } from "./en.ts";
import { type Language, languageFor } from "./languages.ts";
import { ru } from "./ru.ts";
import { showLanguage, texts } from "./texts.ts";

Deno.test("the chosen language precedes those of the browser, of which the first known one is shown", () => {
  const cases: [Language | undefined, string[], Language][] = [
    [undefined, ["ru-RU", "en"], "ru"],
    [undefined, ["de", "ru"], "ru"],
    [undefined, ["en-GB", "ru"], "en"],
    [undefined, ["de"], "en"],
    [undefined, [], "en"],
    ["en", ["ru"], "en"],
    ["ru", ["en"], "ru"],
  ];
  for (const [chosen, browser, expected] of cases) equal(languageFor(chosen, browser), expected);
});

Deno.test("the words change with the language, and the language that was requested last is shown", async () => {
  await showLanguage("ru");
  equal(texts.app.done, ru.app.done);
  await Promise.all([showLanguage("ru"), showLanguage("en")]);
  equal(texts.app.done, en.app.done);
});

Deno.test("Russian has a word for each English one, of the same kind, and in Cyrillic", () => {
  const latin = new Set(["language", "name"]);
  const compare = (path: string, english: unknown, russian: unknown) => {
    equal(typeof russian, typeof english, path);
    if (typeof english === "string") {
      ok(latin.has(path.split(".").at(-1)!) || /[а-яё]/i.test(russian as string), `${path}: ${russian}`);
    } else if (english !== null && typeof english === "object") {
      deepEqual(Object.keys(russian as object).sort(), Object.keys(english).sort(), path);
      for (const [name, value] of Object.entries(english)) {
        compare(`${path}.${name}`, value, (russian as Record<string, unknown>)[name]);
      }
    }
  };
  compare("texts", en, ru);
});

Deno.test("Russian counts have the form of their number", () => {
  deepEqual([1, 2, 5, 11, 21, 22, 112].map(ru.deposit.crowd), [
    "Пока 1 депозит.",
    "Пока 2 депозита.",
    "Пока 5 депозитов.",
    "Пока 11 депозитов.",
    "Пока 21 депозит.",
    "Пока 22 депозита.",
    "Пока 112 депозитов.",
  ]);
  deepEqual([1, 3, 7].map(ru.notes.recovered), [
    "По коду восстановления найдено: 1 нота.",
    "По коду восстановления найдено: 3 ноты.",
    "По коду восстановления найдено: 7 нот.",
  ]);
  deepEqual([0, 2, 21, 30].map(ru.notes.later), [
    "после вас никто не вносил",
    "после вас 2 чужих депозита",
    "после вас 21 чужой депозит",
    "после вас 30 чужих депозитов",
  ]);
  deepEqual([1, 10, 22].map(ru.settings.minutes), ["1 минуту", "10 минут", "22 минуты"]);
  deepEqual([60, 180, 7_200, 172_800].map(ru.app.age), [
    "только что",
    "3 минуты назад",
    "2 часа назад",
    "2 дня назад",
  ]);
  equal(
    ru.withdraw.warning.few_deposits?.(3),
    "После вас только 3 депозита. Легко догадаться, что это вы. Лучше подождать.",
  );
});

Deno.test("Russian amounts have a decimal comma and all of their digits", () => {
  equal(ru.app.amount("0.123456789", "native"), "0,123456789 TON");
  equal(ru.app.amount("10", "jet"), "10 JET");
  equal(ru.app.decimal("9.95 TON"), "9,95 TON");
  equal(ru.settle.about(12_300_001n), "примерно 0,0124 TON");
});

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
