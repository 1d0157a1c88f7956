/** Jetton pools whose wallet refuses payouts. */
import { Address, beginCell, toNano } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import { loadPoolLog, type RefusedPayoutLog } from "../../../src/core/protocol/messages/pool_messages.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import type { Claim } from "../../../testkit/chain/pool_storage.ts";
import type { Outcome } from "../../../testkit/chain/pool_sandbox.ts";

export const at = (byte: number) => new Address(0, Buffer.alloc(32, byte));

/** Replaces the wallet by a contract that throws. The returned function restores the wallet. */
export async function lockWallet(
  { pool: { chain }, poolWallet }: JettonSandbox,
): Promise<() => Promise<void>> {
  const before = (await chain.getContract(poolWallet)).account;
  const code = beginCell().storeUint(0xf230, 16).endCell(); // THROW 48
  await chain.setShardAccount(
    poolWallet,
    createShardAccount({ address: poolWallet, code, data: code, balance: toNano(1) }),
  );
  return () => chain.setShardAccount(poolWallet, before);
}

/** Returns the logs of refused payouts in all transactions of the pool. */
export function refusals(
  { pool }: JettonSandbox,
  outcome: Outcome,
): RefusedPayoutLog[] {
  const account = BigInt(`0x${pool.address.hash.toString("hex")}`);
  return outcome.transactions.filter(({ address }) => address === account).flatMap(({ outMessages }) =>
    outMessages.values().filter(({ info }) => info.type === "external-out").map(({ body }) =>
      loadPoolLog(body)
    )
  ).filter((log): log is RefusedPayoutLog => log !== undefined && log.kind.startsWith("payout"));
}

export const manyClaims = (count: number) =>
  new Map<bigint, Claim>(
    Array.from(
      { length: count },
      (_, i) => [BigInt(i + 1) * 1_000_003n, { amount: BigInt(i + 1), destination: at(5) }],
    ),
  );

export async function withClaims(count: number): Promise<JettonSandbox> {
  const jettons = await JettonSandbox.open();
  const jetton = { master: jettons.minter.address, wallet: jettons.poolWallet, claims: manyClaims(count) };
  await jettons.setState({ deposits: 40, withdrawals: 0, jetton });
  return jettons;
}

export const fromWallet = ({ poolWallet: from }: JettonSandbox) => ({ from, bounce: false, bounced: true });
