/** A withdrawal that is being checked, and what a check is. */
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

/** The six public inputs, by name. */
export interface WithdrawSignals {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly recipient: bigint;
  readonly relayer: bigint;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** A well-formed withdrawal request that has not been checked. Amounts in nano. */
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
  /** Undefined: withdrawals are not counted. */
  readonly hourlyCaps?: HourlyCaps;
  readonly clock: Clock;
  readonly feeBps: number;
  /** Default minimum fee of native pools, nano. */
  readonly feeMinNano: bigint;
  /** Maximum cost of a jetton withdrawal, nano; undefined: unlimited. */
  readonly maxCostNano?: bigint;
  /** The offered pools, by raw address. */
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
}

/** A withdrawal that is being checked. */
export interface Candidate {
  readonly request: WithdrawRequest;
  readonly deps: CheckDeps;
  /** Set after "pool is registered" has passed. */
  readonly pool: PoolState;
}

export interface WithdrawalCheck {
  readonly name: string;
  readonly problemCode: ProblemCode;
  /** Returns true if the rule holds; else false or the members of the problem document. */
  readonly holds: (candidate: Candidate) => CheckVerdict | Promise<CheckVerdict>;
  /** Called once after the rule held, with whether the withdrawal was accepted. */
  readonly onFinish?: (candidate: Candidate, accepted: boolean) => Promise<void>;
}

/** Finishes passed checks. Must be called exactly once. */
export type FinishChecks = (accepted: boolean) => Promise<void>;

/** Whether a rule holds; members of the problem document if not. */
export type CheckVerdict = boolean | {
  readonly detail?: string;
  readonly members: Record<string, unknown>;
  readonly errors?: readonly ProblemDetail[];
};
