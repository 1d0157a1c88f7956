/** Looks all notes of the store up in the pools' whole histories, and recovers those that only the seed knows. */
import { RECOVERY_GAP } from "../../client/notes/derived_notes.ts";
import { checkNotes, type NoteStatus } from "../../client/notes/note_check.ts";
import { createNoteRecord, type NoteRecord } from "../../client/notes/note_store.ts";
import { recordPayment } from "../../client/notes/withdrawal_attempts.ts";
import { type Deployment, poolKey } from "../../core/protocol/deployments.ts";
import { formatNote, type Note } from "../../core/protocol/note.ts";
import { deriveNote, type NoteSeed } from "../../core/protocol/seed/note_seed.ts";
import type { CheckResultView, CheckServices, NoteFacts } from "../flows/check.ts";
import { toProblem } from "../flows/machine.ts";
import { type AppContext, deploymentOf, type Session, withdrawalChain } from "./context.ts";

export function checkServices(context: AppContext, session: Session): CheckServices {
  return {
    async check(signal, onProgress) {
      const facts = new Map<string, NoteFacts>();
      const unread: { pool: string; problem: ReturnType<typeof toProblem> }[] = [];
      let recovered = 0;
      for (const deployment of context.registry.pools.values()) {
        const key = poolKey(deployment);
        try {
          const found = await checkPool(
            context,
            session,
            deployment,
            signal,
            (seen) => onProgress(key, seen),
          );
          found.facts.forEach((fact, id) => facts.set(id, fact));
          recovered += found.recovered;
        } catch (error) {
          if (signal.aborted) throw error;
          unread.push({ pool: key, problem: toProblem(error) });
        }
      }
      return { facts, recovered, unread } satisfies CheckResultView;
    },
  };
}

async function checkPool(
  context: AppContext,
  { store }: Session,
  deployment: Deployment,
  signal: AbortSignal,
  onProgress: (seen: number) => void,
): Promise<{ readonly facts: ReadonlyMap<string, NoteFacts>; readonly recovered: number }> {
  const records = (await store.list()).filter((record) => deploymentOf(context, record) === deployment);
  const candidates = missingNotes(context, await store.seed(), deployment, records);
  const notes = [...records.map(({ note }) => note.reveal()), ...candidates];
  const chain = withdrawalChain(context);
  const statuses = await checkNotes(chain, deployment.address, notes, { signal, onProgress });
  const facts = new Map<string, NoteFacts>();
  for (const [i, record] of records.entries()) {
    facts.set(record.id, toFacts(statuses[i]));
    await updateRecord(store, record, statuses[i]);
  }
  const found = candidates.map((note, i) => ({ note, status: statuses[records.length + i] }))
    .filter(({ status }) => status.state !== "absent");
  await store.add(found.map(({ note }) => recordOf(note, deployment, context.clock.now())));
  for (const { note, status } of found) {
    const text = formatNote(note);
    const record = (await store.list()).find((each) => each.text.reveal() === text)!;
    facts.set(record.id, toFacts(status));
    await updateRecord(store, record, status);
  }
  return { facts, recovered: found.length };
}

/** The notes of the seed that the store lacks, up to the largest gap that a store leaves. */
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

function toFacts({ state, waits, deposits, depositedAt, unspentDeposits }: NoteStatus): NoteFacts {
  return {
    state: state === "deposited" && waits ? "waiting" : state,
    deposits,
    ...unspentDeposits !== undefined && { unspentDeposits },
    ...depositedAt !== undefined && { depositedAt },
  };
}

async function updateRecord(
  store: Session["store"],
  record: NoteRecord,
  { state, leafIndex, depositor, depositedAt, payment, unspentDeposits = 0 }: NoteStatus,
): Promise<void> {
  if (state === "absent") return;
  const deposit = { from: depositor, leafIndex, timestamp: depositedAt };
  // A wallet that paid twice made two deposits, of which the second can be withdrawn after the first.
  const isOpen = record.state === "created" || record.state === "depositing" ||
    (record.state === "withdrawn" && unspentDeposits > 0);
  if (state === "deposited") {
    await store.update(record.id, { deposit, ...isOpen && { state } });
  } else if (payment && record.state !== "withdrawn") {
    await store.update(record.id, { deposit, ...recordPayment(record, payment) });
  }
}
