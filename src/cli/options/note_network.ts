/** Notes contain their network, so commands with a note need no `--network`; if given, it must match. */
import { findNote, type NoteRecord } from "../../client/notes/note_store.ts";
import type { Network } from "../../core/protocol/network.ts";
import { assertAddressesOfNetwork } from "./chain_options.ts";
import { usageError } from "./usage_error.ts";

export type WithOptionalNetwork<T extends { readonly network: Network }> = Omit<T, "network"> & {
  readonly network?: Network;
};

export function filterNotesByNetwork(
  records: readonly NoteRecord[],
  network: Network | undefined,
): readonly NoteRecord[] {
  return network === undefined ? records : records.filter((each) => networkOfNote(each) === network);
}

/** Throws `unknown_note`, or `invalid_config` on another network. */
export function findNoteOnNetwork(
  records: readonly NoteRecord[],
  id: string,
  network: Network | undefined,
): NoteRecord {
  const there = filterNotesByNetwork(records, network).filter((each) => each.id.startsWith(id.toLowerCase()));
  if (there.length > 0) return findNote(there, id);
  const record = findNote(records, id);
  throw usageError(
    "--network",
    `is ${network}, but note ${record.id} belongs to ${networkOfNote(record)}; omit --network`,
  );
}

/** Throws `invalid_address` for an address of another network. */
export function withNetworkOfNote<T extends { readonly network: Network }>(
  options: WithOptionalNetwork<T>,
  record: NoteRecord,
): T {
  return withNetwork(options, networkOfNote(record));
}

/** Throws `invalid_address` for an address of another network. */
export function withNetwork<T extends { readonly network: Network }>(
  options: WithOptionalNetwork<T>,
  network: Network,
): T {
  const all = { ...options, network };
  assertAddressesOfNetwork(all);
  return all as unknown as T;
}

/** Throws `invalid_config` if the notes are on several networks. */
export function commonNetwork(records: readonly NoteRecord[]): Network | undefined {
  const [network, ...others] = new Set(records.map(networkOfNote));
  if (others.length === 0) return network;
  throw usageError("--network", `is required: the notes belong to ${[network, ...others].join(" and ")}`);
}

function networkOfNote({ note }: NoteRecord): Network {
  return note.reveal().network;
}
