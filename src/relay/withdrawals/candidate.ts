/** The types of a withdrawal under check, and of the checks. */
import type { Address } from "@ton/core";
import type { Groth16Proof, publicSignalNames } from "../../core/crypto/groth16.ts";
import { parseProof } from "../../core/crypto/proof_codec.ts";
import type { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Job, JobId, Store } from "../../store/store.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import type { WalletBalance } from "../wallet/balance.ts";
import type { HourlyCaps } from "./hourly_caps.ts";
import type { PoolCache } from "./pool_cache.ts";
import type { PriceCache } from "./price_cache.ts";
import type { ProofVerifier } from "./proof_verifier.ts";

export type WithdrawSignals = Readonly<Record<(typeof publicSignalNames.withdraw)[number], bigint>>;

/** A request that is well-formed but not checked. */
export interface WithdrawalSubmission {
  readonly pool: Address;
  readonly proof: unknown;
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

/** A withdrawal from a registered pool, and what its checks have read: each thing once. */
export class Candidate {
  readonly request: WithdrawalSubmission;
  readonly pool: PoolState;
  readonly deps: CheckDeps;
  readonly id: JobId;
  #earlierJob: Promise<Job | undefined> | undefined;
  #proof: Groth16Proof | undefined;

  constructor({ request, pool, deps }: Pick<Candidate, "request" | "pool" | "deps">) {
    this.request = request;
    this.pool = pool;
    this.deps = deps;
    this.id = { pool: pool.id, nullifierHash: request.signals.nullifierHash };
  }

  /** Returns the note's job from before this withdrawal, as the first call found it. */
  earlierJob(): Promise<Job | undefined> {
    return this.#earlierJob ??= this.deps.store.job(this.id);
  }

  /** Throws `proof_invalid`. */
  proof(): Groth16Proof {
    return this.#proof ??= parseProof(this.request.proof);
  }
}

export interface WithdrawalCheck {
  readonly name: string;
  /** Returns the problem of a withdrawal that breaks the rule. */
  readonly refusal: (candidate: Candidate) => Refusal | Promise<Refusal>;
  /** Called once if the rule held, when the checks end. `accepted`: the withdrawal was accepted. */
  readonly onFinish?: (candidate: Candidate, accepted: boolean) => Promise<void>;
}

export type Refusal = Problem | undefined;

/** Must be called exactly once. */
export type FinishChecks = (accepted: boolean) => Promise<void>;
