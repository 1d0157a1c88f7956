/** Interfaces of the app's flows to the browser. Adapters are in browser/ and wallet/, fakes in tests. */
import type { ConnectOptions, WalletPayer } from "../client/tonconnect/bridge.ts";
import type { Network } from "../core/protocol/network.ts";
import type { Secret } from "../core/text/secret.ts";
import type { VersionChanges } from "./updates/version_changes.ts";
import type { VaultThread } from "./vault/vault_task.ts";

export type { WalletPayer as Payer } from "../client/tonconnect/bridge.ts";
export type { PayMessage, PayOptions } from "../client/deposit/payer.ts";
export type { Clock } from "../core/time/clock.ts";

/** The encrypted note store: the bytes of `notes.age` in one record, replaced whole and durably. */
export interface NoteFiles {
  readonly name: string;
  /** Throws `store_unavailable` if the browser denies storage. */
  read(): Promise<Uint8Array | undefined>;
  /** Throws `write_failed` if storage is full or denied; the earlier bytes remain then. */
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Erases the store and all other data of the app. */
  remove(): Promise<void>;
  /** Excludes other tabs for the time of one change. */
  lock(): Promise<Disposable>;
  /** Prevents other tabs from moving money with these notes. Throws `note_store_in_use` immediately. */
  lockForWork(): Promise<Disposable>;
  /** Asks the browser not to clear the storage. Returns whether it agreed. */
  persist(): Promise<boolean>;
}

/** The worker of one open note store. It has the key, the notes and the seed; the page has none of them. */
export type OpenVault = VaultThread;

/** Runs scrypt and age in a worker for each store. */
export interface Vaults {
  /** Takes a second and 256 MiB; `isLight`, for drawn words, a quarter of both. Throws `out_of_memory`. */
  create(passphrase: Secret<string>, options?: { readonly isLight: boolean }): Promise<OpenVault>;
  /** Throws `wrong_passphrase`, `note_store_corrupted` or `out_of_memory`. */
  open(bytes: Uint8Array, passphrase: Secret<string>): Promise<OpenVault>;
  /** Like `open` with the current passphrase. The vault's `reencrypt` encrypts the store for the next one. */
  renew(
    bytes: Uint8Array,
    passphrases: Readonly<{ current: Secret<string>; next: Secret<string>; isLight: boolean }>,
  ): Promise<OpenVault>;
}

export type { PageCache } from "../client/pages/pool_pages.ts";

/** A way to reach a wallet: the bridge of this browser's wallet, or an HTTP bridge with a link or QR code. */
export interface PayerSource {
  readonly id: string;
  readonly name: string;
  /** `injected` wallets ask in their own window; `bridge` wallets are opened with a link. */
  readonly kind: "injected" | "bridge";
  /**
   * Connects, or continues an earlier visit's session. `onLink` gets the link to open a `bridge` wallet
   * with. Throws `wallet_declined`, `wallet_unavailable`, `wrong_network`, `cancelled`.
   */
  connect(options: ConnectOptions): Promise<WalletPayer>;
}

export interface PayerSources {
  /** The wallets of this browser first, then those of the committed list. `vault` encrypts their stored session. */
  list(vault: OpenVault): readonly PayerSource[];
  /** Deletes the keys of a session that a closed page has left, without a request to the wallet. Never rejects. */
  forget(): Promise<void>;
}

export interface Downloads {
  /** Passes a file to the browser. Only {@linkcode Downloads.open} can show that it was saved. */
  save(name: string, bytes: Uint8Array<ArrayBuffer>, type: string): void;
  /** Lets the user choose a file. Returns undefined if none was chosen. Throws `invalid_request` above `maxBytes`. */
  open(
    options: { readonly accept: string; readonly maxBytes: number },
  ): Promise<{ readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined>;
  print(
    page: { readonly title: string; readonly lines: readonly string[]; readonly code: string },
  ): Promise<void>;
  /** Writes to the clipboard. Never call it with a note or a seed. Returns whether it succeeded. */
  copy(text: string): Promise<boolean>;
}

/** Reads QR codes with the camera, whose picture appears in `video`, a video element. */
export interface CodeScanner {
  isAvailable(): Promise<boolean>;
  /** Returns the first code that `accepts` returns true for. Throws `cancelled`, `camera_unavailable`. */
  scan(video: unknown, accepts: (text: string) => boolean, signal: AbortSignal): Promise<string>;
}

export interface Tabs {
  notify(message: TabMessage): void;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (message: TabMessage) => void): () => void;
}

export type TabMessage = "store_changed" | "store_erased" | "locked";

/** The progress of the files that proofs need. They are checked against their pinned hashes at each read. */
export interface ArtifactProgress {
  /** Calls `listener` with bytes received and expected, over all files in flight. Returns the unsubscription. */
  subscribe(listener: (progress: { readonly received: number; readonly total: number }) => void): () => void;
}

/** Fills `bytes` with random values: `crypto.getRandomValues` in a browser. */
export type RandomBytes = (bytes: Uint8Array<ArrayBuffer>) => void;

/** Settings that are not secret, such as theme and endpoints. They contain no note, address or history. */
export interface Preferences {
  /** Returns the newest value of this or another tab, or undefined. */
  read(): unknown;
  write(value: unknown): void;
  /** Calls `listener` when another tab has changed or erased the value. */
  subscribe(listener: () => void): void;
}

/** Opens the store with a passkey of the device (WebAuthn PRF). The passphrase always works as well. */
export interface Passkeys {
  isAvailable(): Promise<boolean>;
  isEnrolled(): Promise<boolean>;
  /** Stores the passphrase encrypted for this device. Throws `passkey_unavailable`, `cancelled`. */
  enroll(passphrase: Secret<string>): Promise<void>;
  /** Returns the passphrase. Throws `passkey_unavailable`, `cancelled`. */
  unlock(): Promise<Secret<string>>;
  remove(): Promise<void>;
}

export type PlaceFault = "insecure_origin" | "path_gateway" | "framed" | "storage_denied";

export interface AppVersions {
  /** The hash of the running version's files, and that of its settings after a dash. */
  readonly running: string;
  /** Of a newer version that waits for consent. */
  readonly waiting?: string;
  /** What accepting it would change. */
  readonly changes?: VersionChanges;
}

export interface AppPlace {
  /** Where to open the app instead, if it cannot run here. */
  readonly ownAddress: string | undefined;
  /** Returns undefined if notes are safe here. */
  findFault(): Promise<PlaceFault | undefined>;
  versions(): Promise<AppVersions>;
  /** Accepts the waiting version and reloads the page. */
  acceptWaiting(id: string): Promise<void>;
  /** Calls `listener` when the page has been hidden or shown. Returns the unsubscription. */
  onVisibility(listener: (isHidden: boolean) => void): () => void;
  isOnline(): boolean;
}

/** The settings of a build or its server: `config.json` beside `index.html`. */
export interface AppConfig {
  readonly network: Network;
  /** Toncenter v2 JSON-RPC. Deposits and withdrawals use different endpoints if two are configured. */
  readonly depositEndpoint: string;
  readonly withdrawalEndpoint: string;
  readonly relayers: readonly string[];
  /** Origins and schemes that the page's policy lets it connect to; undefined: not restricted. */
  readonly connect?: readonly string[] | undefined;
  /** The registry of pools, in the form of `deployments/<network>.json`. */
  readonly pools: unknown;
}
