/**
 * The dependencies of commands. Commands never create adapters: `main.ts` passes this record, and tests pass another.
 */
import type { Address } from "@ton/core";
import type { NoteStore } from "../client/notes/note_store.ts";
import type { Endpoint } from "../config/endpoint.ts";
import type { ServeConfig } from "../config/serve_config.ts";
import type { StoreLocation } from "../config/store_config.ts";
import type { Deployments } from "../core/protocol/deployments.ts";
import type { Network } from "../core/protocol/network.ts";
import type { Secret } from "../core/text/secret.ts";
import type { Prover } from "../prover/prover.ts";
import type { CeremonyFolder } from "../ops/ceremony/ceremony_folder.ts";
import type { FileByteSource } from "../ops/ceremony/section_file.ts";
import type { ArchivedStore } from "../store/archive.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet, WalletVersion } from "../ton/wallet/wallet.ts";

/** A funded wallet of a local network. Its mnemonic is public. */
export interface LocalnetWallet {
  readonly mnemonic: string;
  readonly address: Address;
  readonly version: WalletVersion;
}

export interface RunningLocalnet {
  /** Ends in `/api/v2/jsonRPC`. */
  readonly url: string;
  readonly wallets: readonly LocalnetWallet[];
  /** Signs for the relayer; not among `wallets`. */
  readonly relayer: LocalnetWallet;
  readonly deployments: Deployments;
  /** The jetton that `wallets` hold. */
  readonly jetton: { readonly asset: string; readonly decimals: number; readonly master: Address };
  close(): Promise<void>;
}

export interface RunningRelayer {
  readonly url: string;
  /** Label of its verification keys: `development keys, insecure`. */
  readonly keys: string;
  /** Stops the API, the indexer and the broadcaster, in this order, and closes the store. */
  close(): Promise<void>;
}

export interface LocalnetOptions {
  /** Default: any free one. */
  readonly port?: number;
  readonly blockTimeMs?: number;
}

export interface RuntimeInfo {
  readonly deno: string;
  readonly v8: string;
  readonly target: string;
  /** Whether it is a compiled binary with an embedded runtime. */
  readonly compiled: boolean;
}

/** Output, files, network and other dependencies of a command. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: RuntimeInfo;
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  makeTempDir(): Promise<string>;
  /** Removes a directory and its contents, if it exists. */
  removeDir(path: string): Promise<void>;
  /** Writes or replaces a file, and creates missing parent directories. */
  writeFile(path: string, text: string): Promise<void>;
  /** Opens a new file for output. @param setting the flag that names it */
  openOutputFile(setting: string, path: string): OutputFile;
  /** Reads a whole file. @throws {Problem} `invalid_config` if it is unreadable or larger than `maxBytes` */
  readFile(path: string, maxBytes: number): Uint8Array<ArrayBuffer>;
  /** Opens a file of any size as a stream. @throws {Problem} `invalid_config` if it is unreadable */
  readStream(path: string): Promise<ReadableStream<Uint8Array>>;
  /** Writes a new file atomically, readable only by its owner. @throws {Problem} `invalid_config` */
  writeNewFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds to wait for a relayer whose tree is behind the pool; undefined: the library's default. */
  readonly treeTimeoutMs?: number;
  /** @throws {Problem} `unknown_store` if there is no store and `create` is false */
  openStore(location: StoreLocation, options: { readonly create: boolean }): Promise<ArchivedStore>;
  /** Migrates the schema. Returns its versions before and after. */
  migrateDatabase(url: Secret<string>): Promise<{ found: number; now: number }>;
  /** Resolves when the process receives SIGINT or SIGTERM. */
  waitForShutdown(): Promise<void>;
  isInteractive(): boolean;
  /** Asks for a confirmation on standard error; undefined if there is no terminal. @throws {Problem} `cancelled` */
  promptConfirm(question: string): Promise<boolean | undefined>;
  /** Asks for a hidden input; undefined if there is no terminal. @throws {Problem} `cancelled` */
  promptSecret(question: string): Promise<Secret<string> | undefined>;
  /** The note store at `path`; see `noteFile`. */
  noteStoreAt(path: string): {
    exists(): Promise<boolean>;
    open(passphrase: Secret<string>): Promise<NoteStore>;
  };
  ceremonyFolder(path: string): CeremonyFolder;
  /** Opens a file for random access. @throws {Problem} `invalid_config` if it is unreadable */
  openSource(path: string): Promise<FileByteSource>;
  startLocalnet(options: LocalnetOptions): Promise<RunningLocalnet>;
  /** Returns the first wallet that every local network funds. */
  localnetWallet(): Promise<LocalnetWallet>;
  /** `deployments` overrides the registry that the configuration names. */
  serve(config: ServeConfig, deployments?: Deployments): Promise<RunningRelayer>;
  connect(network: Network, endpoint: Endpoint): Chain;
  openWallet(
    mnemonic: Secret<string>,
    options: { version: WalletVersion; network: Network; chain: Chain },
  ): Promise<Wallet>;
  createProver(): Promise<Prover>;
}

/** A file that this run creates. A file that existed before is never replaced. Disposing keeps the content. */
export interface OutputFile extends Disposable {
  /** Creates and removes the file, to check that it can be created. @throws {Problem} `invalid_config`, `write_failed` */
  assertWritable(): void;
  /** Creates the file, or replaces what this run wrote. @throws {Problem} `invalid_config`, `write_failed` */
  write(text: string): void;
}

export interface TextOutput {
  readonly isTerminal: boolean;
  /** Columns of the terminal; 80 if it is not a terminal. */
  readonly columns: number;
  write(text: string): void;
}

/** Runs work with a prover, which is closed afterwards. */
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
