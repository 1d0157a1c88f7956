/** Recipients that nothing comes back from: a withdrawal to them would be lost for certain, so none is made. */
import type { Address } from "@ton/core";
import { Problem } from "../core/errors.ts";

/**
 * @param dead contracts that give nothing back: pools, and their jettons' masters and wallets
 * @throws {Problem} `unpayable_recipient` for the zero address of any workchain, and for each of `dead`
 */
export function assertRecoverable(recipient: Address, dead: Iterable<Address>): void {
  if (recipient.hash.every((byte) => byte === 0)) {
    throw lost("the recipient is the zero address, whose keys nobody has");
  }
  for (const each of dead) {
    if (each.equals(recipient)) {
      throw lost("the recipient is a pool, or a contract of a pool's jetton: what it is paid stays there");
    }
  }
}

function lost(detail: string): Problem {
  return new Problem("unpayable_recipient", detail);
}
