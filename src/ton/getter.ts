import type { Address, TupleItem, TupleReader } from "@ton/core";
import { Problem } from "../core/errors/problem.ts";
import { formatAddress } from "../core/text/address_format.ts";
import type { CallOptions, Chain } from "./chain.ts";

/** Runs a get method and reads its result. Throws `chain_inconsistent` if the result is malformed. */
export async function callGetter<T>(
  chain: Chain,
  address: Address,
  method: string,
  read: (stack: TupleReader) => T,
  options?: CallOptions,
  args: readonly TupleItem[] = [],
): Promise<T> {
  const stack = await chain.runGetMethod(address, method, args, options);
  try {
    return read(stack);
  } catch (cause) {
    throw new Problem(
      "chain_inconsistent",
      `${method} of ${formatAddress(address, chain.network)} returned a malformed result`,
      { cause },
    );
  }
}
