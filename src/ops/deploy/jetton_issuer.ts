/**
 * Reads what the issuer of a jetton can do to a pool. Getters and code show some of the issuer's powers. They
 * do not show code that is loaded from a library or from data, lists of blocked accounts, or what an admin
 * contract permits.
 */
import type { Address, Cell } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { CallOptions, Chain } from "../../ton/chain.ts";
import { uniqueCells } from "../../ton/account_storage.ts";
import {
  fetchJettonMasterData,
  fetchJettonWalletAddress,
  fetchJettonWalletData,
  fetchJettonWalletStatus,
} from "../../ton/jetton/jetton.ts";

/** What the chain shows of an issuer's powers. */
export interface IssuerFacts {
  readonly admin: Address | null;
  readonly mintable: boolean;
  /** Whether the master's code may contain SETCODE; undefined if its code is in a library. */
  readonly masterUpgradable?: boolean;
  /** Whether the code of new wallets may contain SETCODE; undefined if their code is in a library. */
  readonly walletUpgradable?: boolean;
  /**
   * `get_status` of the owner's wallet. null: the wallet has no such getter. undefined: the owner has no
   * jetton wallet to ask.
   */
  readonly walletStatus?: number | null;
}

const SET_CODE = 0xfb04;
const OPCODE_BITS = 16;

/**
 * Returns what the chain shows of an issuer's powers over the jetton. The wallet of `owner` is queried for its
 * status, because a pool that does not exist yet has no wallet.
 * @throws {Problem} `contract_refused` if `master` is not a jetton's, `chain_inconsistent` for a malformed
 * result
 */
export async function fetchIssuerFacts(
  chain: Chain,
  { master, owner }: { readonly master: Address; readonly owner: Address },
  options?: CallOptions,
): Promise<IssuerFacts> {
  const { mintable, admin, walletCode } = await fetchJettonMasterData(chain, master, options);
  const { code } = await chain.account(master, options);
  const wallet = await fetchJettonWalletAddress(chain, master, owner, options);
  return {
    admin,
    mintable,
    masterUpgradable: code && containsSetCode(code),
    walletUpgradable: containsSetCode(walletCode),
    walletStatus: await readStatus(chain, wallet, options),
  };
}

/**
 * Returns whether code may contain SETCODE, or undefined if part of it is a library or another exotic cell.
 * All bit positions are searched, because methods in a dictionary have no alignment: true may be a
 * coincidence. false says nothing about code that is loaded from data or from a message.
 */
export function containsSetCode(code: Cell): boolean | undefined {
  const cells = uniqueCells([code]);
  if (cells.filter((cell) => !cell.isExotic).some(holdsOpcode)) return true;
  return cells.some((cell) => cell.isExotic) ? undefined : false;
}

function holdsOpcode({ bits }: Cell): boolean {
  let window = 0;
  for (let i = 0; i < bits.length; i++) {
    window = (window << 1 | (bits.at(i) ? 1 : 0)) & 0xffff;
    if (i >= OPCODE_BITS - 1 && window === SET_CODE) return true;
  }
  return false;
}

async function readStatus(
  chain: Chain,
  wallet: Address,
  options?: CallOptions,
): Promise<number | null | undefined> {
  if ((await chain.account(wallet, options)).state !== "active") return undefined;
  try {
    return await fetchJettonWalletStatus(chain, wallet, options);
  } catch (error) {
    if (error instanceof Problem && error.code === "contract_refused") return null;
    throw error;
  }
}

/** Returns the units that `owner` holds, 0n without a jetton wallet. */
export async function fetchJettonBalance(
  chain: Chain,
  { master, owner }: { readonly master: Address; readonly owner: Address },
  options?: CallOptions,
): Promise<bigint> {
  const wallet = await fetchJettonWalletAddress(chain, master, owner, options);
  return (await fetchJettonWalletData(chain, wallet, options))?.balance ?? 0n;
}
