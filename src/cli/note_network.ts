/** A note names its network, so commands that have a note need no `--network`; if it is given, it must agree. */
import { findNote, type NoteRecord } from "../client/note_store.ts";
import type { Network } from "../core/network.ts";
import { assertOfNetwork } from "./chain_options.ts";
import { misuse } from "./misuse.ts";

/** Options of a command as they are given, before the note has determined the network. */
export type BeforeNote<T extends { readonly network: Network }> = Omit<T, "network"> & {
  readonly network?: Network;
};

/** The notes of `network`; all of them without one. */
export function notesOf(records: readonly NoteRecord[], network: Network | undefined): readonly NoteRecord[] {
  return network === undefined ? records : records.filter((each) => networkOf(each) === network);
}

/**
 * Finds a note by the first digits of its id.
 *
 * @throws {Problem} `unknown_note`; `invalid_config` naming both networks if the note belongs to another one than `network`
 */
export function noteOn(
  records: readonly NoteRecord[],
  id: string,
  network: Network | undefined,
): NoteRecord {
  const there = notesOf(records, network).filter((each) => each.id.startsWith(id.toLowerCase()));
  if (there.length > 0) return findNote(there, id);
  const record = findNote(records, id);
  throw misuse(
    "--network",
    `is ${network}, but note ${record.id} belongs to ${networkOf(record)}; omit --network`,
  );
}

/** The options, on the note's network. @throws {Problem} `invalid_address` for an address of another network */
export function onNetworkOf<T extends { readonly network: Network }>(
  options: BeforeNote<T>,
  record: NoteRecord,
): T {
  return onNetwork(options, networkOf(record));
}

/** The options, on `network`. @throws {Problem} `invalid_address` for an address of another network */
export function onNetwork<T extends { readonly network: Network }>(
  options: BeforeNote<T>,
  network: Network,
): T {
  const all = { ...options, network };
  assertOfNetwork(all);
  return all as unknown as T;
}

/** @throws {Problem} `invalid_config` if notes of several networks leave open which one is meant */
export function onlyNetwork(records: readonly NoteRecord[]): Network | undefined {
  const [network, ...others] = new Set(records.map(networkOf));
  if (others.length === 0) return network;
  throw misuse("--network", `is required: the notes belong to ${[network, ...others].join(" and ")}`);
}

function networkOf({ note }: NoteRecord): Network {
  return note.reveal().network;
}
