/** A folder with the binary, a relayer's settings, and a depositor's notes, for the tests of the binary. */
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import type { Localnet } from "../../src/localnet/localnet.ts";
import { freePort, type Program, startProgram } from "../../testkit/programs/program.ts";
import { binaryIn, confined, output } from "./binary.ts";

/** The user of confined programs. */
const NOBODY = 65_534;

/** A test file's folder. */
export interface Workspace {
  readonly directory: string;
  readonly binary: string;
  /** The only folder that a confined program may write to. */
  readonly home: string;
  remove(): Promise<void>;
}

/**
 * Creates a folder that every user may enter, with the binary and, if this user may change owners, nobody's home.
 */
export async function openWorkspace(): Promise<Workspace> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-compiled-" });
  await Deno.chmod(directory, 0o755);
  const home = `${directory}/home`;
  await Deno.mkdir(home);
  if (Deno.uid() === 0) await Deno.chown(home, NOBODY, NOBODY);
  return {
    directory,
    home,
    binary: await binaryIn(directory),
    remove: () => Deno.remove(directory, { recursive: true }),
  };
}

/** Starts the binary as nobody, with write access to its home only. */
export function startConfined(
  { home, binary }: Workspace,
  args: readonly string[],
  env: Record<string, string>,
) {
  const [program, ...rest] = confined(home, [binary, ...args]);
  return startProgram([program], rest, env);
}

/** Returns the settings of a relayer of this network, with its data below the home. */
export async function relayerSettings({ directory, home }: Workspace, localnet: Localnet, port = freePort()) {
  const registry = `${directory}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(localnet.deployments));
  const mnemonic = `${home}/mnemonic`;
  await Deno.writeTextFile(mnemonic, localnet.relayer.mnemonic);
  return {
    RELAYER_NETWORK: "localnet",
    RELAYER_WALLET_MNEMONIC_FILE: mnemonic,
    RELAYER_WALLET_VERSION: localnet.relayer.version as string,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${home}/data`,
    RELAYER_PORT: String(port),
    INDEXER_URL: localnet.url,
  };
}

/** Returns flags that select the network, and variables of a wallet with coins and a new note store. */
export async function depositor({ directory, home }: Workspace, localnet: Localnet) {
  const [{ mnemonic, version }] = localnet.wallets;
  await Deno.writeTextFile(`${home}/words`, mnemonic);
  const registry = `${directory}/localnet.json`;
  return {
    at: ["--network", "localnet", "--endpoint", localnet.url, "--registry", registry],
    env: {
      TONADO_NOTES: `${home}/${crypto.randomUUID()}.age`,
      TONADO_PASSPHRASE: "correct horse battery",
      TONADO_WALLET_VERSION: version as string,
    },
  };
}

/** Kills a program unless it has ended. */
export async function killed(program: Pick<Program, "kill" | "status">): Promise<void> {
  try {
    program.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it has ended by itself
  }
  await program.status;
}

/** Returns whether GET /readyz of the relayer at `url` answers 200. */
export async function ready(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/** Deposits into the smallest pool of coins and returns the note's id. */
export async function deposit(
  { home, binary }: Workspace,
  { at, env }: Awaited<ReturnType<typeof depositor>>,
): Promise<string> {
  const flags = ["--mnemonic-file", `${home}/words`, "--yes", "--json"];
  const { code, stdout, stderr } = await output(
    confined(home, [binary, "deposit", "native-1", ...at, ...flags]),
    env,
  );
  if (code !== 0) throw new Error(stderr);
  return stdout.match(/"id":"(\w+)"/)![1];
}

/** Closes a resource without a disposer when its block ends. */
export function disposable<T extends { close(): Promise<void> }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: () => resource.close() });
}
