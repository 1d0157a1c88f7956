/** What a relayer is built from, and what it offers to the HTTP API. */
import type { Address } from "@ton/core";
import type { z } from "zod";
import type { relayerResponses } from "../core/protocol/api/relayer_api.ts";
import type { Deployments } from "../core/protocol/deployments.ts";
import type { Network } from "../core/protocol/network.ts";
import type { Clock } from "../core/time/clock.ts";
import type { Prover } from "../prover/prover.ts";
import type { RateLimitStore } from "../store/rate_limit_store.ts";
import type { Store } from "../store/store.ts";
import type { TreeSnapshotStore } from "../store/tree_snapshot_store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet } from "../ton/wallet/wallet.ts";
import type { TreeService } from "../tree/tree_service.ts";
import type { VkeyHashes } from "./indexer/deployment_check.ts";
import type { PoolState, Readiness } from "./indexer/pool_state.ts";
import type { SpentPage } from "./indexer/tree/nullifier_log.ts";
import type { CommitmentsPage, LeafPage } from "./indexer/tree/leaf_json.ts";
import type { TreePath } from "./indexer/tree/pool_tree.ts";
import type { Health } from "./monitoring/health.ts";
import type { ServiceAlert, ServiceAlertThresholds } from "./monitoring/service_alerts.ts";
import type { SettleMode } from "./settler/settler.ts";
import type { EndpointRate } from "../ton/endpoint/json_rpc.ts";
import type { BalanceAlert, BalanceThresholds } from "./wallet/balance.ts";
import type { Submission } from "./withdrawals/accept.ts";
import type { WithdrawalSubmission } from "./withdrawals/candidate.ts";
import type { HourlyCaps } from "./withdrawals/hourly_caps.ts";
import type { WithdrawProofVerifier } from "./withdrawals/proof_verifier.ts";
import type { WithdrawalView } from "./withdrawals/view.ts";

export interface RelayerConfig {
  readonly network: Network;
  /** When to settle the deposits of version 2 pools. Default: never. */
  readonly settle?: SettleMode;
  /** Milliseconds that withdrawals of version 2 pools wait for others to share a message with. */
  readonly batchMs: number;
  /** What the relayer adds to a jetton pool for its storage, at most, in nano a year. Default: nothing. */
  readonly topUpNano?: bigint;
  readonly fee: { readonly bps: number; readonly minNano: bigint; readonly maxCostNano?: bigint };
  readonly endpoint: EndpointRate & { readonly verify?: EndpointRate };
  /** Without this member, finished withdrawals stay in the journal. */
  readonly store?: { readonly retentionDays: number };
}

/** The relayer closes the store that it gets here. */
export interface RelayerOptions {
  readonly config: RelayerConfig;
  readonly chain: Chain;
  readonly wallet: Wallet;
  readonly store: Store;
  readonly prover: WithdrawProofVerifier & Partial<Pick<Prover, "proveSettlement">>;
  readonly vkeyHashes: VkeyHashes; // a pool with other keys is not served
  readonly deployments: Deployments;
  readonly treeService?: TreeService; // default: this thread
  readonly snapshots?: TreeSnapshotStore; // default: trees are not saved
  readonly hourlyCaps?: HourlyCaps;
  readonly balanceThresholds?: BalanceThresholds;
  /** Must not throw. Default: no alerts; a low balance is still logged. */
  readonly sendAlert?: (alert: BalanceAlert | ServiceAlert) => void;
  readonly serviceAlertThresholds?: ServiceAlertThresholds;
  readonly lastChainOutcome?: () => "ok" | "failed" | undefined;
  readonly rateLimitStore?: Pick<RateLimitStore, "ping">;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
  readonly fillRandom?: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly log: Log;
}

/** null: not requested, or unknown. */
export type NoteState = z.output<
  ReturnType<typeof relayerResponses<z.ZodString, z.ZodString, z.ZodString>>["noteCheck"]
>;

/** Methods that take a pool throw `unknown_pool`; those that read its tree also `not_ready`. */
export interface Relayer {
  readonly network: Network;
  readonly feeBps: number;
  readonly feeMinNano: bigint;
  readonly address: string; // the address that proofs bind
  pools(): PoolState[];
  noteState(
    pool: Address,
    commitment: bigint | undefined,
    nullifierHash: bigint | undefined,
  ): Promise<NoteState>;
  root(pool: Address): bigint;
  path(pool: Address, commitment: bigint): TreePath;
  commitments(pool: Address, from: number, limit: number): CommitmentsPage & { readonly pool: string };
  /** The leaves of {@linkcode commitments} as bytes. */
  leafPage(pool: Address, from: number, limit: number): LeafPage;
  spent(pool: Address, from: number, limit: number): SpentPage & { readonly pool: string };
  submit(request: WithdrawalSubmission): Promise<Submission>;
  withdrawal(pool: Address, nullifierHash: bigint): Promise<WithdrawalView>;
  health(): Promise<Health>;
  /** Includes registered pools that are not served. */
  readiness(): { ready: boolean; pools: Record<string, Readiness & { leaves: number }> };
  /** Stops the background tasks, finishes pending submissions, then closes the store. */
  close(): Promise<void>;
}
