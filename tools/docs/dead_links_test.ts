import assert from "node:assert/strict";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { deadLinks } from "./dead_links.ts";

/** Returns the dead links of a site with these files, as `page link`. */
async function deadOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    return (await deadLinks(pathToFileURL(`${folder}/`))).map(({ page, link }) => `${page} ${link}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const site = {
  "index.html": '<h1 id="top">x</h1>',
  "docs/using.html": '<h2 id="exit-codes">x</h2>',
  "circuits/index.html": "",
  "docs/operating/a b.service": "",
  LICENSE: "",
};

for (
  const [title, link] of [
    ["a file without an extension", "../../LICENSE"],
    ["a file of an extension of its own", "operating/a%20b.service"],
    ["a page from the root", "/docs/using.html"],
    ["a part of a page", "./using.html#exit-codes"],
    ["a part of the page itself", "#here"],
    ["a folder that has an index", "../../circuits/"],
    ["the root", "/"],
    ["the root's part, with a query", "/?a=1&amp;b=2#top"],
    ["another host", "https://example.com/nothing.html"],
    ["another host without a scheme", "//example.com/nothing.html"],
    ["no host at all", "mailto:somebody@example.com"],
  ]
) {
  Deno.test(`a link to ${title} resolves`, async () => {
    const page = `<p id="here"><a class="x" href="${link}">x</a></p>`;
    assert.deepEqual(await deadOf({ ...site, "docs/page.html": page }), []);
  });
}

for (
  const [title, link] of [
    ["a file with .html appended to its name", "../LICENSE.html"],
    ["a file that lies elsewhere", "LICENSE"],
    ["a folder that has no index", "operating/"],
    ["a folder without its slash", "../../circuits"],
    ["a part that the page has not", "using.html#exit"],
    ["a part that the page itself has not", "#exit-codes"],
    ["a file in another case", "../license"],
  ]
) {
  Deno.test(`a link to ${title} is dead`, async () => {
    const page = `<p id="here"><a href="${link}">x</a>, <a href="${link}">x</a></p>`;
    assert.deepEqual(await deadOf({ ...site, "docs/page.html": page }), [`docs/page.html ${link}`]);
  });
}

Deno.test("pictures and scripts are checked as links, in pages of any folder", async () => {
  const page =
    '<img alt="x" src="chart.svg"><script type="module" src="/app.js"></script><img src="/chart.svg">';
  assert.deepEqual(await deadOf({ "a/b/page.html": page, "chart.svg": "" }), [
    "a/b/page.html chart.svg",
    "a/b/page.html /app.js",
  ]);
});

Deno.test("code on a page is not a link", async () => {
  assert.deepEqual(await deadOf({ "page.html": '<pre>&lt;a href="nowhere.html"&gt;</pre>' }), []);
});
