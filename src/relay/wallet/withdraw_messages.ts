/** Builds a transfer's messages. In version 2, each withdrawal carries its path after the earlier ones. */
import { Address, Cell } from "@ton/core";
import { slotOf, type SpentSet } from "../../core/protocol/v2/spent_set.ts";
import type { Job, PoolId, Transfer } from "../../store/store.ts";
import type { Chain } from "../../ton/chain.ts";
import { Pool } from "../../ton/pool/pool.ts";
import { type PoolWithdraw2Args, V2Pool } from "../../ton/pool/v2/pool.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import type { PoolState } from "../indexer/pool_state.ts";
import { MAX_WITHDRAWAL_BYTES, messageBytes } from "./transfer_size.ts";

/** Maximum number of withdrawals in a message. Jetton pools accept 12; the gas of 16 in a native pool may not suffice. */
export const MAX_BATCH_SIZE = 12;

/**
 * Upper bounds of the gas of a batch: its fixed part, each withdrawal, and each node on the path that it carries. Measured
 * in a jetton pool with an older root, refunds and the fullest queue; a test compares them with the contracts.
 */
const BATCH_GAS = { fixed: 120_000, item: 50_700, node: 1_800, limit: 1_000_000 } as const;

export interface PayableJob {
  readonly job: Job;
  readonly pool: PoolState;
  /** In nano, enough for the job's own message. A batch carries the sum, which is more than it needs. */
  readonly value: bigint;
}

interface WithdrawMessage {
  readonly message: OutgoingMessage;
  readonly jobs: Transfer["jobs"];
}

/** A withdrawal that was already sent gets its own message, so that another one cannot cause a second refusal. */
export function canShareMessage(job: Job, pool: PoolState | undefined): boolean {
  return pool?.settledPool !== undefined && job.attempts === undefined;
}

/** Returns the gas that a withdrawal adds to a message, in which earlier withdrawals may extend the path of its slot. */
function gasOf<T extends { readonly job: Job }>({ job }: T, pool: PoolState, earlier: readonly T[]): number {
  const { nullifierHash } = job;
  const slot = slotOf(nullifierHash);
  const nodes = pool.settledPool!.spent.path(nullifierHash).length +
    earlier.filter((other) => slotOf(other.job.nullifierHash) === slot).length;
  return BATCH_GAS.item + BATCH_GAS.node * nodes;
}

/** Groups withdrawals so that each message holds at most {@linkcode MAX_BATCH_SIZE} and fits the gas of a transaction. */
export function groupByMessage<T extends { readonly job: Job; readonly pool: PoolState | undefined }>(
  jobs: readonly T[],
): T[][] {
  const groups: T[][] = [];
  const open = new Map<PoolId, { readonly group: T[]; gas: number }>();
  for (const item of jobs) {
    const { job, pool } = item;
    if (pool === undefined || !canShareMessage(job, pool)) {
      groups.push([item]);
      continue;
    }
    const shared = open.get(job.pool);
    const gas = gasOf(item, pool, shared?.group ?? []);
    if (shared !== undefined && shared.group.length < MAX_BATCH_SIZE && shared.gas + gas <= BATCH_GAS.limit) {
      shared.group.push(item);
      shared.gas += gas;
      continue;
    }
    const group = [item];
    groups.push(group);
    open.set(job.pool, { group, gas: BATCH_GAS.fixed + gas });
  }
  return groups;
}

/** Requires jobs with proofs whose roots the pools accept. Omits messages that do not fit the transfer. */
export function buildWithdrawMessages(
  jobs: readonly PayableJob[],
  { chain, wallet }: { readonly chain: Chain; readonly wallet: Pick<Wallet, "address"> },
): WithdrawMessage[] {
  const spentSets = new Map<PoolId, SpentSet>();
  const spentSetOf = (pool: PoolState): SpentSet => {
    const known = spentSets.get(pool.id) ?? pool.settledPool!.spent.slotsOf(nullifierHashesOf(jobs, pool));
    spentSets.set(pool.id, known);
    return known;
  };
  const messages: WithdrawMessage[] = [];
  let bytes = 0;
  for (const group of groupByMessage(jobs)) {
    const message = buildMessage(group, spentSetOf, { chain, relayer: wallet.address });
    bytes += messageBytes(message);
    if (bytes > MAX_WITHDRAWAL_BYTES && messages.length > 0) break;
    const { queryId } = group[0].job;
    messages.push({
      message,
      jobs: group.map(({ job: { pool, nullifierHash } }) => ({ pool, nullifierHash, queryId })),
    });
  }
  return messages;
}

function buildMessage(
  group: readonly PayableJob[],
  spentSetOf: (pool: PoolState) => SpentSet,
  { chain, relayer }: { readonly chain: Chain; readonly relayer: Address },
): OutgoingMessage {
  const { job: { queryId }, pool } = group[0];
  const { address } = pool.deployment;
  const value = group.reduce((sum, one) => sum + one.value, 0n);
  if (pool.settledPool === undefined) {
    return new Pool(chain, address).buildWithdrawMessage({
      ...toWithdrawal(group[0], relayer),
      queryId,
      value,
    });
  }
  const spent = spentSetOf(pool);
  const requests = group.map((one): PoolWithdraw2Args => {
    const { root, nullifierHash } = one.job;
    const carried = spent.slotPath(nullifierHash);
    spent.add(nullifierHash);
    return { ...toWithdrawal(one, relayer), rootNumber: pool.settledPool!.rootNumber(root)!, carried };
  });
  const contract = new V2Pool(chain, address);
  return requests.length === 1
    ? contract.buildWithdrawMessage({ ...requests[0], queryId, value })
    : contract.buildWithdrawManyMessage(requests, { queryId, value });
}

function toWithdrawal({ job: { root, nullifierHash, fee, refund, message } }: PayableJob, relayer: Address) {
  const { recipient, proof } = message!;
  return {
    root,
    nullifierHash,
    fee,
    refund,
    relayer,
    recipient: Address.parse(recipient),
    proof: Cell.fromBase64(proof),
  };
}

function nullifierHashesOf(jobs: readonly PayableJob[], { id }: PoolState): bigint[] {
  return jobs.filter(({ pool }) => pool.id === id).map(({ job }) => job.nullifierHash);
}
