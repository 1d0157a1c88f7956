/** What the demonstration stands on: waiting with a limit, claims that throw, balances side by side. */
import { randomBytes } from "node:crypto";
import type { Address } from "@ton/core";
import { keyPairFromSeed } from "@ton/crypto";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { Problem } from "../core/errors.ts";

/** Asks the same of every account. */
export async function each<K extends string, T>(
  accounts: Record<K, Address>,
  ask: (address: Address) => Promise<T>,
): Promise<Record<K, T>> {
  const names = Object.keys(accounts) as K[];
  const answers = await Promise.all(names.map((name) => ask(accounts[name])));
  return Object.fromEntries(names.map((name, i) => [name, answers[i]])) as Record<K, T>;
}

/** Address of a wallet that nobody has used: it is paid before it exists on chain. */
export function freshAddress(): Address {
  const { publicKey } = keyPairFromSeed(randomBytes(32));
  return WalletContractV4.create({ workchain: 0, publicKey }).address;
}

/** Wallets are shown non-bounceable, pools bounceable. */
export function show(address: Address, bounceable = false): string {
  return address.toString({ bounceable, testOnly: true });
}

/** Whole milliseconds. */
export function since(began: number): number {
  return Math.round(performance.now() - began);
}

/** @throws {Error} when the claim does not hold */
export function must(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Error(`this did not happen: ${claim}`);
}

const PATIENCE_MS = 30_000;
const POLL_MS = 100;

/** Polls until `holds`; what the relayer is not ready for yet counts as not yet. */
export async function until(claim: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline;) {
    const yes = await holds().catch((error) => {
      if (error instanceof Problem && error.code === "not_ready") return false;
      throw error;
    });
    if (yes) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  must(false, `${claim} within ${PATIENCE_MS / 1000} s`);
}
