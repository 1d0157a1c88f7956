/**
 * What the relayer knows of one pool right now: its tree, the roots the chain accepts, and whether it may be served.
 * The indexer writes it; everybody else reads.
 */
import type { Deployment } from "../core/deployments.ts";
import type { Network } from "../core/network.ts";
import { shownAddress } from "../core/shown_address.ts";
import type { PoolId } from "../store/store.ts";
import type { TreeService } from "../tree/tree_service.ts";
import type { Head } from "./head.ts";
import { PoolTree } from "./pool_tree.ts";

/** Whether a pool may be served, and if not, why. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** One registered pool at run time. */
export class PoolState {
  readonly id: PoolId;
  /** Its address as it is emitted: user-friendly, bounceable. */
  readonly shown: string;
  /** The same of a jetton pool's master. */
  readonly shownMaster?: string;
  readonly tree: PoolTree;
  /** The last 30 roots on chain, newest first, as last asked. */
  roots: readonly bigint[] = [];
  /** When they were asked, unix milliseconds. */
  rootsAt = -Infinity;
  /** Set when the contract at this address is not the registered one: it is not offered to anybody then. */
  refused?: string;
  /** Logical times of the newest transaction seen and of the last one applied. */
  seenLt = 0n;
  appliedLt = 0n;
  /** Times the rebuilt root was not on chain. */
  rootMismatches = 0;
  #reason: string | undefined = "starting";
  #syncedAt = -Infinity;

  /**
   * @param staleAfter milliseconds without a good answer of the endpoint after which the pool is not ready
   * @param trees default: this thread
   * @param head of the endpoint; absent: it is not watched
   */
  constructor(
    readonly key: string,
    readonly deployment: Deployment,
    readonly staleAfter: number,
    network: Network,
    trees?: TreeService,
    readonly head?: Pick<Head, "standsStill">,
  ) {
    this.tree = new PoolTree(trees);
    this.id = deployment.address.toRawString();
    this.shown = shownAddress(deployment.address, network);
    this.shownMaster = deployment.jettonMaster && shownAddress(deployment.jettonMaster, network);
  }

  /** When it was last {@link synced}, unix milliseconds. */
  get syncedAt(): number {
    return this.#syncedAt;
  }

  /** The chain's roots as of `now`, with the tree's among them. */
  know(roots: readonly bigint[], now: number): void {
    this.roots = roots;
    this.rootsAt = now;
  }

  /** The tree equals the chain's as of `now` (milliseconds). */
  synced(now: number): void {
    this.#reason = undefined;
    this.#syncedAt = now;
  }

  /** The tree may not be served until it is {@link synced} again. */
  stopped(reason: string): void {
    this.#reason = reason;
  }

  readiness(now: number): Readiness {
    const reason = this.refused ?? this.#reason ??
      (now - this.#syncedAt > this.staleAfter ? "the chain endpoint does not answer" : undefined) ??
      (this.head?.standsStill ? "the chain endpoint shows no new blocks" : undefined);
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }
}
