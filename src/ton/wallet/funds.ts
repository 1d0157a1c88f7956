import { Problem } from "../../core/errors/problem.ts";
import { formatNative } from "../../core/protocol/units.ts";
import type { Wallet } from "./wallet.ts";

export async function assertFunds(wallet: Wallet, needed: bigint, what: string): Promise<void> {
  const balance = await wallet.balance();
  if (balance >= needed) return;
  const [has, needs] = [balance, needed].map((nano) => formatNative(nano));
  throw new Problem("insufficient_funds", `${wallet.format()} holds ${has}, the ${what} needs ${needs}`);
}
