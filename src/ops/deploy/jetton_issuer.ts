/** Reads which of a jetton issuer's powers over a pool getters and code show. There may be others. */
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

export interface IssuerFacts {
  readonly admin: Address | null;
  readonly mintable: boolean;
  /** Whether the master's code may contain SETCODE; undefined if its code is in a library. */
  readonly masterUpgradable?: boolean;
  /** Whether the code of new wallets may contain SETCODE; undefined if their code is in a library. */
  readonly walletUpgradable?: boolean;
  /** `get_status` of the owner's wallet. null: no such getter. undefined: the owner has no jetton wallet. */
  readonly walletStatus?: number | null;
}

const SET_CODE = 0xfb04;
const OPCODE_BITS = 16;

/** Queries `owner`'s wallet, because a new pool has none. Throws `contract_refused`, `chain_inconsistent`. */
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

/** Returns whether code may contain SETCODE, at any bit position; undefined if part of it is a library. */
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
