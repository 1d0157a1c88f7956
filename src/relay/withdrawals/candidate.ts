import type { Address } from "@ton/core";
import type { ProblemCode, ProblemDetail } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time.ts";
import type { Store } from "../../store/store.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { WalletBalance } from "../wallet/balance.ts";
import type { HourlyCaps } from "./hourly_caps.ts";
import type { PoolCache } from "./pool_cache.ts";
import type { PriceCache } from "./price_cache.ts";
import type { ProofVerifier } from "./proof_verifier.ts";

export interface WithdrawSignals {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly recipient: bigint;
  readonly relayer: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** Well-formed but not checked. Amounts in nano. */
export interface WithdrawRequest {
  readonly pool: Address;
  /** `parseProof` validates it. */
  readonly proof: unknown;
  readonly signals: WithdrawSignals;
  readonly recipient: Address;
  readonly fee: bigint;
  readonly refund: bigint;
}

export interface CheckDeps {
  readonly poolCache: PoolCache;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly proofVerifier: ProofVerifier;
  readonly priceCache: PriceCache;
  readonly balance: WalletBalance;
  /** Funded withdrawals that may not be journaled yet, with their job names. */
  readonly unjournaled: Map<Candidate, string>;
  /** Undefined: not counted. */
  readonly hourlyCaps?: HourlyCaps;
  readonly clock: Clock;
  readonly feeBps: number;
  /** For native pools, in nano. */
  readonly feeMinNano: bigint;
  /** For jetton withdrawals, in nano; undefined: no limit. */
  readonly maxCostNano?: bigint;
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
}

export interface Candidate {
  readonly request: WithdrawRequest;
  readonly deps: CheckDeps;
  /** Set once "pool is registered" has passed. */
  readonly pool: PoolState;
}

export interface WithdrawalCheck {
  readonly name: string;
  readonly problemCode: ProblemCode;
  /** Returns false, or members of the problem document, if the rule does not hold. */
  readonly holds: (candidate: Candidate) => CheckVerdict | Promise<CheckVerdict>;
  /** Called once after the rule held, with whether the withdrawal was accepted. */
  readonly onFinish?: (candidate: Candidate, accepted: boolean) => Promise<void>;
}

/** Must be called exactly once. */
export type FinishChecks = (accepted: boolean) => Promise<void>;

export type CheckVerdict = boolean | {
  readonly detail?: string;
  readonly members: Record<string, unknown>;
  readonly errors?: readonly ProblemDetail[];
};
