/** The note of a new deposit: the first of the seed that is neither in the store nor in the pool. */
import type { NoteRecord, NoteStore } from "../../../client/notes/note_store.ts";
import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import {
  commitmentsFromChain,
  commitmentsFromRelayer,
  type CommitmentSource,
  syncWholeTree,
} from "../../../client/tree_sync.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { AnyPool } from "../../../ton/pool/any_pool.ts";
import { V2Pool } from "../../../ton/pool/v2/pool.ts";
import type { CliContext } from "../../context.ts";
import type { ChainOptions } from "../../options/chain_options.ts";
import { deriveNextNote } from "../../../client/notes/derived_record.ts";

/** A version 1 pool's leaves so far, and where newer ones come from. */
export interface DepositTree {
  readonly source: CommitmentSource;
  readonly tree: MerkleTree;
}

/** The tree of a version 1 pool is returned, so that the deposit reads only what is newer. */
export async function deriveDepositedNote(
  context: CliContext,
  options: ChainOptions & { readonly relayer?: string },
  { chain, pool, deployment, store }: {
    readonly chain: Chain;
    readonly pool: AnyPool;
    readonly deployment: Deployment;
    readonly store: NoteStore;
  },
): Promise<{ readonly record: NoteRecord; readonly leaves?: DepositTree }> {
  const seed = await store.ensureSeed();
  const leaves = pool instanceof V2Pool ? undefined : await readTree(context, options, chain, pool);
  const log = pool instanceof V2Pool ? await pool.readLog() : undefined;
  const record = deriveNextNote(seed, await store.list(), {
    network: options.network,
    pool: deployment,
    now: context.now(),
    isDeposited: (commitment) =>
      leaves ? leaves.tree.indexOf(commitment) >= 0 : log!.leavesOf(commitment).length > 0,
  });
  return { record, ...leaves && { leaves } };
}

async function readTree(
  context: CliContext,
  { relayer }: { readonly relayer?: string },
  chain: Chain,
  pool: AnyPool,
): Promise<DepositTree> {
  const source = relayer
    ? commitmentsFromRelayer(new RelayerClient(relayer), pool.address)
    : commitmentsFromChain(chain, pool.address);
  const { treeTimeoutMs } = context;
  return { source, tree: await syncWholeTree(pool, source, undefined, { treeTimeoutMs }) };
}
