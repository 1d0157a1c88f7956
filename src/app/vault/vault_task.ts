/**
 * The tasks of the worker that has one open note store: its notes, its seed and its key. Only the result of
 * `reveal` contains a secret, of one note.
 */
import type { NoteJournal, NoteState, PublicNote } from "../../client/notes/note_store.ts";
import type { Network } from "../../core/protocol/network.ts";

/** A stored note without its secrets. */
export interface NoteEntry extends NoteJournal {
  readonly id: string;
  readonly note: PublicNote;
}

/** The content of a note store without its secrets. */
export interface NoteListing {
  readonly hasSeed: boolean;
  /** Oldest first. */
  readonly records: readonly NoteEntry[];
}

/** The facts of a pool that its derived notes depend on. */
export interface VaultPool {
  readonly network: Network;
  readonly asset: string;
  readonly amount: string;
  readonly version?: 2 | undefined;
  readonly address: string; // raw
}

/** What a backup proves about a store: the seed, and the notes that the seed alone does not bring back. */
export interface VaultProof {
  /** The fingerprint of the seed. Absent without a seed. */
  readonly seed?: string;
  readonly besides: readonly { readonly id: string; readonly tag: string }[];
}

/** A backup outside the store. Text is of a seed or note. */
export type BackupSource =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "code"; readonly code: string }
  | { readonly kind: "text"; readonly text: string };

export type StoreChange =
  /** Draws a seed for a store without one. */
  | { readonly kind: "seed" }
  | {
    readonly kind: "derive";
    readonly pool: VaultPool;
    readonly indexes: readonly number[];
    readonly state: NoteState;
    readonly createdAt: number;
  }
  | { readonly kind: "update"; readonly id: string; readonly journal: Partial<NoteJournal> };

export interface ChangedStore {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly listing: NoteListing;
  /** The ids of the notes that were added or changed. */
  readonly ids: readonly string[];
}

export interface RestoredStore extends ChangedStore {
  /** The notes of the backup, also those that the store already had. */
  readonly found: readonly PublicNote[];
  readonly proof: VaultProof;
}

/** `bytes`: the store's file as stored. */
export type VaultTask =
  | { readonly kind: "create"; readonly passphrase: string; readonly isLight: boolean }
  | { readonly kind: "open"; readonly bytes: Uint8Array; readonly passphrase: string }
  | { readonly kind: "list"; readonly bytes: Uint8Array }
  | { readonly kind: "reveal"; readonly bytes: Uint8Array; readonly id: string }
  | { readonly kind: "change"; readonly bytes: Uint8Array | undefined; readonly change: StoreChange }
  | {
    readonly kind: "restore";
    readonly bytes: Uint8Array | undefined;
    readonly source: BackupSource;
    readonly passphrase: string;
    readonly pools: readonly VaultPool[];
    readonly createdAt: number;
  }
  | {
    readonly kind: "verify";
    readonly bytes: Uint8Array;
    readonly source: BackupSource;
    readonly passphrase: string;
    readonly pools: readonly VaultPool[];
  }
  | { readonly kind: "prove"; readonly bytes: Uint8Array; readonly pools: readonly VaultPool[] }
  | {
    readonly kind: "commitments";
    readonly bytes: Uint8Array;
    readonly pool: VaultPool;
    readonly from: number;
    readonly count: number;
  }
  | {
    readonly kind: "nullifierHashes";
    readonly bytes: Uint8Array;
    readonly leaves: readonly { readonly id: string; readonly leafIndexes: readonly number[] }[];
  }
  | { readonly kind: "paper"; readonly bytes: Uint8Array }
  /** Encrypts the session of a connected wallet for storage. */
  | { readonly kind: "sealSession"; readonly session: string }
  /** Decrypts it. Throws `note_store_corrupted` for anything else, such as the note store. */
  | { readonly kind: "openSession"; readonly bytes: Uint8Array }
  /** Opens the store with the current passphrase, and creates a key for the next one. */
  | {
    readonly kind: "renew";
    readonly bytes: Uint8Array;
    readonly current: string;
    readonly next: string;
    readonly isLight: boolean;
  }
  | { readonly kind: "reencrypt"; readonly bytes: Uint8Array };

export interface VaultResults extends Record<VaultTask["kind"], unknown> {
  readonly create: undefined;
  readonly open: undefined;
  readonly list: NoteListing;
  /** The text of one note. */
  readonly reveal: string;
  readonly change: ChangedStore;
  readonly restore: RestoredStore;
  /** undefined if the backup has another seed, or none. */
  readonly verify: VaultProof | undefined;
  readonly prove: VaultProof;
  readonly commitments: readonly bigint[];
  /** For each note, the hash of each of its leaves. */
  readonly nullifierHashes: readonly (readonly bigint[])[];
  /** The code of the seed, encrypted under the store's passphrase. */
  readonly paper: string;
  readonly sealSession: Uint8Array<ArrayBuffer>;
  readonly openSession: string;
  readonly renew: undefined;
  /** The store, encrypted with the key that `renew` created. */
  readonly reencrypt: Uint8Array<ArrayBuffer>;
}

/** A worker, or a stand-in for it, that runs the tasks of one store. */
export interface VaultThread {
  run<One extends VaultTask>(task: One): Promise<VaultResults[One["kind"]]>;
  /** Ends the worker. Its tasks reject with `cancelled`, and nothing that it knew remains. */
  close(): void;
}
