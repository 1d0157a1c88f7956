/**
 * What the relayer knows of one pool right now: its tree, the roots the chain accepts, and whether it may be served.
 * The indexer writes it; everybody else reads.
 */
import type { Deployment } from "../core/deployments.ts";
import type { Network } from "../core/network.ts";
import type { PoolId } from "../store/store.ts";
import { PoolTree } from "./pool_tree.ts";

/** Whether a pool may be served, and if not, why. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** One registered pool at run time. */
export class PoolState {
  readonly id: PoolId;
  /** Its address as it is emitted: user-friendly, bounceable. */
  readonly shown: string;
  readonly tree = new PoolTree();
  /** The last 30 roots on chain, newest first, as last asked. */
  roots: readonly bigint[] = [];
  /** Set when the contract at this address is not the registered one: it is not offered to anybody then. */
  refused?: string;
  #reason: string | undefined = "starting";
  #syncedAt = -Infinity;

  /** @param staleAfter milliseconds without a good answer of the endpoint after which the pool is not ready */
  constructor(
    readonly key: string,
    readonly deployment: Deployment,
    readonly staleAfter: number,
    network: Network,
  ) {
    this.id = deployment.address.toRawString();
    this.shown = deployment.address.toString({ bounceable: true, testOnly: network !== "mainnet" });
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
      (now - this.#syncedAt > this.staleAfter ? "the chain endpoint does not answer" : undefined);
    return reason === undefined ? { ready: true } : { ready: false, reason };
  }
}
