import { Address } from "@ton/core";
import type { Deployments } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";

/** Throws `invalid_address` for anything but a key or an address. */
export function resolvePoolAddress(pool: string, { network, pools }: Deployments): Address {
  const listed = pools.get(pool);
  if (listed) return listed.address;
  let address: Address;
  try {
    address = Address.parse(pool);
  } catch (cause) {
    const keys = [...pools.keys()].join(", ") || "it is empty";
    throw new Problem(
      "invalid_address",
      `${pool} is neither an address nor a pool of the registry: ${keys}`,
      {
        cause,
        hint: `Give its address, or a key that \`tonado pool list --network ${network}\` shows.`,
      },
    );
  }
  if (network === "mainnet" && Address.isFriendly(pool) && Address.parseFriendly(pool).isTestOnly) {
    throw new Problem("invalid_address", `${pool} is an address for test networks only`, {
      hint: "Give the address of the pool on mainnet, or another --network.",
    });
  }
  return address;
}
