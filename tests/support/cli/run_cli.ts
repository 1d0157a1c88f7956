/** Runs commands in this process with real adapters, which saves the second that starting a process takes. */
import { localFiles } from "../../../src/cli/files/local_files.ts";
import { noteStoreFile } from "../../../src/client/notes/files/note_store_file.ts";
import { connectWallet } from "../../../src/client/tonconnect/connect_wallet.ts";
import { runCli as runProgram } from "../../../src/cli/program.ts";
import type { CliContext } from "../../../src/cli/context.ts";
import type { Clock } from "../../../src/core/time/clock.ts";
import { Secret } from "../../../src/core/text/secret.ts";
import { diskFolder, openByteSource } from "../../../src/ops/ceremony/files/disk_folder.ts";
import { openAppSite } from "../../../src/http/app/app_site.ts";
import { listen } from "../../../src/http/listener.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { openWallet } from "../../../src/ton/wallet/wallet.ts";
import { sharedProver } from "../prover/shared_prover.ts";
import { assertNamesGram } from "../system/coin_name.ts";

/** The result of a command. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The prompts that the command showed. */
  readonly prompts: readonly string[];
}

/** The user at the terminal. Without a user there is no terminal. */
export interface TerminalUser {
  readonly confirms?: boolean | ((question: string) => boolean);
  readonly secrets?: readonly string[];
  /** Whether standard error is a terminal, which shows progress lines. */
  readonly seesProgress?: boolean;
  /** Called with each chunk of standard output. */
  readonly onStdout?: (text: string) => void;
  /** Called with each chunk of standard error. */
  readonly onStderr?: (text: string) => void;
  /** Milliseconds to wait for a relayer whose tree is behind. */
  readonly treeTimeoutMs?: number;
  /** The clock of retries and of connected wallets. Default: the system's. */
  readonly clock?: Clock;
  /** Interrupts the command, as Ctrl-C does. */
  readonly interruptSignal?: AbortSignal;
}

const postgresStores = () => import("../../../src/store/postgres/postgres_store.ts");

const stream = (isTerminal: boolean, write: (text: string) => void) => ({ isTerminal, columns: 80, write });

export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  person: TerminalUser = {},
): Promise<CliResult> {
  let [stdout, stderr] = ["", ""];
  const requests: string[] = [];
  const secrets = [...person.secrets ?? []];
  const unused = () => Promise.reject(new Error("not asked for here"));
  const context: CliContext = {
    ...localFiles,
    env,
    runtime: { deno: "2", v8: "1", target: "x86_64-unknown-linux-gnu", compiled: true },
    stdout: stream(false, (text) => {
      stdout += text;
      person.onStdout?.(text);
    }),
    stderr: stream(person.seesProgress ?? false, (text) => {
      stderr += text;
      person.onStderr?.(text);
    }),
    makeTempDir: unused,
    removeDir: unused,
    now: Date.now,
    ...person.treeTimeoutMs !== undefined && { treeTimeoutMs: person.treeTimeoutMs },
    ...person.clock && { clock: person.clock },
    async openStore({ databaseUrl, dataDir }, options) {
      if (databaseUrl === undefined) return await openKvStore(dataDir, options);
      return await (await postgresStores()).openPostgresStore(databaseUrl.reveal(), options);
    },
    migrateDatabase: async (url) => await (await postgresStores()).migratePostgres(url.reveal()),
    waitForShutdown: () =>
      new Promise((resolve) => person.interruptSignal?.addEventListener("abort", () => resolve())),
    isInteractive: () => person.confirms !== undefined,
    promptConfirm(question) {
      requests.push(question);
      const { confirms: agrees } = person;
      return Promise.resolve(typeof agrees === "function" ? agrees(question) : agrees);
    },
    promptSecret(question) {
      requests.push(question);
      const answer = secrets.shift();
      return Promise.resolve(answer === undefined ? undefined : new Secret(answer));
    },
    noteStoreAt: (path) => noteStoreFile(path, { workFactor: 8 }),
    ceremonyFolder: diskFolder,
    openSource: openByteSource,
    startLocalnet: unused,
    localnetWallet: async () => (await import("../../../src/localnet/localnet.ts")).firstWallet,
    serve: unused,
    connect: (network, { url, apiKey, requestsPerSecond }) =>
      connect({ network, endpoint: url, apiKey: apiKey?.reveal(), requestsPerSecond }),
    openWallet,
    connectWallet: (entry, options) => connectWallet(entry, options, person.clock),
    createProver: sharedProver,
    async serveApp(settings, address) {
      const site = await openAppSite("/", settings);
      const listener = listen(site.respond, { ...address, failed: () => {} });
      return { url: listener.url, hash: site.hash, close: () => listener.close() };
    },
  };
  const code = await runProgram(args, "0", context);
  assertNamesGram([stdout, stderr, ...requests].join("\n"), `tonado ${args[0]}`);
  return { code, stdout, stderr, prompts: requests };
}
