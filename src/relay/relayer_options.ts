/** What a relayer needs, and what it offers to the HTTP layer. */
import type { Address } from "@ton/core";
import type { Deployments } from "../core/protocol/deployments.ts";
import type { Network } from "../core/protocol/network.ts";
import type { Clock } from "../core/time.ts";
import type { RateLimitStore } from "../store/rate_limit_store.ts";
import type { Store } from "../store/store.ts";
import type { TreeSnapshotStore } from "../store/tree_snapshot_store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet } from "../ton/wallet/wallet.ts";
import type { TreeService } from "../tree/tree_service.ts";
import type { PoolState, Readiness } from "./indexer/pool_state.ts";
import type { CommitmentsPage, TreePath } from "./indexer/pool_tree.ts";
import type { Health } from "./operations/health.ts";
import type { ServiceAlert, ServiceAlertThresholds } from "./operations/service_alerts.ts";
import type { BalanceAlert, BalanceThresholds } from "./wallet/balance.ts";
import type { Submission } from "./withdrawals/accept.ts";
import type { WithdrawRequest } from "./withdrawals/checks.ts";
import type { HourlyCaps } from "./withdrawals/hourly_caps.ts";
import type { WithdrawProofVerifier } from "./withdrawals/proof_verifier.ts";
import type { WithdrawalView } from "./withdrawals/view.ts";

/** The part of the configuration that the relayer uses. */
export interface RelayerConfig {
  readonly network: Network;
  readonly fee: { readonly bps: number; readonly minNano: bigint; readonly maxCostNano?: bigint };
  readonly indexer: { readonly apiKey?: unknown; readonly verify?: { readonly apiKey?: unknown } };
  /** Without it, finished withdrawals stay in the journal. */
  readonly store?: { readonly retentionDays: number };
}

/** Dependencies of a relayer. It owns the store and closes it. */
export interface RelayerOptions {
  readonly config: RelayerConfig;
  readonly chain: Chain;
  readonly wallet: Wallet;
  readonly store: Store;
  readonly prover: WithdrawProofVerifier;
  /** Hash of this build's verification keys; a pool with other keys is not served. */
  readonly vkeyHash: string;
  readonly deployments: Deployments;
  /** Hashes and encodes trees. Default: on this thread. */
  readonly treeService?: TreeService;
  /** Where trees are saved for the next start. Default: nowhere. */
  readonly snapshots?: TreeSnapshotStore;
  /** Default: no limit on withdrawals an hour. */
  readonly hourlyCaps?: HourlyCaps;
  /** Default: none. */
  readonly balanceThresholds?: BalanceThresholds;
  /** Delivers alerts; must not throw. Default: no alerts; a low balance is still logged. */
  readonly sendAlert?: (alert: BalanceAlert | ServiceAlert) => void;
  /** Default: no service alerts. */
  readonly serviceAlertThresholds?: ServiceAlertThresholds;
  /** Returns the outcome of the last request to the chain endpoint. */
  readonly lastChainOutcome?: () => "ok" | "failed" | undefined;
  /** The cache that replicas share. */
  readonly rateLimitStore?: Pick<RateLimitStore, "ping">;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly fillRandom?: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly log: Log;
}

/** The response of `/note/check`; null: not requested, or unknown. */
export interface NoteState {
  readonly deposited: boolean | null;
  readonly leafIndex: number | null;
  readonly timestamp: number | null;
  readonly spent: boolean | null;
}

/** A running relayer. Methods that take a pool throw `unknown_pool`; those that read its tree also `not_ready`. */
export interface Relayer {
  readonly network: Network;
  readonly feeBps: number;
  readonly feeMinNano: bigint;
  /** The address that a client binds into its proof. */
  readonly address: string;
  /** Returns the pools that are served. */
  pools(): PoolState[];
  noteState(
    pool: Address,
    commitment: bigint | undefined,
    nullifierHash: bigint | undefined,
  ): Promise<NoteState>;
  root(pool: Address): bigint;
  path(pool: Address, commitment: bigint): TreePath;
  commitments(pool: Address, from: number, limit: number): CommitmentsPage & { readonly pool: string };
  submit(request: WithdrawRequest): Promise<Submission>;
  withdrawal(pool: Address, nullifierHash: bigint): Promise<WithdrawalView>;
  /** Returns the health of the dependencies and of every pool. */
  health(): Promise<Health>;
  /** Returns the readiness of every registered pool, including those that are not served. */
  readiness(): { ready: boolean; pools: Record<string, Readiness & { leaves: number }> };
  /** Stops the background tasks, finishes pending submissions, then closes the store. */
  close(): Promise<void>;
}
