/** The context of the app's services: the open store, the pools, and the connections of the settings. */
import { RelayerClient } from "../../client/relayer/relayer_client.ts";
import { type PoolJetton, toPoolJetton } from "../../client/notes/pool_match.ts";
import { findNote } from "../../client/notes/note_store.ts";
import { type Deployment, type Deployments, poolKey } from "../../core/protocol/deployments.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { Prover } from "../../prover/prover.ts";
import type { Chain } from "../../ton/chain.ts";
import { type AnyPool, openPool } from "../../ton/pool/any_pool.ts";
import type {
  ArtifactProgress,
  Downloads,
  NoteFiles,
  OpenVault,
  PageCache,
  RandomBytes,
  Vaults,
} from "../ports.ts";
import type { WithdrawalFees } from "./deposits/withdrawal_fees.ts";
import type { PoolTrees } from "./pages/pool_trees.ts";
import type { CheckServices } from "../flows/check.ts";
import type { Connections } from "../flows/settings.ts";
import type { NoteEntry } from "../vault/vault_task.ts";
import type { NoteBook } from "./note_book.ts";

export interface Session {
  readonly store: NoteBook;
  readonly vault: OpenVault;
  /** Set by a restoration: the next check reads the pools' logs, because restored notes may wait for their settlement. */
  isRestored?: boolean;
  /** By note: its deposit in the log of the endpoint for withdrawals, if a check of this visit has read it. */
  logged?: ReadonlyMap<string, NonNullable<NoteEntry["deposit"]>>;
  /** Set once the visit checks its notes. */
  checks?: CheckServices;
}

export interface AppContext {
  readonly files: NoteFiles;
  readonly vaults: Vaults;
  readonly downloads: Downloads;
  readonly artifacts: ArtifactProgress;
  readonly random: RandomBytes;
  readonly clock: Clock;
  readonly registry: Deployments;
  readonly pages: PageCache;
  readonly trees: PoolTrees;
  readonly fees: WithdrawalFees;
  connections(): Connections;
  /** Returns a chain client that checks at every use that the endpoint serves this network. */
  connect(endpoint: string): Chain;
  /** Returns the shared prover. It fetches its files at the first proof. */
  prover(): Promise<Prover>;
  readonly pollIntervalMs: number; // milliseconds between polls of the chain
  readonly checkIntervalMs: number; // milliseconds between checks of all notes
}

export const depositChain = (context: AppContext) => context.connect(context.connections().depositEndpoint);
export const withdrawalChain = (context: AppContext) =>
  context.connect(context.connections().withdrawalEndpoint);
export const relayerOf = (url: string, signal?: AbortSignal) => new RelayerClient(url, signal && { signal });

export function findDeployment({ registry }: AppContext, key: string): Deployment {
  const deployment = registry.pools.get(key);
  if (deployment === undefined) throw new Problem("unknown_pool");
  return deployment;
}

/** Keeps other tabs from moving money while `work` runs. Throws `note_store_in_use`. */
export async function locked<T>({ store }: Session, work: () => Promise<T>): Promise<T> {
  using _work = await store.lockForWork();
  return await work();
}

export interface StoredNote {
  readonly record: NoteEntry;
  readonly deployment: Deployment;
  readonly pool: AnyPool;
  readonly jetton?: PoolJetton | undefined;
}

/** Returns a note with its pool at `chain`. Throws `unknown_note`, or `wrong_pool` if no pool of this app has it. */
export async function findStoredNote(
  context: AppContext,
  { store }: Session,
  id: string,
  chain: Chain,
): Promise<StoredNote> {
  const record = findNote(await store.list(), id);
  const deployment = deploymentOf(context, record);
  if (deployment === undefined) throw new Problem("wrong_pool", "the note's pool is not one of this app's");
  const pool = openPool(chain, deployment.address, deployment.version);
  return { record, deployment, pool, jetton: toPoolJetton(deployment) };
}

/** Finds a note's pool by the stored address, or by the note itself. */
export function deploymentOf({ registry }: AppContext, record: NoteEntry): Deployment | undefined {
  const { note } = record;
  if (note.network !== registry.network) return undefined;
  const pools = [...registry.pools.values()];
  if (record.pool !== undefined) return pools.find(({ address }) => address.toRawString() === record.pool);
  return registry.pools.get(poolKey(note));
}
