/** What commands are given in tests: a local network with its relayer, the registry's file, a payer, a note store. */
import { formatDeployments } from "../../src/core/deployments.ts";
import { formatNote, type Note } from "../../src/core/note.ts";
import { Harness } from "../e2e/relayer_harness.ts";
import { tonado } from "./in_process.ts";

/** A running scene. */
export interface CommandScene extends AsyncDisposable {
  readonly net: Harness;
  /** For files; removed at the end. */
  readonly dir: string;
  readonly registry: string;
  /** Flags that name the network. */
  readonly at: readonly string[];
  /** Flags that name a wallet with coins. */
  readonly payer: readonly string[];
  /** Variables that name the note store and its passphrase. */
  readonly env: Record<string, string>;
  /** The relayer's API. */
  readonly api: (request: Request) => Promise<Response>;
  /** Deposits fresh notes into `native-1` and keeps them in the store, as if they had been typed in. */
  deposited(count: number): Promise<Note[]>;
}

/** Starts one. */
export async function commandScene(options: { readonly relayer?: boolean } = {}): Promise<CommandScene> {
  const net = await Harness.start(options);
  const dir = net.directory;
  const registry = `${dir}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const [{ mnemonic, version }] = net.localnet.wallets;
  await Deno.writeTextFile(`${dir}/words`, mnemonic);
  const env = { TONADO_NOTES: `${dir}/notes.age`, TONADO_PASSPHRASE: "correct horse battery" };
  return {
    ...{ net, dir, registry, env },
    at: ["--network", "localnet", "--registry", registry, "--endpoint", net.localnet.url],
    payer: ["--mnemonic-file", `${dir}/words`, "--wallet-version", version],
    api: (request) => net.request(request),
    async deposited(count) {
      const notes: Note[] = [];
      for (let i = 0; i < count; i++) {
        notes.push(await net.deposit("native-1"));
        await tonado(["note", "restore"], env, { secrets: [formatNote(notes[i])] });
      }
      await net.untilIndexed("native-1");
      return notes;
    },
    [Symbol.asyncDispose]: () => net[Symbol.asyncDispose](),
  };
}

/** What a command with `--json` has written, one object a line. */
// deno-lint-ignore no-explicit-any
export function events(stdout: string): any[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}
