/**
 * Each code block of the documentation is run by a test, according to its mark, or listed in
 * docs/development.md with the reason why not.
 */
import assert from "node:assert/strict";
import {
  type CodeBlock,
  documentationPages,
  firstLineOf,
  parseCodeBlocks,
  readCodeBlocks,
} from "../support/docs/code_blocks.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, root));
const blocks = await readCodeBlocks(await documentationPages());
const newcomer = await read("tests/guides/newcomer.sh");
const runners = [
  "tests/guides/programs_test.ts",
  "tests/guides/commands_test.ts",
  "tests/guides/operating_store_test.ts",
  "tests/npm/bundlers_test.ts",
];
const tests = (await Promise.all(runners.map(read))).join("");

/** [page, program name or beginning of the block] of each block that a test uses. */
const taken = [...tests.matchAll(/\b(?:program|findCodeBlock)\(\s*"([^"]+)",\s*"([^"]+)",?\s*\)/g)]
  .map(([, page, named]) => [page, named] as const);

const played = [...newcomer.matchAll(/^ *play \d "?([\w/. ]+\.md)"?/gm)].flatMap(([, pages]) =>
  pages.split(" ")
);

/** The rows of docs/development.md: page, first line and reason of blocks that are not run. */
const listed = [...(await read("docs/development.md")).match(/<!-- not-run -->([^]*)<!-- \/not-run -->/)![1]
  .matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\| (.+?) +\|$/gm)]
  .map(([, page, line, why]) => ({ page, line, why }));

/** Returns which test runs a block, or why none does; undefined for an unlisted block. */
function whoRuns(block: CodeBlock): string | undefined {
  const { page, info, text } = block;
  const takes = (holds: (named: string) => boolean) =>
    taken.some(([of, named]) => of === page && holds(named)) ? "a test" : undefined;
  if (info === "mermaid") return "a picture";
  if (info === "sh play") return played.includes(page) ? "tests/guides/newcomer.sh" : undefined;
  if (info.startsWith("js run ")) return takes((named) => `js run ${named}` === info);
  if (info === "sh run" || info === "ts run") return takes((named) => text.startsWith(named));
  return listed.find(({ page: of, line }) => of === page && line === firstLineOf(block))?.why;
}

Deno.test("code fences are found, also indented and nested ones", () => {
  const page =
    "a\n```sh play\nx\n```\n1. b\n\n   ```ts\n   y\n   ```\n\n````md\n```sh\nz\n```\n````\n~~~\nw\n~~~\n";
  assert.deepEqual(parseCodeBlocks("p", page).map(({ info, text }) => [info, text]), [
    ["sh play", "x\n"],
    ["ts", "y\n"],
    ["md", "```sh\nz\n```\n"],
    ["", "w\n"],
  ]);
  assert.throws(() => parseCodeBlocks("p", "```sh\nx\n"), /nothing closes/);
});

Deno.test("a block that no test runs and no list contains is reported", () => {
  const page = "docs/using.md";
  for (const info of ["", "sh", "bash", "ts", "json", "sh run", "ts run", "js run other.mjs"]) {
    assert.equal(whoRuns({ page, info, text: "tonado --version\n" }), undefined, info);
  }
  assert.equal(whoRuns({ page: "docs/gas.md", info: "sh play", text: "tonado --version\n" }), undefined);
});

Deno.test("each block of the documentation is run, or listed with a reason", () => {
  assert.ok(blocks.length > 40, String(blocks.length));
  const unheld = blocks.filter((block) => whoRuns(block) === undefined);
  assert.deepEqual(unheld.map((block) => `${block.page}: ${block.info}: ${firstLineOf(block)}`), []);
});

Deno.test("every listed block and every block that tests use exists once", () => {
  assert.equal(listed.length, 14);
  for (const { page, line } of listed) {
    const found = blocks.filter((block) => block.page === page && firstLineOf(block) === line);
    assert.deepEqual(found.map(({ info }) => / (play|run)/.test(info)), [false], `${page}: ${line}`);
  }
  for (const [page, named] of taken) {
    const found = blocks.filter(({ page: of, info, text }) =>
      of === page && (info === `js run ${named}` || /^(sh|ts) run$/.test(info) && text.startsWith(named))
    );
    assert.equal(found.length, 1, `${page}: ${named}`);
  }
  for (const page of played) {
    assert.ok(blocks.some((block) => block.page === page && block.info === "sh play"), page);
  }
});

Deno.test("bash parses every shell block", async () => {
  for (const { page, info, text } of blocks.filter(({ info }) => /^(sh|bash)\b/.test(info))) {
    const { code, stderr } = await childCommand("bash", { args: ["-n", "-c", text] }).output();
    assert.equal(code, 0, `${page}: ${info}: ${new TextDecoder().decode(stderr)}`);
  }
});

Deno.test("the packages that the guides install are those of the library", async () => {
  const { imports } = JSON.parse(await read("deno.json"));
  const specs = blocks.filter(({ info }) => info === "sh play").flatMap(({ text }) =>
    [...text.matchAll(/^npm install .*$/gm)].flatMap(([line]) => line.match(/\S+@\d\S*/g) ?? [])
  );
  assert.deepEqual(specs, [imports["@ton/core"].replace("npm:", "")]);
});
