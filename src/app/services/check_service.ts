/** Checks all notes of the store in whole pages of all pools, and recovers notes of the seed that the store lacks. */
import { type NoteStatus, readPoolHistory } from "../../client/notes/note_check.ts";
import { checkHashesInPages, findLeaves, type NotePageStatus } from "../../client/pages/note_pages.ts";
import type { TreeProgress } from "../../client/tree_sync.ts";
import { recordPayment } from "../../client/notes/withdrawal_attempts.ts";
import type { Problem, ProblemCode } from "../../core/errors/problem.ts";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import type { NoteHashes } from "../../core/protocol/note.ts";
import type { CheckResultView, CheckServices, NoteFacts } from "../flows/check.ts";
import { toProblem } from "../flows/machine.ts";
import { type AppContext, deploymentOf, type Session, withdrawalChain } from "./context.ts";
import type { NoteEntry } from "../vault/vault_task.ts";
import { vaultPool } from "./note_book.ts";
import { readPages } from "./pages/pool_pages.ts";

type Statuses = readonly (NotePageStatus & Partial<NoteStatus>)[];

/** A pool's public data, in which notes are looked up on this device. */
interface PoolLookup {
  /** Whether the pool has a leaf or a waiting deposit with this commitment. */
  isDeposited(commitment: bigint): boolean;
  /** Returns, for each commitment, the leaves that have it. */
  leavesOf(commitments: readonly bigint[]): readonly (readonly number[])[];
  statusesOf(notes: readonly NoteHashes[]): Statuses;
}
type ReadPool = (deployment: Deployment) => Promise<PoolLookup>;

interface PoolCheck {
  readonly facts: ReadonlyMap<string, NoteFacts>;
  readonly recovered: number;
  /** Whether a note's depositor, time or payment is missing. Only the pool's log contains these. */
  readonly lacksHistory: boolean;
}

/** Problems that end a pass, because the same servers serve all pools. The second pass uses no relayer. */
const SERVER_FAULTS: ReadonlySet<ProblemCode> = new Set([
  "chain_unavailable",
  "wrong_network",
  "relayer_unavailable",
]);

/** Each pass reads all pools, with or without notes, so that its requests do not depend on the notes. */
export function checkServices(context: AppContext, session: Session): CheckServices {
  return {
    waitForNext: (signal) => context.clock.sleep(context.checkIntervalMs, signal),
    async check(signal, onProgress) {
      void context.fees.refresh(context, signal);
      const facts = new Map<string, NoteFacts>();
      const unread = new Map<string, Problem>();
      let recovered = 0;
      const readAll = async (readPool: ReadPool) => {
        let lacksHistory = false;
        for (const deployment of context.registry.pools.values()) {
          const key = poolKey(deployment);
          try {
            const found = await checkPool(context, session, deployment, await readPool(deployment));
            found.facts.forEach((fact, id) => facts.set(id, fact));
            recovered += found.recovered;
            lacksHistory ||= found.lacksHistory;
            unread.delete(key);
          } catch (error) {
            if (signal.aborted) throw error;
            const problem = toProblem(error);
            unread.set(key, problem);
            if (!SERVER_FAULTS.has(problem.code)) continue;
            for (const each of context.registry.pools.values()) unread.set(poolKey(each), problem);
            break;
          }
        }
        return lacksHistory;
      };
      const lacksHistory = await readAll(async (deployment) => {
        const onTreeProgress = ({ leafCount }: TreeProgress) => onProgress(poolKey(deployment), leafCount);
        const pages = await readPages(context, deployment, { signal, onTreeProgress });
        const { tree, pending } = pages;
        return {
          isDeposited: (commitment) => tree.indexOf(commitment) >= 0 || pending.includes(commitment),
          leavesOf: (commitments) => findLeaves(commitments, pages),
          statusesOf: (notes) => checkHashesInPages(notes, pages),
        };
      });
      if (lacksHistory || unread.size > 0) {
        await readAll(async (deployment) => {
          const { address, version } = deployment;
          const { isDeposited, leavesOf, statusOf } = await readPoolHistory(
            withdrawalChain(context),
            address,
            {
              version,
              signal,
              onProgress: (seen) => onProgress(poolKey(deployment), seen),
            },
          );
          return {
            isDeposited,
            leavesOf: (commitments) => commitments.map(leavesOf),
            statusesOf: (notes) => notes.map(statusOf),
          };
        });
      }
      return {
        facts,
        recovered,
        unread: [...unread].map(([pool, problem]) => ({ pool, problem })),
        chainTime: await readChainTime(context, signal),
      } satisfies CheckResultView;
    },
  };
}

