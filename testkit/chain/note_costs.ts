/**
 * The costs of a deposit and a withdrawal to their senders at mainnet's prices, from the fees of real
 * messages.
 */
import { type Address, type Cell, toNano } from "@ton/core";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { chainPrices } from "./chain_prices.ts";
import { JettonSandbox } from "./jetton_sandbox.ts";
import { type Outcome, PoolSandbox } from "./pool_sandbox.ts";

const prices = chainPrices(mainnetConfig());

/** Returns the forward fee of a message that carries this body in a reference, as wallets send it. */
export function sendingFee(body: Cell): bigint {
  const cells = new Map<string, Cell>();
  const scan = (cell: Cell) => {
    cells.set(cell.hash().toString("hex"), cell);
    cell.refs.forEach(scan);
  };
  scan(body);
  const bits = [...cells.values()].reduce((sum, { bits }) => sum + BigInt(bits.length), 0n);
  return prices.forward(0, { cells: BigInt(cells.size), bits });
}

/** Returns the coins in all messages that the pool sent. */
export const sentCoins = ({ sent }: Outcome): bigint =>
  sent.reduce((sum, { info }) => info.type === "internal" ? sum + info.value.coins : sum, 0n);

/** The costs in nano, without the denomination and the gas of the sending wallet. */
interface NoteCosts {
  readonly deposit: bigint;
  readonly withdrawal: bigint;
}

function assertAccepted(outcome: Outcome): Outcome {
  if (outcome.exitCode !== 0) throw new Error(`exit code ${outcome.exitCode}`);
  return outcome;
}

export async function measureNativeCosts(): Promise<NoteCosts> {
  const pool = await PoolSandbox.open({ prices: "mainnet" });
  await pool.deposit(); // not the first deposit, which finds an empty log
  const deposit = sendingFee(await pool.depositBody());
  await pool.deposit();
  const value = await pool.withdrawValue();
  const paid = assertAccepted(await pool.withdraw({ value }));
  return {
    deposit,
    withdrawal: value + pool.denomination - sentCoins(paid) + sendingFee(pool.withdrawBody()),
  };
}

export async function measureJettonCosts(): Promise<NoteCosts> {
  const jettons = await JettonSandbox.open({ prices: "mainnet" });
  const { pool } = jettons;
  const balanceOf = async (address: Address) => (await pool.chain.getContract(address)).balance;
  assertAccepted(await jettons.deposit());
  const before = await balanceOf(pool.user.address);
  const transfer = await jettons.transferMessage();
  assertAccepted(await jettons.deposit());
  const attached = transfer.info.type === "internal" ? transfer.info.value.coins : 0n;
  const deposit = attached - (await balanceOf(pool.user.address) - before);
  const [value, sender] = [await pool.withdrawValue() + toNano("0.1"), pool.relayer.address];
  const held = await balanceOf(sender);
  assertAccepted(await jettons.withdraw({ from: sender, value }));
  return { deposit, withdrawal: value - (await balanceOf(sender) - held) + sendingFee(pool.withdrawBody()) };
}
