/** What an audit knows of a pool. Types only. */
import type { Address } from "@ton/core";
import type { Deployment } from "../core/deployments.ts";
import type { Network } from "../core/network.ts";
import type { PoolInfo } from "../ton/pool.ts";
import type { JettonFacts } from "./jetton_facts.ts";
import type { PoolKeys } from "./pool_keys.ts";
import type { RebuiltTree } from "./rebuilt_tree.ts";

/** What is known of a pool, all of it at one transaction. Amounts in nano, hashes in hex. */
export interface PoolFacts {
  readonly network: Network;
  readonly address: Address;
  readonly codeHash: string;
  /** What this build deploys. */
  readonly build: { readonly codeHash: string; readonly vkeyHash: string; readonly keys: PoolKeys };
  readonly info: PoolInfo;
  /** Of a jetton pool. */
  readonly jetton?: JettonFacts;
  readonly denomination: bigint;
  /** Which generation of an empty pool of this build, of that denomination, owner and master, its address follows from. */
  readonly generation: number | undefined;
  /** The registry's entry for this address. */
  readonly listed?: { readonly key: string; readonly deployment: Deployment };
  readonly balance: bigint;
  /** Storage that is due and not yet collected. */
  readonly due: bigint;
  /** Storage of a year at the present size. */
  readonly perYear: bigint;
  readonly nextIndex: number;
  /** Newest first. */
  readonly roots: readonly bigint[];
  readonly currentRoot: bigint;
  /** What the pool's own logs make. */
  readonly rebuilt: RebuiltTree;
}
