/** Commands never create adapters: `main.ts` passes this record, tests pass another. */
import type { Address } from "@ton/core";
import type { NoteStore } from "../client/notes/note_store.ts";
import type { ConnectOptions, WalletEntry, WalletPayer } from "../client/tonconnect/bridge.ts";
import type { AppSettings } from "../http/app/app_site.ts";
import type { Endpoint } from "../config/endpoint.ts";
import type { ServeConfig } from "../config/serve_config.ts";
import type { StoreLocation } from "../config/store_config.ts";
import type { Deployments } from "../core/protocol/deployments.ts";
import type { Network } from "../core/protocol/network.ts";
import type { Secret } from "../core/text/secret.ts";
import type { Clock } from "../core/time/clock.ts";
import type { Prover } from "../prover/prover.ts";
import type { CeremonyFolder } from "../ops/ceremony/ceremony_folder.ts";
import type { FileByteSource } from "../ops/ceremony/section_file.ts";
import type { ArchivedStore } from "../store/archive.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet, WalletVersion } from "../ton/wallet/wallet.ts";

/** Its mnemonic is public. */
interface LocalnetWallet {
  readonly mnemonic: string;
  readonly address: Address;
  readonly version: WalletVersion;
}

export interface RunningLocalnet {
  readonly url: string; // ends with `/api/v2/jsonRPC`
  readonly wallets: readonly LocalnetWallet[];
  readonly relayer: LocalnetWallet; // signs for the relayer; not among `wallets`
  readonly deployments: Deployments;
  readonly jetton: { readonly asset: string; readonly decimals: number; readonly master: Address };
  close(): Promise<void>;
}

export interface RunningRelayer {
  readonly url: string;
  readonly keys: string;
  /** Stops API, indexer and broadcaster, in this order, and closes the store. */
  close(): Promise<void>;
}

export interface LocalnetOptions {
  readonly port?: number;
  readonly blockTimeMs?: number;
}

export interface RuntimeInfo {
  readonly deno: string;
  readonly v8: string;
  readonly target: string;
  readonly compiled: boolean;
}

export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: RuntimeInfo;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  makeTempDir(): Promise<string>;
  removeDir(path: string): Promise<void>;
  writeFile(path: string, text: string): Promise<void>;
  openOutputFile(setting: string, path: string): OutputFile;
  /** Throws `invalid_config` if the file is unreadable or larger than `maxBytes`. */
  readFile(path: string, maxBytes: number): Uint8Array<ArrayBuffer>;
  /** Throws `invalid_config` if the file is unreadable. */
  readStream(path: string): Promise<ReadableStream<Uint8Array>>;
  /** Writes a new file atomically, readable only by its owner. Throws `invalid_config`. */
  writeNewFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Unix milliseconds. */
  now(): number;
  /** How long to wait for a relayer whose tree is behind; undefined: the library's default. */
  readonly treeTimeoutMs?: number;
  /** Measures the wait for the payments of a retry. Default: the system's. */
  readonly clock?: Clock;
  /** Throws `unknown_store` if there is no store and `create` is false. */
  openStore(location: StoreLocation, options: { readonly create: boolean }): Promise<ArchivedStore>;
  migrateDatabase(url: Secret<string>): Promise<{ found: number; now: number }>;
  waitForShutdown(): Promise<void>;
  isInteractive(): boolean;
  /** On standard error; undefined without a terminal. Throws `cancelled`. */
  promptConfirm(question: string): Promise<boolean | undefined>;
  /** Hidden input; undefined without a terminal. Throws `cancelled`. */
  promptSecret(question: string): Promise<Secret<string> | undefined>;
  noteStoreAt(path: string): {
    exists(): Promise<boolean>;
    open(passphrase: Secret<string>): Promise<NoteStore>;
  };
  ceremonyFolder(path: string): CeremonyFolder;
  openSource(path: string): Promise<FileByteSource>;
  startLocalnet(options: LocalnetOptions): Promise<RunningLocalnet>;
  localnetWallet(): Promise<LocalnetWallet>;
  serve(config: ServeConfig, deployments?: Deployments): Promise<RunningRelayer>;
  connect(network: Network, endpoint: Endpoint): Chain;
  openWallet(
    mnemonic: Secret<string>,
    options: { version: WalletVersion; network: Network; chain: Chain },
  ): Promise<Wallet>;
  /** Waits until a wallet on a phone has connected over its bridge. */
  connectWallet(
    entry: WalletEntry,
    options: ConnectOptions & { readonly manifestUrl: string },
  ): Promise<WalletPayer>;
  createProver(): Promise<Prover>;
  /** Throws `not_found` if the app has not been built. */
  serveApp(
    settings: AppSettings,
    address: { readonly host: string; readonly port: number },
  ): Promise<RunningApp>;
}

interface RunningApp {
  readonly url: string;
  readonly hash: string; // SHA-256 of the app's `SHA256SUMS`
  close(): Promise<void>;
}

/** A file that this run creates; existing files are never replaced. Disposing keeps the content. */
export interface OutputFile extends Disposable {
  /** Creates and removes the file. Throws `invalid_config` or `write_failed`. */
  assertWritable(): void;
  /** Creates the file, or replaces what this run wrote. Throws `invalid_config` or `write_failed`. */
  write(text: string): void;
}

export interface TextOutput {
  readonly isTerminal: boolean;
  readonly columns: number;
  write(text: string): void;
}

/** Returns a signal that aborts at the first request to stop. */
export function shutdownSignal({ waitForShutdown }: Pick<CliContext, "waitForShutdown">): AbortSignal {
  const abort = new AbortController();
  waitForShutdown().then(() => abort.abort());
  return abort.signal;
}

export async function withProver<T>(
  { createProver }: Pick<CliContext, "createProver">,
  work: (prover: Prover) => Promise<T>,
): Promise<T> {
  const prover = await createProver();
  try {
    return await work(prover);
  } finally {
    prover.close();
  }
}
