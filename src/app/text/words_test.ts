/** A search by patterns for words that the app shows and that are not in the folder of texts. */
import { deepEqual, equal } from "node:assert/strict";
import { languages } from "./languages.ts";

const VIEWS = ["../views/", "../shell/"];
/** Adapters show little, and have details of errors in literals. */
const ADAPTERS = ["../browser/", "../wallet/"];
/** Text between tags, and words in a property that is shown or read aloud. */
const SHOWN = [
  />\s*([A-Za-zА-Яа-я][^<>{}=;()]*)<\//g,
  /\b(?:title|lead|text|label|legend|hint|alt|placeholder|progress|textContent|aria-\w+)\s*[=:]\s*["'`]([^"'`]*[a-zа-я]{2,}[^"'`]*)["'`]/gi,
];
/** Literals of two words or more, which are not names of classes or details of errors. */
const SENTENCE =
  /(?<!class=|class=\{[^}]*|querySelector\(|class: |className = |Problem\("\w+", |Error\()(["`])([A-Za-zА-Яа-я]\w*,? [a-zа-я][^"`]*)\1/g;
/** Values of attributes, with a name or a state that no one reads. */
const NOT_SHOWN = /^(polite|assertive|true|false|page|step|password|text)$|^[\w-]+-hint$/;

/** Returns the words that a source shows and that are not in the folder of texts. @param literals whether to search all literals */
function findWords(source: string, literals = true): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
  return [
    ...SHOWN.flatMap((pattern) => [...code.matchAll(pattern)].map(([, words]) => words.trim())),
    ...[...literals ? code.matchAll(SENTENCE) : []].map(([, , words]) => words),
  ].filter((words) => !NOT_SHOWN.test(words));
}

async function* sources(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (/\.tsx?$/.test(name) && !name.endsWith("_test.ts")) yield new URL(name, folder);
  }
}

Deno.test("the search finds no words outside the folder of texts", async () => {
  const found: Record<string, string[]> = {};
  for (const folder of [...VIEWS, ...ADAPTERS]) {
    for await (const url of sources(new URL(folder, import.meta.url))) {
      const words = findWords(await Deno.readTextFile(url), VIEWS.includes(folder));
      if (words.length > 0) found[url.pathname.replace(/^.*\/src\/app\//, "")] = words;
    }
  }
  deepEqual(found, {});
});

Deno.test("the search finds words in tags, properties and literals", () => {
  deepEqual(findWords('<p class="lead two">Your notes</p>'), ["Your notes"]);
  deepEqual(findWords('<Notice kind="note" title="Saved" />'), ["Saved"]);
  deepEqual(findWords('image.alt = "QR code";'), ["QR code", "QR code"]);
  deepEqual(findWords("const state = `Waiting for ${name}`; // a comment"), ["Waiting for ${name}"]);
  deepEqual(findWords('throw new Problem("internal", "the store is closed");'), []);
});

Deno.test("each language has its files", async () => {
  for (const language of languages) {
    for (
      const name of [
        language,
        `money_${language}`,
        `passphrase_${language}`,
        `settle_${language}`,
        `problems_${language}`,
      ]
    ) {
      equal((await Deno.stat(new URL(`${name}.ts`, import.meta.url))).isFile, true);
    }
  }
});
