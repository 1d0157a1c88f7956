/** The state of a pool in memory. Only the indexer and the monitors write it. */
import type { Deployment } from "../../core/protocol/deployments.ts";
import { ROOT_WINDOW } from "../../core/protocol/v2/pool_constants.ts";
import { ROOT_HISTORY_SIZE } from "../../core/tree/merkle_tree.ts";
import type { Network } from "../../core/protocol/network.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { ClaimRoom } from "../claims/claim_room.ts";
import { lacksMinFee } from "../withdrawals/policy.ts";
import type { PoolId } from "../../store/store.ts";
import type { TreeService } from "../../tree/tree_service.ts";
import type { ChainHead } from "./chain_head.ts";
import type { PoolTree } from "./tree/pool_tree.ts";
import { createPoolTree, SettledPool } from "./tree/settled_pool.ts";

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

export class PoolState {
  readonly id: PoolId;
  readonly formattedAddress: string; // the user-friendly, bounceable form
  readonly formattedJettonMaster?: string;
  readonly tree: PoolTree;
  /** Without a minimum fee, a jetton pool is not served, but its accepted withdrawals are still paid. */
  readonly lacksMinFee: boolean;
  roots: readonly bigint[] = []; // the last 30 roots on chain, newest first
  rootsFetchedAt = -Infinity;
  /** The contract is not the registered one; the pool is not offered. */
  deploymentMismatch?: string;
  /** Logical times of the newest transaction seen and of the last one applied. */
  newestLt = 0n;
  appliedLt = 0n;
  rootMismatches = 0;
  /** The pool owes so much for storage that a message which bounces would freeze it. */
  isNearFreezing = false;
  readonly claimRoom = new ClaimRoom();
  #notReadyReason: string | undefined = "starting";
  #syncedAt = -Infinity;

  /** `staleAfterMs`: without a valid response for this long, the pool is not ready. */
  constructor(
    readonly key: string,
    readonly deployment: Deployment,
    readonly staleAfterMs: number,
    network: Network,
    trees?: TreeService,
    readonly chainHead?: Pick<ChainHead, "isStalled">,
  ) {
    this.tree = createPoolTree(deployment.version, trees);
    this.lacksMinFee = lacksMinFee(deployment, network);
    this.id = deployment.address.toRawString();
    this.formattedAddress = formatAddress(deployment.address, network);
    this.formattedJettonMaster = deployment.jettonMaster && formatAddress(deployment.jettonMaster, network);
  }

  get settledPool(): SettledPool | undefined {
    return this.tree instanceof SettledPool ? this.tree : undefined;
  }

  /** Returns the number of new roots after which the pool rejects this one; 0 if it already does. */
  rootPlacesLeft(root: bigint): number {
    const { settledPool } = this;
    if (settledPool !== undefined) {
      const number = settledPool.rootNumber(root);
      return number === undefined ? 0 : ROOT_WINDOW - (settledPool.rootCount - 1 - number);
    }
    const place = this.roots.indexOf(root);
    return place < 0 ? 0 : ROOT_HISTORY_SIZE - place;
  }

  /** Payouts that the jetton pool's wallet refused, as last fetched. */
  get openClaims(): number {
    return this.claimRoom.openClaims;
  }

  /** Returns how many more withdrawals the pool accepts, even if its wallet refuses all payouts on their way. */
  get payoutRoom(): number {
    return this.deployment.asset === "native" ? Infinity : this.claimRoom.left(this.tree.paymentCount);
  }

  get syncedAt(): number {
    return this.#syncedAt;
  }

  /** The tree's root must be among `roots`. */
  setRoots(roots: readonly bigint[], now: number): void {
    this.roots = roots;
    this.rootsFetchedAt = now;
  }

  markSynced(now: number): void {
    this.#notReadyReason = undefined;
    this.#syncedAt = now;
  }

  markNotReady(reason: string): void {
    this.#notReadyReason = reason;
  }

  readiness(now: number): Readiness {
    const reason = this.deploymentMismatch ?? this.#notReadyReason ??
      (now - this.#syncedAt > this.staleAfterMs ? "the chain endpoint does not respond" : undefined) ??
      (this.chainHead?.isStalled ? "the chain endpoint shows no new blocks" : undefined);
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }
}
