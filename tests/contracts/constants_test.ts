/** What TypeScript reckons with is what the contracts are compiled with. */
import assert from "node:assert/strict";
import { toNano } from "@ton/core";
import {
  ENDOWMENT_SECONDS,
  GAS_HIGHEST_PATH,
  NET_ACCRUAL,
  POOL_CAPACITY,
  REFUND_RESERVE,
} from "../../src/core/protocol/pool_constants.ts";

const files = ["fees.tolk", "prices.tolk"];
const source = (await Promise.all(
  files.map((name) => Deno.readTextFile(new URL(`../../contracts/${name}`, import.meta.url))),
)).join("\n");

function constant(name: string): bigint {
  const [, coins, plain] = new RegExp(`^const ${name} = (?:ton\\("([\\d.]+)"\\)|(\\d+))`, "m").exec(source) ??
    [];
  return coins === undefined ? BigInt(plain) : toNano(coins);
}

const figures = {
  REFUND_RESERVE,
  NET_ACCRUAL,
  ENDOWMENT_SECONDS,
  GAS_HIGHEST_PATH,
  CAPACITY: BigInt(POOL_CAPACITY),
};
for (const [name, value] of Object.entries(figures)) {
  Deno.test(`${name} is the contracts' own`, () => assert.equal(value, constant(name)));
}
