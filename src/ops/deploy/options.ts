import type { Address } from "@ton/core";
import type { Deployments } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import { pollUntil } from "../../core/time/deadline.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import type { Chain } from "../../ton/chain.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolPlan } from "./pool_plan.ts";

export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly pollIntervalMs?: number; // default: 2,000
  readonly timeoutMs?: number; // default: 3 minutes
  readonly onWait?: (waited: { elapsed: number; timeout: number }) => void;
}

export interface DeployOptions extends WaitOptions {
  readonly chain: Chain;
  readonly wallet: Wallet;
  readonly network: Network;
  /** A listed pool keeps its `deployedSeqno` and is never replaced. */
  readonly registry?: Deployments;
  readonly artifacts?: Artifacts;
  /** Returns why no ceremony vouches for the keys. Default: verifies the artifacts' transcript. */
  readonly findKeyFault?: (artifacts: Artifacts, version: 1 | 2) => Promise<string | undefined>;
  /** Called after every check and before money moves. An error cancels the deployment. */
  readonly confirm?: (order: DeployOrder) => Promise<void>;
  /** Called for each jetton pool after the trial that moves a unit through it. */
  readonly onTrial?: (outcome: TrialOutcome) => void;
  readonly onWarning?: (text: string) => void;
}

/**
 * `skipped`: the deployer has too few units. `earlier`: no unit was moved through the pool, because it is in the registry,
 * or because it has paid out before and the least payout succeeded.
 */
export type TrialOutcome = "returned" | "skipped" | "earlier";

/** The deployment to confirm. Amounts in nano. */
export interface DeployOrder {
  readonly pools: readonly Pick<
    PoolPlan,
    "address" | "asset" | "amount" | "generation" | "version" | "denomination" | "jetton" | "owner" | "terms"
  >[];
  /** Existing pools that lack a part of their initial balance, because someone else deployed them. */
  readonly topUps: readonly { readonly address: Address; readonly value: bigint }[];
  /** Initial balances, top-ups and messages to jetton masters, half of which returns; without fees. */
  readonly value: bigint;
  /** Attached to the units of the jettons' trials; most of it returns. 0n: no trial. */
  readonly trial: bigint;
  /** Whether a trial moves a unit through a pool. Otherwise a trial only sends the least payout. */
  readonly movesUnit: boolean;
  readonly balance: bigint;
  readonly keys: string;
}

/** Returns false after the timeout. Throws `cancelled`. */
export function waitForChain(holds: () => Promise<boolean>, options: WaitOptions): Promise<boolean> {
  const { signal, onWait, pollIntervalMs = 2_000, timeoutMs = 180_000 } = options;
  return pollUntil(holds, { signal, onWait, intervalMs: pollIntervalMs, timeoutMs });
}
