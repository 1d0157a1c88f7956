/** The notes of an open store, and how the page's address names them. */
import { useEffect, useState } from "preact/hooks";
import { type BackupCoverage, findCoverage } from "../../services/backups/backup_coverage.ts";
import type { Session } from "../../services/context.ts";
import { vaultPools } from "../../services/note_book.ts";
import type { NoteEntry } from "../../vault/vault_task.ts";
import type { NoteRow } from "../../views/notes.tsx";
import type { AppPorts } from "../app_ports.ts";

/** Returns the notes that this visit pays and settles. The next check of all notes comes later, at its usual time. */
export function useVisit() {
  const [payingId, setPayingId] = useState<string>();
  const [paid, addPaid] = useNoteIds();
  const [settled, addSettled] = useNoteIds();
  const onNote = (id: string | undefined) => {
    setPayingId(id);
    if (id !== undefined) addPaid(id);
  };
  return { payingId, paid, settled, onNote, onSettled: addSettled };
}

function useNoteIds(): [ids: ReadonlySet<string>, add: (id: string) => void] {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return [ids, (id) => setIds((known) => new Set([...known, id]))];
}

/** A wallet's session outlives a visit this long after its deposit began. Later, the user connects the wallet again. */
const SESSION_LIFETIME_MS = 3_600_000;

/** Deletes the keys of a wallet's session that an earlier visit has left, unless a payment may continue with it. */
export function useForgottenWallets(
  { sources, context: { clock } }: AppPorts,
  records: readonly NoteEntry[] | undefined,
  screen: string,
): void {
  const isRecent = ({ state, createdAt }: NoteEntry) =>
    state === "depositing" && clock.now() - createdAt < SESSION_LIFETIME_MS;
  const isPaying = screen === "deposit" || screen === "settle" ||
    (screen !== "withdraw" && records?.some(isRecent) === true);
  useEffect(() => {
    if (records !== undefined && !isPaying) void sources.forget();
  }, [records === undefined, isPaying]);
}

/** Names the note of a new deposit in the page's address, so that a page that is loaded again continues it. */
export function usePayingAddress(
  ports: AppPorts,
  records: readonly NoteEntry[] | undefined,
  id: string | undefined,
): void {
  useEffect(() => {
    if (id !== undefined && records?.some((record) => record.id === id)) {
      ports.replace(`#/deposit/${placeOf(id, records)}`);
    }
  }, [records, id]);
}

/**
 * Returns the note at a place in the store, counted from the first. The page's address names notes by their
 * places: the browser keeps addresses in its history, and a note's id tells which deposit it is.
 */
export function noteAt(records: readonly NoteEntry[], place: string): NoteEntry | undefined {
  return place === "" ? undefined : records[records.length - 1 - Number(place)];
}

function placeOf(id: string, records: readonly NoteEntry[]): number {
  return records.length - 1 - records.findIndex((record) => record.id === id);
}

export function routeOf({ id, state }: NoteRow, records: readonly NoteEntry[]): string {
  const place = placeOf(id, records);
  if (state === "created" || state === "depositing") return `#/deposit/${place}`;
  if (state === "waiting") return `#/settle/${place}`;
  return state === "withdrawn" ? "#/report" : `#/withdraw/${place}`;
}

/** Returns the records, newest first. Reads them again when the screen or another tab changes something. */
export function useRecords(
  { tabs }: AppPorts,
  { store }: Session,
  route: string,
): [records: readonly NoteEntry[] | undefined, reload: () => void] {
  const [records, setRecords] = useState<readonly NoteEntry[]>();
  const reload = () => void store.list().then((list) => setRecords([...list].reverse()), () => {});
  useEffect(reload, [route]);
  useEffect(() => tabs.subscribe((message) => message === "store_changed" && reload()), []);
  return [records, reload];
}

/** Returns undefined until it is known. */
export function useCoverage(
  { context: { registry }, settings }: AppPorts,
  { store }: Session,
  records: readonly NoteEntry[] | undefined,
): BackupCoverage | undefined {
  const [coverage, setCoverage] = useState<BackupCoverage>();
  const { provenSeed, provenNotes } = settings.value;
  useEffect(() => {
    let isCurrent = true;
    const find = async () => {
      const proof = await store.prove(vaultPools(registry));
      const found = findCoverage(proof, records ?? [], { provenSeed, provenNotes });
      if (isCurrent) setCoverage(found);
    };
    find().catch(() => { // the store cannot be read; what is done next reports it
      if (isCurrent) setCoverage((known) => known ?? { hasSeed: false, missing: new Set() });
    });
    return () => void (isCurrent = false);
  }, [store, records, provenSeed, provenNotes]);
  return coverage;
}
