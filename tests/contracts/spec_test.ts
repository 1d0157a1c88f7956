/** The tables of contracts/v1/SPEC.md match the sources, and the files that it names exist. */
import assert from "node:assert/strict";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { listRepositoryFiles } from "../support/docs/repository_files.ts";

const contracts = new URL("../../contracts/v1/", import.meta.url);
const spec = await Deno.readTextFile(new URL("SPEC.md", contracts));
const source = (name: string) => Deno.readTextFile(new URL(name, contracts));

/** Returns the first and second cells of the rows in the table below a heading. */
function rows(heading: string): [string, string][] {
  const [, section] = spec.split(`\n## ${heading}\n`);
  assert.ok(section, heading);
  const table = section.split("\n## ")[0];
  return [...table.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|/gm)].map(([, first, second]) =>
    [first, second] as [
      string,
      string,
    ]
  ).slice(2);
}

Deno.test("SPEC.md lists the exit codes, each with its name", () => {
  const listed = rows("Exit codes").map(([code, name]) => [name.replaceAll("`", ""), Number(code)]);
  assert.deepEqual(listed, Object.entries(exitCodes));
});

Deno.test("SPEC.md lists the getters, those of the pools and no others", async () => {
  const listed = rows("Getters").map(([name]) => name.replaceAll("`", "")).sort();
  const getters = async (file: string) =>
    [...(await source(file)).matchAll(/^get fun (\w+)/gm)].map(([, name]) => name);
  const shared = await getters("pool.tolk");
  assert.deepEqual([...shared, ...await getters("jetton/pool_jetton.tolk")].sort(), listed);
  const native = [...shared, ...await getters("pool_native.tolk")].sort();
  assert.deepEqual(native, listed.filter((name) => name !== "get_claims"));
});

Deno.test("no pool can change its code", async () => {
  const sources = (await listRepositoryFiles(".tolk")).filter((path) => path.startsWith("contracts/"));
  assert.ok(sources.includes("contracts/v1/jetton/pool_jetton.tolk"));
  for (const path of sources) {
    assert.doesNotMatch(await source(`../../${path}`), /setcode|setlibcode|changelib/i, path);
  }
});

Deno.test("every test that SPEC.md names exists", async () => {
  const named = new Set([...spec.matchAll(/`((?:\w+\/)?\w+_test\.ts)`/g)].map(([, name]) => name));
  assert.ok(named.size >= 6);
  const folders = ["./", "../gas/", "../models/contracts/"];
  for (const name of named) {
    const found = folders.map((folder) => Deno.stat(new URL(`${folder}${name}`, import.meta.url)));
    await assert.doesNotReject(Promise.any(found), name);
  }
});
