/** The program in this process, against real adapters: as a user runs it, without the second that a process takes to start. */
import { localFiles } from "../../src/cli/files/local_files.ts";
import { noteFile } from "../../src/client/files/note_file.ts";
import { run } from "../../src/cli/program.ts";
import type { Wiring } from "../../src/cli/wiring.ts";
import { Secret } from "../../src/core/secret.ts";
import { ceremonyFolder, openSource } from "../../src/ops/files/ceremony_files.ts";
import { createProver } from "../../src/prover/prover.ts";
import { connect } from "../../src/ton/toncenter.ts";
import { openWallet } from "../../src/ton/wallet.ts";

/** What a command left behind. */
export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Questions that it asked. */
  readonly asked: readonly string[];
}

/** What the person at the terminal answers; nothing: there is none. */
export interface Person {
  readonly agrees?: boolean | ((question: string) => boolean);
  readonly secrets?: readonly string[];
  /** Told of every piece of standard output as it is written. */
  readonly sees?: (text: string) => void;
  /** Told of every piece of standard error. */
  readonly seesNotices?: (text: string) => void;
  /** Milliseconds to wait for a relayer whose tree is behind. */
  readonly treePatienceMs?: number;
  /** Ends the command, as Ctrl-C does. */
  readonly interrupts?: AbortSignal;
}

/** Runs one command. */
export async function tonado(
  args: readonly string[],
  env: Record<string, string> = {},
  person: Person = {},
): Promise<Result> {
  let [stdout, stderr] = ["", ""];
  const asked: string[] = [];
  const secrets = [...person.secrets ?? []];
  const unused = () => Promise.reject(new Error("not asked for here"));
  const wiring: Wiring = {
    ...localFiles,
    env,
    runtime: { deno: "2", v8: "1", target: "x86_64-unknown-linux-gnu", compiled: true },
    stdout: {
      isTerminal: false,
      columns: 80,
      write: (text) => {
        stdout += text;
        person.sees?.(text);
      },
    },
    stderr: {
      isTerminal: false,
      columns: 80,
      write: (text) => {
        stderr += text;
        person.seesNotices?.(text);
      },
    },
    makeTempDir: unused,
    removeDir: unused,
    now: Date.now,
    ...person.treePatienceMs !== undefined && { treePatienceMs: person.treePatienceMs },
    openStore: unused,
    migrateDatabase: unused,
    stopped: () => new Promise((resolve) => person.interrupts?.addEventListener("abort", () => resolve())),
    canAsk: () => person.agrees !== undefined,
    agrees(question) {
      asked.push(question);
      const { agrees } = person;
      return Promise.resolve(typeof agrees === "function" ? agrees(question) : agrees);
    },
    askSecret(question) {
      asked.push(question);
      const answer = secrets.shift();
      return Promise.resolve(answer === undefined ? undefined : new Secret(answer));
    },
    notes: (path) => noteFile(path, { workFactor: 8 }),
    ceremonyFolder,
    openSource,
    startLocalnet: unused,
    localWallet: async () => (await import("../../src/localnet/localnet.ts")).firstWallet,
    serve: unused,
    connect: (network, { url, apiKey }) => connect({ network, endpoint: url, apiKey: apiKey?.reveal() }),
    openWallet,
    createProver: () => createProver(),
  };
  return { code: await run(args, "0", wiring), stdout, stderr, asked };
}
