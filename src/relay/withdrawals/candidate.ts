/** The types of a withdrawal under check, and of the checks. */
import type { Address } from "@ton/core";
import type { publicSignalNames } from "../../core/crypto/groth16.ts";
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

export type WithdrawSignals = Readonly<Record<(typeof publicSignalNames.withdraw)[number], bigint>>;

/** A request that is well-formed but not checked. */
export interface SubmittedWithdrawal {
  readonly pool: Address;
  readonly proof: unknown; // validated by `parseProof`
  readonly signals: WithdrawSignals;
  readonly recipient: Address;
  readonly fee: bigint; // in the smallest unit of the pool's asset
  readonly refund: bigint; // nano
}

export interface CheckDeps {
  readonly poolCache: PoolCache;
  readonly store: Store;
  readonly wallet: Wallet;
  readonly proofVerifier: ProofVerifier;
  readonly priceCache: PriceCache;
  readonly balance: WalletBalance;
  /** Withdrawals that passed the funds check and may not be journaled yet, with their job names. */
  readonly unjournaled: Map<Candidate, string>;
  readonly hourlyCaps?: HourlyCaps; // undefined: withdrawals are not counted
  readonly clock: Clock;
  readonly feeBps: number;
  readonly feeMinNano: bigint;
  /** Maximum cost of a jetton withdrawal, in nano; undefined: no limit. */
  readonly maxCostNano?: bigint;
  readonly pools: Pick<ReadonlyMap<string, PoolState>, "get">;
}

export interface Candidate {
  readonly request: SubmittedWithdrawal;
  readonly deps: CheckDeps;
  readonly pool: PoolState; // set after the check "pool is registered"
}

export interface WithdrawalCheck {
  readonly name: string;
  readonly problemCode: ProblemCode;
  /** Returns false, or members of the problem document, if the rule does not hold. */
  readonly holds: (candidate: Candidate) => CheckVerdict | Promise<CheckVerdict>;
  /** Called once if the rule held, when the checks end. `accepted`: the withdrawal was accepted. */
  readonly onFinish?: (candidate: Candidate, accepted: boolean) => Promise<void>;
}

/** Must be called exactly once. */
export type FinishChecks = (accepted: boolean) => Promise<void>;

export type CheckVerdict = boolean | {
  readonly detail?: string;
  readonly members: Record<string, unknown>;
  readonly errors?: readonly ProblemDetail[];
};
