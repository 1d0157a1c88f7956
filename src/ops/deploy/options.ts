/** Options of a deployment, shared by its steps. */
import type { Deployments } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import { pollUntil } from "../../core/time.ts";
import type { Artifacts } from "../../prover/artifacts.ts";
import type { Chain } from "../../ton/chain.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolPlan } from "./pool_plan.ts";

/** How to wait for the chain. Times are in milliseconds. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Time between two reads of the chain. Default: 2000. */
  readonly pollIntervalMs?: number;
  /** Default: 3 minutes. */
  readonly timeoutMs?: number;
  /** Called before each wait. */
  readonly onWait?: (waited: { elapsed: number; timeout: number }) => void;
}

/** Where and how to deploy. */
export interface DeployOptions extends WaitOptions {
  readonly chain: Chain;
  /** Pays for the pools. */
  readonly wallet: Wallet;
  readonly network: Network;
  /** The current registry. A pool listed there keeps its `deployedSeqno` and is never replaced. */
  readonly registry?: Deployments;
  /** Source of the keys. Default: this build's artifacts. */
  readonly artifacts?: Artifacts;
  /** Returns why no ceremony vouches for the keys, or undefined. Default: verifies the transcript among the artifacts. */
  readonly findKeyFault?: (artifacts: Artifacts) => Promise<string | undefined>;
  /** Called once, after every check and before money moves. Throws to cancel the deployment. */
  readonly confirm?: (order: DeployOrder) => Promise<void>;
  /** Receives doubts that do not prevent the deployment. */
  readonly onWarning?: (text: string) => void;
}

/** The deployment to confirm. Amounts are in nano. */
export interface DeployOrder {
  /** Pools that do not exist yet. */
  readonly pools: readonly Pick<
    PoolPlan,
    "address" | "asset" | "amount" | "generation" | "denomination" | "jetton" | "owner" | "terms"
  >[];
  /** Initial balances, and the value of messages to jetton masters, half of which returns. Excludes fees. */
  readonly value: bigint;
  /** Balance of the wallet. */
  readonly balance: bigint;
  /** Label of the keys that the pools trust. */
  readonly keys: string;
}

/** Polls the chain until `holds` returns true. Returns false after the timeout. Throws `cancelled`. */
export function waitForChain(holds: () => Promise<boolean>, options: WaitOptions): Promise<boolean> {
  const { signal, onWait, pollIntervalMs = 2_000, timeoutMs = 180_000 } = options;
  return pollUntil(holds, { signal, onWait, intervalMs: pollIntervalMs, timeoutMs });
}
