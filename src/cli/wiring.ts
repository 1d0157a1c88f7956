/**
 * What commands get to work with. Commands never build an adapter themselves: `main.ts` hands them this record, and
 * tests hand them another.
 */
import type { Address } from "@ton/core";
import type { NoteStore } from "../client/note_store.ts";
import type { Config, Endpoint } from "../config/config.ts";
import type { StoreLocation } from "../config/store_config.ts";
import type { Deployments } from "../core/deployments.ts";
import type { Network } from "../core/network.ts";
import type { Secret } from "../core/secret.ts";
import type { Prover } from "../prover/prover.ts";
import type { Folder } from "../ops/ceremony/folder.ts";
import type { FileSource } from "../ops/ceremony/sections.ts";
import type { ArchivedStore } from "../store/archive.ts";
import type { Chain } from "../ton/chain.ts";
import type { Wallet, WalletVersion } from "../ton/wallet.ts";

/** A funded wallet of a local network; its mnemonic is no secret. */
export interface LocalWallet {
  readonly mnemonic: string;
  readonly address: Address;
  readonly version: WalletVersion;
}

/** A running local network. */
export interface RunningLocalnet {
  /** Ends in `/api/v2/jsonRPC`. */
  readonly url: string;
  readonly wallets: readonly LocalWallet[];
  /** Signs for the relayer; not among `wallets`. */
  readonly relayer: LocalWallet;
  readonly deployments: Deployments;
  /** The jetton that `wallets` hold. */
  readonly jetton: { readonly asset: string; readonly decimals: number; readonly master: Address };
  close(): Promise<void>;
}

/** A running relayer. */
export interface RunningRelayer {
  /** Base URL of its API. */
  readonly url: string;
  /** What kind of keys it verifies with: `development keys, insecure`. */
  readonly keys: string;
  /** Ends the API, the indexer and the broadcaster, in this order, and closes the store. */
  close(): Promise<void>;
}

/** Options of a local network. */
export interface LocalnetOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** Milliseconds between blocks. */
  readonly blockTimeMs?: number;
}

/** What the program runs on. */
export interface Runtime {
  readonly deno: string;
  readonly v8: string;
  /** Like `x86_64-unknown-linux-gnu`. */
  readonly target: string;
  /** Whether it is one binary, its runtime embedded. */
  readonly compiled: boolean;
}

/** Where a command writes and what it may ask of the outside. */
export interface Wiring {
  /** The process environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  readonly stdout: Output;
  readonly stderr: Output;
  /** A fresh directory for what is thrown away afterwards. */
  makeTempDir(): Promise<string>;
  /** Removes a directory and all in it; one that does not exist is no error. */
  removeDir(path: string): Promise<void>;
  /** Writes a file of the program's own, over what is there, and the directories above it if they are missing. */
  writeFile(path: string, text: string): Promise<void>;
  /** A file that a command makes; see `ownFile`. @param setting the flag that names it */
  ownFile(setting: string, path: string): OwnFile;
  /** Reads a whole file of at most `most` bytes. @throws {Problem} `invalid_config` when it cannot be, or has more */
  readFile(path: string, most: number): Uint8Array<ArrayBuffer>;
  /** Opens a file of any size to be read in order. @throws {Problem} `invalid_config` when it cannot be */
  readStream(path: string): Promise<ReadableStream<Uint8Array>>;
  /** Writes a new file that only its owner may read, whole or not at all. @throws {Problem} `invalid_config` */
  writeStream(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds to wait for a relayer whose tree is behind the pool; undefined: the library's default. */
  readonly treePatienceMs?: number;
  /** @throws {Problem} `unknown_store` when there is none, and `create` is false */
  openStore(location: StoreLocation, options: { readonly create: boolean }): Promise<ArchivedStore>;
  /** Returns the versions of the schema that were found and that are there now. */
  migrateDatabase(url: Secret<string>): Promise<{ found: number; now: number }>;
  /** Resolves when the user or the system asks the program to end. */
  stopped(): Promise<void>;
  /** Whether somebody is there to be asked. */
  canAsk(): boolean;
  /** Asks the person at the terminal, on standard error; undefined: there is nobody to ask. @throws {Problem} `cancelled` */
  agrees(question: string): Promise<boolean | undefined>;
  /** Asks for what must not be seen; undefined when there is nobody to ask. @throws {Problem} `cancelled` */
  askSecret(question: string): Promise<Secret<string> | undefined>;
  /** The note store at `path`; see `noteFile`. */
  notes(path: string): {
    exists(): Promise<boolean>;
    open(passphrase: Secret<string>): Promise<NoteStore>;
  };
  /** The folder at `path`, whether it exists or not. */
  ceremonyFolder(path: string): Folder;
  /** Opens a file to be read in parts. @throws {Problem} `invalid_config` when it cannot be */
  openSource(path: string): Promise<FileSource>;
  startLocalnet(options: LocalnetOptions): Promise<RunningLocalnet>;
  /** The first of a local network's wallets, which every local network funds. */
  localWallet(): Promise<LocalWallet>;
  /** `deployments` overrides the registry that the configuration names. */
  serve(config: Config, deployments?: Deployments): Promise<RunningRelayer>;
  connect(network: Network, endpoint: Endpoint): Chain;
  openWallet(
    mnemonic: Secret<string>,
    options: { version: WalletVersion; network: Network; chain: Chain },
  ): Promise<Wallet>;
  createProver(): Promise<Prover>;
}

/** A file of a run's own: what was there before the run is never replaced. Disposed of, it stays as it was written. */
export interface OwnFile extends Disposable {
  /** Whether it can be made, by making it and taking it away. @throws {Problem} `invalid_config`, `cannot_write` */
  check(): void;
  /** Makes it, or replaces what this run wrote into it. @throws {Problem} `invalid_config`, `cannot_write` */
  write(text: string): void;
}

/** A stream of text. */
export interface Output {
  readonly isTerminal: boolean;
  /** Columns of the terminal; 80 when it is none. */
  readonly columns: number;
  write(text: string): void;
}
