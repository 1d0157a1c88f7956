/** The relayer's view of one pool: its tree, the roots on chain, and its readiness. Only the indexer writes it. */
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { lacksMinFee } from "../withdrawals/policy.ts";
import type { PoolId } from "../../store/store.ts";
import type { TreeService } from "../../tree/tree_service.ts";
import type { ChainHead } from "./chain_head.ts";
import { PoolTree } from "./pool_tree.ts";

/** Whether a pool may be served, and the reason if not. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** One registered pool at run time. */
export class PoolState {
  readonly id: PoolId;
  /** User-friendly, bounceable. */
  readonly formattedAddress: string;
  readonly formattedJettonMaster?: string;
  readonly tree: PoolTree;
  /** The registry gives this jetton pool no minimum fee: it is followed, and what was accepted is paid, but not served. */
  readonly lacksMinFee: boolean;
  /** The last 30 roots on chain as last fetched, newest first. */
  roots: readonly bigint[] = [];
  /** Unix milliseconds. */
  rootsFetchedAt = -Infinity;
  /** Set if the contract at this address is not the registered one; the pool is then not offered. */
  deploymentMismatch?: string;
  /** Logical times of the newest transaction seen and of the last one applied. */
  newestLt = 0n;
  appliedLt = 0n;
  /** Number of times the rebuilt root was not on chain. */
  rootMismatches = 0;
  #notReadyReason: string | undefined = "starting";
  #syncedAt = -Infinity;

  /**
   * @param staleAfterMs milliseconds without a valid answer after which the pool is not ready
   * @param trees default: this thread
   * @param chainHead of the endpoint; absent: not monitored
   */
  constructor(
    readonly key: string,
    readonly deployment: Deployment,
    readonly staleAfterMs: number,
    network: Network,
    trees?: TreeService,
    readonly chainHead?: Pick<ChainHead, "isStalled">,
  ) {
    this.tree = new PoolTree(trees);
    this.lacksMinFee = lacksMinFee(deployment, network);
    this.id = deployment.address.toRawString();
    this.formattedAddress = formatAddress(deployment.address, network);
    this.formattedJettonMaster = deployment.jettonMaster && formatAddress(deployment.jettonMaster, network);
  }

  /** Time of the last {@link markSynced}, unix milliseconds. */
  get syncedAt(): number {
    return this.#syncedAt;
  }

  /** Sets the chain's roots as of `now`; the tree's root is among them. */
  setRoots(roots: readonly bigint[], now: number): void {
    this.roots = roots;
    this.rootsFetchedAt = now;
  }

  /** Records that the tree equals the chain's as of `now` (milliseconds). */
  markSynced(now: number): void {
    this.#notReadyReason = undefined;
    this.#syncedAt = now;
  }

  /** Stops serving the tree until the next {@link markSynced}. */
  markNotReady(reason: string): void {
    this.#notReadyReason = reason;
  }

  readiness(now: number): Readiness {
    const reason = this.deploymentMismatch ?? this.#notReadyReason ??
      (now - this.#syncedAt > this.staleAfterMs ? "the chain endpoint does not answer" : undefined) ??
      (this.chainHead?.isStalled ? "the chain endpoint shows no new blocks" : undefined);
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }
}
