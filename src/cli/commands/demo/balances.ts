import type { Address } from "@ton/core";
import type { Chain } from "../../../ton/chain.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../../ton/jetton/jetton.ts";
import { formatLocalnetAddress } from "./assertions.ts";
import type { BalanceChange } from "./events.ts";

export type DemoAccounts = Readonly<Record<"recipient" | "relayer" | "pool", Address>>;
type Balances = Readonly<Record<keyof DemoAccounts, bigint>>;

/** In nano. */
export function readNativeBalances(chain: Chain, accounts: DemoAccounts): Promise<Balances> {
  return mapAccounts(accounts, async (address) => (await chain.account(address)).balance);
}

/** In the jetton's smallest unit. */
export function readJettonBalances(chain: Chain, master: Address, accounts: DemoAccounts): Promise<Balances> {
  return mapAccounts(accounts, async (owner) => {
    const wallet = await fetchJettonWalletAddress(chain, master, owner);
    return (await fetchJettonWalletData(chain, wallet))?.balance ?? 0n;
  });
}

export function balanceChanges(accounts: DemoAccounts, before: Balances, after: Balances): BalanceChange[] {
  return (["recipient", "relayer", "pool"] as const).map((account) => ({
    account,
    address: formatLocalnetAddress(accounts[account], account === "pool"),
    before: before[account],
    after: after[account],
  }));
}

async function mapAccounts(
  { recipient, relayer, pool }: DemoAccounts,
  read: (address: Address) => Promise<bigint>,
): Promise<Balances> {
  return { recipient: await read(recipient), relayer: await read(relayer), pool: await read(pool) };
}
