/** `tonado zeros` prints the tables that contracts and circuits contain. */
import assert from "node:assert/strict";
import { runCli } from "../support/cli/run_cli.ts";

const table = async (path: string, value: RegExp) => {
  const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
  return [...text.matchAll(value)].map(([, found]) => found);
};
const inContracts = await table(
  "contracts/shared/generated/zeros.tolk",
  /^const ZERO_[0-9]+ *= (0x[0-9a-f]{64})$/gm,
);
const inCircuits = await table("circuits/generated/zeros.circom", /^ {8}([0-9]+),?$/gm);
const lines = (text: string) => text.trim().split("\n");

Deno.test("zeros prints the contracts' values in hex and the circuits' values in decimal", async () => {
  assert.equal(inContracts.length, 21);
  assert.deepEqual(lines((await runCli(["zeros", "--quiet"])).stdout), inContracts);
  assert.deepEqual(lines((await runCli(["zeros", "--quiet", "--decimal"])).stdout), inCircuits);
});

Deno.test("zeros --json has height, hex and decimal of each", async () => {
  const { code, stdout } = await runCli(["zeros", "--json"]);
  const { seed, height, zeros } = JSON.parse(stdout);
  assert.deepEqual([code, seed, height], [0, "tornado", 20]);
  assert.deepEqual(
    zeros,
    inContracts.map((hex, height) => ({ height, hex, decimal: inCircuits[height] })),
  );
});

Deno.test("zeros prints one line per height", async () => {
  const { stdout } = await runCli(["zeros"]);
  const [, first, ...rest] = lines(stdout);
  assert.equal(first, ` 0  ${inContracts[0]}`.padStart(first.length));
  assert.equal(rest.length, 20);
});
