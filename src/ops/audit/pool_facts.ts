import type { Address } from "@ton/core";
import type { Deployment } from "../../core/protocol/deployments.ts";
import type { Network } from "../../core/protocol/network.ts";
import type { PoolInfo } from "../../ton/pool/pool_getters.ts";
import type { JettonFacts } from "./jetton_facts.ts";
import type { PoolKeys } from "../keys/pool_keys.ts";
import type { RebuiltTree } from "./rebuilt_tree.ts";
import type { V2Facts } from "./v2/v2_facts.ts";

/** A pool's state after one transaction. Amounts in nano, hashes in hex. */
export interface PoolFacts {
  readonly network: Network;
  /** The version of the network's rules. */
  readonly networkVersion: number;
  readonly address: Address;
  readonly codeHash: string;
  readonly build: { readonly codeHash: string; readonly vkeyHash: string; readonly keys: PoolKeys };
  readonly info: PoolInfo;
  readonly jetton?: JettonFacts;
  readonly denomination: bigint;
  /** The generation whose empty pool of this build has this address, if any. */
  readonly generation: number | undefined;
  readonly registryEntry?: { readonly key: string; readonly deployment: Deployment };
  readonly balance: bigint;
  /** Unix time of the block that the balance was read from. */
  readonly readAt: number;
  readonly storageDue: bigint;
  readonly storagePerYear: bigint;
  readonly nextIndex: number;
  readonly roots: readonly bigint[]; // newest first
  readonly currentRoot: bigint;
  readonly rebuilt: RebuiltTree;
  readonly version2?: V2Facts; // version 2 pools only
}
