import { randomBytes } from "node:crypto";
import type { Address } from "@ton/core";
import { keyPairFromSeed } from "@ton/crypto";
import { WalletContractV4 } from "@ton/ton/dist/wallets/WalletContractV4.js";
import { Problem } from "../../../core/errors/problem.ts";
import { monotonicClock } from "../../../core/time/clock.ts";
import { pollUntil } from "../../../core/time/deadline.ts";

/** Unused, so it is paid before it exists on chain. */
export function freshAddress(): Address {
  const { publicKey } = keyPairFromSeed(randomBytes(32));
  return WalletContractV4.create({ workchain: 0, publicKey }).address;
}

export function formatLocalnetAddress(address: Address, bounceable = false): string {
  return address.toString({ bounceable, testOnly: true });
}

export function elapsedMs(began: number): number {
  return Math.round(monotonicClock.now() - began);
}

export function assertClaim(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new Error(`this did not happen: ${claim}`);
}

export const CLAIM_TIMEOUT_MS = 120_000;
export const POLL_INTERVAL_MS = 100;

export async function waitForClaim(claim: string, holds: () => Promise<boolean>): Promise<void> {
  const holdsYet = () =>
    holds().catch((error) => {
      if (error instanceof Problem && error.code === "not_ready") return false;
      throw error;
    });
  const isTrue = await pollUntil(holdsYet, { intervalMs: POLL_INTERVAL_MS, timeoutMs: CLAIM_TIMEOUT_MS });
  assertClaim(isTrue, `${claim} within ${CLAIM_TIMEOUT_MS / 1000} s`);
}
