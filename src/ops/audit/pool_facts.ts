/** The facts that an audit gathers about a pool. Types only. */
import type { Address } from "@ton/core";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { PoolInfo } from "../../ton/pool/pool.ts";
import type { JettonFacts } from "./jetton_facts.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import type { RebuiltTree } from "./rebuilt_tree.ts";

/** The state of a pool after one transaction. Amounts are in nano, hashes in hex. */
export interface PoolFacts {
  readonly network: Network;
  readonly address: Address;
  readonly codeHash: string;
  /** The code and keys that this build deploys. */
  readonly build: { readonly codeHash: string; readonly vkeyHash: string; readonly keys: PoolKeys };
  readonly info: PoolInfo;
  /** Present for a jetton pool. */
  readonly jetton?: JettonFacts;
  readonly denomination: bigint;
  /** Generation whose empty pool (this build, same denomination, owner and master) has this address, if there is one. */
  readonly generation: number | undefined;
  /** Entry for this address. */
  readonly registryEntry?: { readonly key: string; readonly deployment: Deployment };
  readonly balance: bigint;
  /** Unix time of the block that the balance was read from. */
  readonly readAt: number;
  /** Storage fees due and not yet collected. */
  readonly storageDue: bigint;
  /** Storage fees of a year at the current size. */
  readonly storagePerYear: bigint;
  readonly nextIndex: number;
  /** Newest first. */
  readonly roots: readonly bigint[];
  readonly currentRoot: bigint;
  /** Rebuilt from the pool's own logs. */
  readonly rebuilt: RebuiltTree;
}
