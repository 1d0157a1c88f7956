/**
 * A jetton as its contracts tell of it: the master (TEP-74, TEP-89) and a holder's wallet. What they say is the issuer's
 * word: nothing of it may decide over a pool's money, but whether a pool is made, and whether a deposit is sent.
 */
import { type Address, beginCell, type TupleReader } from "@ton/core";
import { Problem } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { CallOptions, Chain } from "./chain.ts";
import { type JettonMetadata, parseMetadata } from "./jetton_metadata.ts";

/** What a wallet says of itself. */
export interface JettonWalletData {
  /** In the jetton's smallest unit. */
  readonly balance: bigint;
  readonly owner: Address;
  readonly master: Address;
}

/**
 * The wallet that the master gives to `owner`, deployed or not.
 *
 * @throws {Problem} `contract_refused` when the account is no master, `chain_inconsistent` for an answer of another shape
 */
export function jettonWalletAddress(
  chain: Chain,
  master: Address,
  owner: Address,
  options?: CallOptions,
): Promise<Address> {
  const args = [{ type: "slice", cell: beginCell().storeAddress(owner).endCell() }] as const;
  return ask(chain, master, "get_wallet_address", (stack) => stack.readAddress(), options, args);
}

/** What a master says of its jetton; members are absent where the chain does not hold them. Throws as the above. */
export function jettonMetadata(
  chain: Chain,
  master: Address,
  options?: CallOptions,
): Promise<JettonMetadata> {
  return ask(chain, master, "get_jetton_data", (stack) => {
    stack.readBigNumber(); // supply
    stack.readBoolean(); // mintable
    stack.readAddressOpt(); // admin
    return parseMetadata(stack.readCell());
  }, options);
}

/** A wallet's own data; undefined where none is deployed. Throws as the above. */
export async function jettonWalletData(
  chain: Chain,
  wallet: Address,
  options?: CallOptions,
): Promise<JettonWalletData | undefined> {
  const { state } = await chain.account(wallet, options);
  if (state !== "active") return undefined;
  return await ask(chain, wallet, "get_wallet_data", (stack) => ({
    balance: stack.readBigNumber(),
    owner: stack.readAddress(),
    master: stack.readAddress(),
  }), options);
}

async function ask<T>(
  chain: Chain,
  address: Address,
  method: string,
  read: (stack: TupleReader) => T,
  options?: CallOptions,
  args: Parameters<Chain["get"]>[2] = [],
): Promise<T> {
  const stack = await chain.get(address, method, args, options);
  try {
    return read(stack);
  } catch (cause) {
    throw new Problem(
      "chain_inconsistent",
      `${method} of ${shownAddress(address, chain.network)} gave another shape`,
      { cause },
    );
  }
}
