/** Which pool is meant by what stands on the command line. */
import { Address } from "@ton/core";
import type { Deployments } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";

/** @throws {Problem} `invalid_address` for what is neither an address nor a key of the registry */
export function namedPool(pool: string, { network, pools }: Deployments): Address {
  const listed = pools.get(pool);
  if (listed) return listed.address;
  let address: Address;
  try {
    address = Address.parse(pool);
  } catch (cause) {
    const keys = [...pools.keys()].join(", ") || "none";
    throw new Problem("invalid_address", `${pool} is no address, and no pool of the registry (${keys})`, {
      cause,
      todo: `Give its address, or a key that \`tonado pool list --network ${network}\` shows.`,
    });
  }
  if (network === "mainnet" && Address.isFriendly(pool) && Address.parseFriendly(pool).isTestOnly) {
    throw new Problem("invalid_address", `${pool} is an address for test networks only`, {
      todo: "Give the address of the pool on mainnet, or another --network.",
    });
  }
  return address;
}