/** Asks about the first pool, with or without notes. Returns undefined if the endpoint does not respond. */
async function readChainTime(context: AppContext, signal: AbortSignal): Promise<number | undefined> {
  const [first] = context.registry.pools.values();
  if (first === undefined) return undefined;
  try {
    return (await withdrawalChain(context).account(first.address, { signal })).syncUtime;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function checkPool(
  context: AppContext,
  { store }: Session,
  deployment: Deployment,
  { isDeposited, leavesOf, statusesOf }: PoolLookup,
): Promise<PoolCheck> {
  const { registry: { network }, clock } = context;
  const recovered = await store.recover(vaultPool(network, deployment), { now: clock.now(), isDeposited });
  const records = (await store.list()).filter((record) => deploymentOf(context, record) === deployment);
  const leaves = leavesOf(records.map(({ note }) => note.commitment));
  const hashes = await store.hashes(records.map(({ id, note: { commitment } }, i) => ({
    id,
    commitment,
    leafIndexes: leaves[i],
  })));
  const statuses = statusesOf(hashes);
  const facts = new Map<string, NoteFacts>();
  let lacksHistory = false;
  for (const [i, record] of records.entries()) {
    facts.set(record.id, toFacts(statuses[i]));
    lacksHistory ||= needsHistory(record, statuses[i]);
    // Only the log proves a deposit that waits: a relayer could list the commitment of a refused payment.
    const isProven = !statuses[i].waits || statuses[i].depositedAt !== undefined;
    if (isProven) await updateRecord(store, record, statuses[i]);
  }
  return { facts, recovered, lacksHistory };
}

function needsHistory({ state, deposit }: NoteEntry, status: Statuses[number]): boolean {
  if (status.state === "withdrawn") return state !== "withdrawn" && status.payment === undefined;
  const isKnown = deposit?.timestamp !== undefined && deposit.leafIndex === status.leafIndex;
  return status.state === "deposited" && !isKnown && status.depositedAt === undefined;
}

function toFacts({ state, waits, deposits, depositedAt, unspentDeposits }: Statuses[number]): NoteFacts {
  return {
    state: state === "deposited" && waits ? "waiting" : state,
    deposits,
    ...unspentDeposits !== undefined && { unspentDeposits },
    ...depositedAt !== undefined && { depositedAt },
  };
}

/** Updates a record. Pages contain neither depositor nor time: the stored ones remain for the same deposit. */
async function updateRecord(
  store: Session["store"],
  record: NoteEntry,
  { state, leafIndex, depositor, depositedAt, payment, unspentDeposits = 0 }: Statuses[number],
): Promise<void> {
  if (state === "absent") return;
  const deposit = {
    ...leafIndex === record.deposit?.leafIndex && record.deposit,
    leafIndex,
    ...depositor !== undefined && { from: depositor, timestamp: depositedAt },
  };
  // A wallet that paid twice made two deposits, of which the second can be withdrawn after the first.
  const isOpen = record.state === "created" || record.state === "depositing" ||
    (record.state === "withdrawn" && unspentDeposits > 0);
  if (state === "deposited") {
    if (isOpen || record.deposit?.leafIndex !== leafIndex || record.deposit?.from !== deposit.from) {
      await store.update(record.id, { deposit, ...isOpen && { state } });
    }
  } else if (payment && record.state !== "withdrawn") {
    await store.update(record.id, { deposit, ...recordPayment(record, payment) });
  }
}
