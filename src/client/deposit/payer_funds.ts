/** Whether a connected wallet can pay a deposit, checked before the wallet is asked. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { formatAmount, formatNative } from "../../core/protocol/units.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchJettonWalletAddress, fetchJettonWalletData } from "../../ton/jetton/jetton.ts";
import type { PoolJetton } from "../notes/pool_match.ts";

interface ConnectedWallet {
  readonly address: Address;
}

/** Coins that a wallet needs for the fees of a deposit, in addition to the denomination. */
const GAS_RESERVE_NANO = 200_000_000n;
/** Coins for the wallet's own transaction. */
const WALLET_FEE_NANO = 20_000_000n;

/** Throws `insufficient_funds` unless the wallet holds the denomination, and for coins also the fees. */
export async function assertFunds(
  chain: Chain,
  { denomination, jetton }: { readonly denomination: bigint; readonly jetton?: PoolJetton | undefined },
  { address }: ConnectedWallet,
): Promise<void> {
  const { balance } = await chain.account(address);
  const short = (holds: string) =>
    new Problem("insufficient_funds", `the wallet holds ${holds}, less than the deposit and its fees`);
  if (jetton === undefined) {
    if (balance < denomination + GAS_RESERVE_NANO) throw short(formatNative(balance));
    return;
  }
  const wallet = await fetchJettonWalletAddress(chain, jetton.jettonMaster, address);
  const held = (await fetchJettonWalletData(chain, wallet))?.balance ?? 0n;
  if (held < denomination) throw short(formatAmount(held, jetton));
}

/**
 * Throws `insufficient_funds` unless the wallet holds the coins that a transfer of jettons carries, most of which return.
 *
 * @param value in nano
 */
export async function assertGas(chain: Chain, { address }: ConnectedWallet, value: bigint): Promise<void> {
  const { balance } = await chain.account(address);
  if (balance >= value + WALLET_FEE_NANO) return;
  const [holds, needs] = [balance, value + WALLET_FEE_NANO].map((nano) => formatNative(nano));
  throw new Problem(
    "insufficient_funds",
    `the wallet holds ${holds}; the payment must carry ${needs} for fees, most of which returns`,
  );
}
