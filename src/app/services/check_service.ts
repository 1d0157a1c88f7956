/** Checks all notes of the store in whole pages of all pools, and recovers notes of the seed that the store lacks. */
import { RECOVERY_GAP } from "../../client/notes/derived_notes.ts";
import { checkNotes, type NoteStatus } from "../../client/notes/note_check.ts";
import { checkNotesInPages, type NotePageStatus } from "../../client/pages/note_pages.ts";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import type { TreeProgress } from "../../client/tree_sync.ts";
import { recordPayment } from "../../client/notes/withdrawal_attempts.ts";
import type { Problem, ProblemCode } from "../../core/errors/problem.ts";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { formatNote, type Note } from "../../core/protocol/note.ts";
import { deriveNote, type NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import type { CheckResultView, CheckServices, NoteFacts } from "../flows/check.ts";
import { toProblem } from "../flows/machine.ts";
import { type AppContext, deploymentOf, type Session, withdrawalChain } from "./context.ts";
import { readPages } from "./pages/pool_pages.ts";

type Statuses = readonly (NotePageStatus & Partial<NoteStatus>)[];
type Lookup = (deployment: Deployment, notes: readonly Note[]) => Promise<Statuses>;

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
    async check(signal, onProgress) {
      const facts = new Map<string, NoteFacts>();
      const unread = new Map<string, Problem>();
      let recovered = 0;
      const readAll = async (lookupOf: (key: string) => Lookup) => {
        let lacksHistory = false;
        for (const deployment of context.registry.pools.values()) {
          const key = poolKey(deployment);
          try {
            const found = await checkPool(context, session, deployment, lookupOf(key));
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
      const lacksHistory = await readAll((key) => async (deployment, notes) => {
        const onTreeProgress = ({ leafCount }: TreeProgress) => onProgress(key, leafCount);
        const pages = await readPages(context, deployment, { signal, onTreeProgress, mayBeBehind: true });
        return checkNotesInPages(notes, pages);
      });
      if (lacksHistory || unread.size > 0) {
        await readAll((key) => ({ address }, notes) =>
          checkNotes(withdrawalChain(context), address, notes, {
            signal,
            onProgress: (seen) => onProgress(key, seen),
          })
        );
      }
      return {
        ...{ facts, recovered },
        unread: [...unread].map(([pool, problem]) => ({ pool, problem })),
      } satisfies CheckResultView;
    },
  };
}

async function checkPool(
  context: AppContext,
  { store }: Session,
  deployment: Deployment,
  lookUp: Lookup,
): Promise<PoolCheck> {
  const records = (await store.list()).filter((record) => deploymentOf(context, record) === deployment);
  const candidates = missingNotes(context, await store.seed(), deployment, records);
  const notes = [...records.map(({ note }) => note.reveal()), ...candidates];
  const statuses = await lookUp(deployment, notes);
  const found = candidates.filter((_, i) => statuses[records.length + i].state !== "absent");
  await store.add(found.map((note) => recordOf(note, deployment, context.clock.now())));
  const byText = new Map(notes.map((note, i) => [formatNote(note), statuses[i]]));
  const facts = new Map<string, NoteFacts>();
  let lacksHistory = false;
  for (const record of await store.list()) {
    const status = byText.get(record.text.reveal());
    if (status === undefined) continue;
    facts.set(record.id, toFacts(status));
    lacksHistory ||= needsHistory(record, status);
    await updateRecord(store, record, status);
  }
  return { facts, recovered: found.length, lacksHistory };
}

function needsHistory({ state, deposit }: NoteRecord, status: Statuses[number]): boolean {
  if (status.state === "withdrawn") return state !== "withdrawn" && status.payment === undefined;
  const isKnown = deposit?.timestamp !== undefined && deposit.leafIndex === status.leafIndex;
  return status.state === "deposited" && !isKnown && status.depositedAt === undefined;
}

/** Returns the notes of the seed that the store lacks, up to the largest gap that a store can have. */
function missingNotes(
  { registry: { network } }: AppContext,
  seed: NoteSeed | undefined,
  deployment: Deployment,
  records: readonly NoteRecord[],
): Note[] {
  if (seed === undefined) return [];
  const stored = new Set(records.map(({ note }) => note.reveal().commitment));
  const count = RECOVERY_GAP + stored.size;
  const derived = Array.from({ length: count }, (_, index) => deriveNote(seed, network, deployment, index));
  return derived.filter(({ commitment }) => !stored.has(commitment));
}

function recordOf(note: Note, { address }: Deployment, now: number): NoteRecord {
  return { ...createNoteRecord(formatNote(note), now), pool: address.toRawString(), state: "deposited" };
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
  record: NoteRecord,
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
