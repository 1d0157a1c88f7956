/**
 * Starts the surroundings of the command tests: a local network with its relayer, a registry file, a payer
 * and a note store.
 */
import { formatDeployments } from "../../../src/core/protocol/deployments.ts";
import { formatNote, type Note } from "../../../src/core/protocol/note.ts";
import { type HarnessOptions, RelayerHarness } from "../relayer/relayer_harness.ts";
import { runCli } from "./run_cli.ts";

/** A running fixture. */
export interface CliFixture extends AsyncDisposable {
  readonly net: RelayerHarness;
  /** A folder that is removed at the end. */
  readonly directory: string;
  readonly registry: string;
  /** Flags that select the network. */
  readonly networkFlags: readonly string[];
  /** Flags that select a wallet with coins. */
  readonly payerFlags: readonly string[];
  /** Variables for the note store and its passphrase. */
  readonly env: Record<string, string>;
  readonly api: (request: Request) => Promise<Response>;
  /** Deposits new notes into `native-1` and adds them to the note store. */
  depositNotes(count: number): Promise<Note[]>;
}

export async function startCliFixture(options: HarnessOptions = {}): Promise<CliFixture> {
  const net = await RelayerHarness.start(options);
  const dir = net.directory;
  const registry = `${dir}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const [{ mnemonic, version }] = net.localnet.wallets;
  await Deno.writeTextFile(`${dir}/words`, mnemonic);
  const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" };
  return {
    net,
    directory: dir,
    registry,
    env,
    networkFlags: ["--network", "localnet", "--registry", registry, "--endpoint", net.localnet.url],
    payerFlags: ["--mnemonic-file", `${dir}/words`, "--wallet-version", version],
    api: (request) => net.request(request),
    async depositNotes(count) {
      const notes: Note[] = [];
      for (let i = 0; i < count; i++) {
        notes.push(await net.deposit("native-1"));
        await runCli(["note", "restore"], env, { secrets: [formatNote(notes[i])] });
      }
      await net.untilIndexed("native-1");
      return notes;
    },
    [Symbol.asyncDispose]: () => net[Symbol.asyncDispose](),
  };
}

/** Parses the output of a command with `--json`, one object per line. */
// deno-lint-ignore no-explicit-any
export function parseJsonLines(stdout: string): any[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}
