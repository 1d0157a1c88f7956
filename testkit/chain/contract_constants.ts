/** Constants in the sources of the contracts' fees, for tests that compare them with the chain. */
import { toNano } from "@ton/core";

const files = {
  1: [
    "v1/fees.tolk",
    "v1/jetton/fees_jetton.tolk",
    "shared/prices.tolk",
    "shared/jetton/prices_jetton.tolk",
    "shared/jetton/claims.tolk",
  ],
  2: [
    "v2/fees.tolk",
    "v2/jetton/fees_jetton.tolk",
    "v2/rewards.tolk",
    "v2/roots.tolk",
    "v2/withdraw_many.tolk",
    "shared/prices.tolk",
    "shared/jetton/prices_jetton.tolk",
    "shared/jetton/claims.tolk",
  ],
} as const;

/** Returns a reader of the constants of this version's contracts. An amount of coins is in nano. */
export async function contractConstants(version: 1 | 2): Promise<(name: string) => bigint> {
  const sources = await Promise.all(
    files[version].map((name) => Deno.readTextFile(new URL(`../../contracts/${name}`, import.meta.url))),
  );
  const source = sources.join("\n");
  return (name) => {
    const match = new RegExp(`^const ${name} = (?:ton\\("([\\d.]+)"\\)|(\\d+))`, "m").exec(source);
    if (!match) throw new Error(`the contracts of version ${version} have no constant ${name}`);
    const [, coins, plain] = match;
    return coins === undefined ? BigInt(plain) : toNano(coins);
  };
}
