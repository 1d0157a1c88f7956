/** The issuer controls these answers, so they only decide whether a pool is deployed or a deposit is sent. */
import { type Address, beginCell, type Cell } from "@ton/core";
import type { CallOptions, Chain } from "../chain.ts";
import { callGetter } from "../getter.ts";
import { type JettonMetadata, parseJettonMetadata } from "./jetton_metadata.ts";

/** A master's rights and the code of new wallets, of `get_jetton_data`. */
interface JettonMasterData {
  readonly mintable: boolean;
  readonly admin: Address | null; // null: the master has no admin
  readonly walletCode: Cell;
}

/** The result of a jetton wallet's `get_wallet_data`. */
export interface JettonWalletData {
  /** In the jetton's smallest unit. */
  readonly balance: bigint;
  readonly owner: Address;
  readonly master: Address;
}

/**
 * Returns the address of `owner`'s jetton wallet, deployed or not.
 * @throws {Problem} `contract_refused` if `master` is not one, `chain_inconsistent` for a malformed result
 * @example
 * ```ts
 * const jettonWallet = await fetchJettonWalletAddress(chain, master, wallet.address);
 * ```
 */
export function fetchJettonWalletAddress(
  chain: Chain,
  master: Address,
  owner: Address,
  options?: CallOptions,
): Promise<Address> {
  const args = [{ type: "slice", cell: beginCell().storeAddress(owner).endCell() }] as const;
  return callGetter(chain, master, "get_wallet_address", (stack) => stack.readAddress(), options, args);
}

export function fetchJettonMetadata(
  chain: Chain,
  master: Address,
  options?: CallOptions,
): Promise<JettonMetadata> {
  return callGetter(chain, master, "get_jetton_data", (stack) => {
    stack.readBigNumber(); // supply
    stack.readBoolean(); // mintable
    stack.readAddressOpt(); // admin
    return parseJettonMetadata(stack.readCell());
  }, options);
}

export function fetchJettonMasterData(
  chain: Chain,
  master: Address,
  options?: CallOptions,
): Promise<JettonMasterData> {
  return callGetter(chain, master, "get_jetton_data", (stack) => {
    stack.readBigNumber(); // supply
    const mintable = stack.readBoolean();
    const admin = stack.readAddressOpt();
    stack.readCell(); // metadata
    return { mintable, admin, walletCode: stack.readCell() };
  }, options);
}

/** 0: unlocked; bit 0 locks sending, bit 1 receiving. Throws `contract_refused` for other wallets. */
export function fetchJettonWalletStatus(
  chain: Chain,
  wallet: Address,
  options?: CallOptions,
): Promise<number> {
  return callGetter(chain, wallet, "get_status", (stack) => stack.readNumber(), options);
}

/**
 * Returns the data of a jetton wallet, or undefined if it is not deployed.
 * @throws {Problem} `chain_inconsistent` for a malformed result
 * @example
 * ```ts
 * const balance = (await fetchJettonWalletData(chain, jettonWallet))?.balance ?? 0n;
 * ```
 */
export async function fetchJettonWalletData(
  chain: Chain,
  wallet: Address,
  options?: CallOptions,
): Promise<JettonWalletData | undefined> {
  const { state } = await chain.account(wallet, options);
  if (state !== "active") return undefined;
  return await callGetter(chain, wallet, "get_wallet_data", (stack) => ({
    balance: stack.readBigNumber(),
    owner: stack.readAddress(),
    master: stack.readAddress(),
  }), options);
}
