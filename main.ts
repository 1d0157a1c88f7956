/**
 * Composition root: argv to command to wiring. The only file of the product that builds real adapters; no rule of the
 * protocol or of the relayer may live here.
 */
import { dirname } from "node:path";
import process from "node:process";
import { run } from "./src/cli/program.ts";
import type { Output, RunningRelayer, Wiring } from "./src/cli/wiring.ts";
import type { Config } from "./src/config/config.ts";
import { readRegistry } from "./src/config/registry.ts";
import type { Deployments } from "./src/core/deployments.ts";
import { Problem } from "./src/core/errors.ts";
import { combinedVkeyHash } from "./src/core/groth16.ts";
import { createApp } from "./src/http/app.ts";
import { listen } from "./src/http/listen.ts";
import { createProver } from "./src/prover/prover.ts";
import { startRelayer } from "./src/relay/relayer.ts";
import { openKvStore } from "./src/store/kv/kv_store.ts";
import { configureLog } from "./src/telemetry/log.ts";
import { connect } from "./src/ton/toncenter.ts";
import { openWallet } from "./src/ton/wallet.ts";
import metadata from "./deno.json" with { type: "json" };

const VERSION = metadata.version;
const DEFAULT_COLUMNS = 80;

/** Builds the relayer's adapters, starts it, and serves its API. */
async function serve(config: Config, deployments?: Deployments): Promise<RunningRelayer> {
  const log = configureLog(config.log);
  const registry = deployments ?? await readRegistry(config.network, config.deployments);
  const chain = connect({ endpoint: config.indexer.url, apiKey: config.indexer.apiKey?.reveal() });
  const wallet = await openWallet(config.wallet.mnemonic, {
    version: config.wallet.version,
    network: config.network,
    chain,
  });
  // The port before all that acts: a second relayer must not sign before it finds its port taken.
  let answer: (request: Request) => Response | Promise<Response> = () =>
    new Response(null, { status: 503, headers: { "retry-after": "1" } });
  const { host, port } = config.http;
  const listener = orWrong(
    "RELAYER_PORT",
    `${host}:${port} cannot be listened on`,
    () => listen((request) => answer(request), config.http),
  );
  try {
    const store = await orWrong(
      "RELAYER_DATA_DIR",
      `${config.dataDir} cannot be used`,
      () => openKvStore(config.dataDir),
    );
    const prover = await createProver();
    const relayer = startRelayer({
      config,
      chain,
      wallet,
      store,
      prover,
      vkeyHash: combinedVkeyHash(prover.vkeyHash),
      deployments: registry,
      log,
    });
    answer = createApp(relayer, log).fetch;
    return {
      url: listener.url,
      keys: prover.label,
      async close() {
        await listener.close();
        await relayer.close();
        prover.close();
      },
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** What the system refuses is a fault of the setting that asked for it. */
function orWrong<T>(setting: string, detail: string, open: () => T): T {
  const wrong = (cause: unknown) => {
    if (cause instanceof Problem) return cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const errors = [{ pointer: setting, detail: `${detail}: ${reason}` }];
    return new Problem("invalid_config", undefined, { errors, cause });
  };
  try {
    const opened = open();
    return opened instanceof Promise
      ? opened.catch((cause) => {
        throw wrong(cause);
      }) as T
      : opened;
  } catch (cause) {
    throw wrong(cause);
  }
}

const wiring: Wiring = {
  env: Deno.env.toObject(),
  stdout: output(Deno.stdout),
  stderr: output(Deno.stderr),
  makeTempDir: () => Deno.makeTempDir({ prefix: "tonado-" }),
  async removeDir(path) {
    await Deno.remove(path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  },
  async writeFile(path, text) {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  },
  stopped,
  agrees,
  // Loaded only when asked for: the emulator is large, and a relayer has no use for it.
  startLocalnet: async (options) => (await import("./src/localnet/localnet.ts")).startLocalnet(options),
  serve,
  connect: (endpoint, apiKey) => connect({ endpoint, apiKey }),
  openWallet,
  createProver: () => createProver(),
};

/** Runs the program with the process's arguments and ends the process. */
export async function main(): Promise<never> {
  Deno.exit(await run(Deno.args, VERSION, wiring));
}

if (import.meta.main) await main();

function output(stream: typeof Deno.stdout | typeof Deno.stderr): Output {
  const encoder = new TextEncoder();
  const isTerminal = stream.isTerminal();
  return {
    isTerminal,
    get columns() {
      try {
        return (isTerminal && Deno.consoleSize().columns) || DEFAULT_COLUMNS; // a terminal may not know its size: 0
      } catch {
        return DEFAULT_COLUMNS;
      }
    },
    write(text) {
      for (let rest = encoder.encode(text); rest.length > 0;) rest = rest.subarray(stream.writeSync(rest));
    },
  };
}

async function agrees(message: string): Promise<boolean | undefined> {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return undefined;
  const { confirm } = await import("@clack/prompts");
  // A terminal that says it has no columns would get one character a line.
  if (!process.stderr.columns) Object.defineProperty(process.stderr, "columns", { value: DEFAULT_COLUMNS });
  // Ctrl-C answers with a symbol, which is no agreement.
  return await confirm({ message, initialValue: false, output: process.stderr }) === true;
}

/** The first SIGINT or SIGTERM. A second one ends the process at once, as it always did. */
function stopped(): Promise<void> {
  return new Promise((resolve) => {
    const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
    const stop = () => {
      for (const signal of signals) Deno.removeSignalListener(signal, stop);
      resolve();
    };
    for (const signal of signals) Deno.addSignalListener(signal, stop);
  });
}
