/** The chain keeps only the hash of a frozen account's state. A message with the whole state thaws the account. */
import { beginCell, type Cell, storeStateInit } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { emptyLedger, stepOrThrow } from "../../core/protocol/pool_ledger.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import type { Chain } from "../../ton/chain.ts";
import { type Claim, encodePoolData, PackedSet, RootLog } from "../../ton/pool/pool_storage.ts";
import { scanPoolTransactions } from "../../ton/pool/history/scan.ts";
import { loadPoolCode, poolKindOf } from "../../ton/pool/state_init.ts";
import { encodeV2PoolData } from "../../ton/pool/v2/pool_state.ts";
import { rebuildV2Pool } from "../audit/v2/rebuilt_pool.ts";
import { readOpenClaims } from "./open_claims.ts";

/** Roots in one generation of the root history (contracts/v1/SPEC.md, Roots). */
const GENERATION_ROOTS = 32;

export interface RebuiltState {
  readonly code: Cell;
  readonly data: Cell;
  /** Unix time of the last deposit or withdrawal; 0 if there was none. */
  readonly touched: number;
  readonly deposits: number;
  readonly withdrawals: number;
}

/**
 * Rebuilds a pool's state; a native pool's only without debt, which is not in the logs. `frozenHash`: 64
 * lowercase hex digits. Throws `chain_unavailable` or `chain_inconsistent`.
 */
export async function rebuildState(
  chain: Chain,
  deployment: Deployment,
  frozenHash: string,
  options: ScanOptions = {},
): Promise<RebuiltState | undefined> {
  const states = deployment.version === 2
    ? await rebuildV2States(chain, deployment, options)
    : await rebuildV1States(chain, deployment, options);
  return states.find((state) => hashState(state) === frozenHash);
}

interface ScanOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (transactions: number) => void;
}

async function rebuildV1States(
  chain: Chain,
  deployment: Deployment,
  options: ScanOptions,
): Promise<RebuiltState[]> {
  const history = await readHistory(chain, deployment, options);
  const claims = deployment.jettonMaster && await readOpenClaims(chain, deployment.address, options.signal);
  const { code } = loadPoolCode(deployment.jettonMaster ? "jetton" : "native");
  return [false, true].map((paused) => ({
    code,
    data: encodeState(deployment, history, { paused, claims }),
    ...history.counts,
  }));
}

async function rebuildV2States(
  chain: Chain,
  { address, denomination, owner, generation = 0, jettonMaster, jettonWallet }: Deployment,
  options: ScanOptions,
): Promise<RebuiltState[]> {
  const rebuilt = await rebuildV2Pool(chain, address, options);
  if (rebuilt.fault !== undefined) throw new Problem("chain_inconsistent", rebuilt.fault);
  const { commitments, leaves, acceptedRoots, rootCount, spent, withdrawals, times } = rebuilt;
  const { code } = loadPoolCode(poolKindOf(jettonMaster ? "jetton" : "native", 2));
  const claims = jettonMaster && await readOpenClaims(chain, address, options.signal);
  const jetton = jettonMaster && {
    master: jettonMaster,
    wallet: jettonWallet ?? null,
    claims: [...claims!].map(([id, claim]) => ({ id, ...claim })),
  };
  const deposits = commitments.length;
  return [false, true].map((paused) => ({
    code,
    data: encodeV2PoolData({
      denomination,
      owner,
      generation,
      paused,
      debt: 0n,
      pending: 0n,
      ...times,
      deposits,
      settled: leaves,
      withdrawals,
      spent,
      roots: acceptedRoots,
      rootCount,
      commitment: (leafIndex) => commitments[leafIndex],
      ...jetton && { jetton },
    }),
    touched: times.touched,
    deposits,
    withdrawals,
  }));
}

export function hashState({ code, data }: { readonly code: Cell; readonly data: Cell }): string {
  return beginCell().store(storeStateInit({ code, data })).endCell().hash().toString("hex");
}

type History = Awaited<ReturnType<typeof readHistory>>;

async function readHistory(
  chain: Chain,
  { address }: Deployment,
  options: ScanOptions,
) {
  const [commitments, nullifiers] = [new PackedSet(), new PackedSet()];
  const leaves: bigint[] = [];
  const counts = { deposits: 0, withdrawals: 0, touched: 0 };
  const facts = {
    hasLeaf: (commitment: bigint) => commitments.has(commitment),
    isSpent: (nullifierHash: bigint) => nullifiers.has(nullifierHash),
  };
  let ledger = emptyLedger(1);
  for await (const { events } of scanPoolTransactions(chain, address, options)) {
    for (const event of events) {
      ({ ledger } = stepOrThrow(ledger, event, facts));
      if (event.kind !== "deposit" && event.kind !== "withdrawal") continue;
      counts.touched = event.timestamp;
      if (event.kind === "deposit") {
        commitments.add(event.commitment);
        leaves.push(event.commitment);
        counts.deposits++;
      } else {
        nullifiers.add(event.nullifierHash);
        counts.withdrawals++;
      }
    }
  }
  return { commitments, nullifiers, leaves, counts };
}

function encodeState(
  { denomination, owner, generation = 0, jettonMaster, jettonWallet }: Deployment,
  { commitments, nullifiers, leaves, counts }: History,
  { paused, claims }: { readonly paused: boolean; readonly claims?: ReadonlyMap<bigint, Claim> },
): Cell {
  const tree = new MerkleTree();
  const history = new RootLog();
  // Two generations of roots are kept, and the log begins with a whole one.
  const kept = leaves.length % GENERATION_ROOTS + 2 * GENERATION_ROOTS;
  history.count = Math.max(0, leaves.length - kept);
  tree.appendMany(leaves.slice(0, history.count));
  for (const leaf of leaves.slice(history.count)) {
    tree.append(leaf);
    history.push(tree.root);
  }
  // Until the first deposit, the generation takes the place of the older roots.
  if (leaves.length === 0 && generation > 0) {
    history.oldGeneration = beginCell().storeUint(generation, 8).endCell();
  }
  return encodePoolData({
    denomination,
    ...counts,
    debt: 0n,
    commitments,
    nullifiers,
    history,
    root: tree.root,
    paused,
    owner,
    ...jettonMaster && { jetton: { master: jettonMaster, wallet: jettonWallet ?? null, claims } },
  });
}
