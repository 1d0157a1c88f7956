/** Builds the messages of a transfer. In version 2 pools each carries the path of its slot after the earlier ones. */
import { Address, Cell } from "@ton/core";
import type { SpentSet } from "../../core/protocol/v2/spent_set.ts";
import type { Job, PoolId } from "../../store/store.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";

export interface PayableJob {
  readonly job: Job;
  readonly pool: PoolState;
  /** In nano. */
  readonly value: bigint;
}

/** The jobs have their messages, and the pools accept their roots. */
export function buildWithdrawMessages(
  jobs: readonly PayableJob[],
  { chain, wallet }: { readonly chain: Chain; readonly wallet: Pick<Wallet, "address"> },
): OutgoingMessage[] {
  const spentSets = new Map<PoolId, SpentSet>();
  return jobs.map(({ job, pool, value }) => {
    const { root, nullifierHash, fee, refund, queryId } = job;
    const { recipient, proof } = job.message!;
    const args = {
      ...{ root, nullifierHash, fee, refund, queryId, value },
      recipient: Address.parse(recipient),
      relayer: wallet.address,
      proof: Cell.fromBase64(proof),
    };
    const { address } = pool.deployment;
    const { settledTree } = pool;
    if (settledTree === undefined) return new Pool(chain, address).buildWithdrawMessage(args);
    const spent = spentSets.get(pool.id) ?? settledTree.spent.slotsOf(nullifierHashesOf(jobs, pool));
    spentSets.set(pool.id, spent);
    const carried = spent.carried(nullifierHash);
    spent.add(nullifierHash);
    const rootNumber = settledTree.rootNumber(root)!;
    return new V2Pool(chain, address).buildWithdrawMessage({ ...args, rootNumber, carried });
  });
}

function nullifierHashesOf(jobs: readonly PayableJob[], { id }: PoolState): bigint[] {
  return jobs.filter(({ pool }) => pool.id === id).map(({ job }) => job.nullifierHash);
}
