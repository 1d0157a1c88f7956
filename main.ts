/**
 * Composition root: argv to command to wiring. The only file of the product that builds real adapters; no rule of the
 * protocol or of the relayer may live here.
 */
import { dirname } from "node:path";
import process from "node:process";
import { run } from "./src/cli/program.ts";
import type { Output, RunningRelayer, Wiring } from "./src/cli/wiring.ts";
import { Unread } from "./src/cli/failure.ts";
import { noteFile } from "./src/client/files/note_file.ts";
import { ownFile } from "./src/client/files/own_file.ts";
import type { Config, Endpoint } from "./src/config/config.ts";
import { readRegistry } from "./src/config/registry.ts";
import type { StoreLocation } from "./src/config/store_config.ts";
import type { Deployments } from "./src/core/deployments.ts";
import { Problem } from "./src/core/errors.ts";
import { combinedVkeyHash } from "./src/core/groth16.ts";
import { Secret } from "./src/core/secret.ts";
import { createApp } from "./src/http/app.ts";
import { clientKeys, replicasSecret } from "./src/http/client_address.ts";
import { type Handle, listen, type Listener } from "./src/http/listen.ts";
import { notReadyResponse } from "./src/http/problem_response.ts";
import { answerMetrics } from "./src/http/metrics_route.ts";
import { ceremonyFolder, openSource } from "./src/ops/files/ceremony_files.ts";
import { createProver } from "./src/prover/prover.ts";
import { alertDocument, type BalanceAlert } from "./src/relay/balance.ts";
import { systemClock } from "./src/relay/clock.ts";
import { HourlyCaps } from "./src/relay/hourly_caps.ts";
import { startRelayer } from "./src/relay/relayer.ts";
import { memoryShared } from "./src/store/memory/memory_shared.ts";
import { tieStore } from "./src/store/identity.ts";
import type { ArchivedStore } from "./src/store/archive.ts";
import { treeFiles } from "./src/store/files/tree_files.ts";
import { openKvStore } from "./src/store/kv/kv_store.ts";
import { configureLog, type Log } from "./src/telemetry/log.ts";
import { createMetrics } from "./src/telemetry/metrics.ts";
import { cutTracedUrls } from "./src/telemetry/trace.ts";
import { postAlert } from "./src/telemetry/webhook.ts";
import { connect } from "./src/ton/toncenter.ts";
import { gettersFrom } from "./src/ton/verified_chain.ts";
import { watchChain } from "./src/ton/watched_chain.ts";
import { openWallet } from "./src/ton/wallet.ts";
import { TreeWorkers } from "./src/tree/tree_service.ts";
import metadata from "./deno.json" with { type: "json" };

const VERSION = metadata.version;
const DEFAULT_COLUMNS = 80;
/** Trees are work at the start, and seldom later: their workers need not keep their memory. */
const TREE_WORKERS_IDLE_MS = 2_000;

/** Builds the relayer's adapters, starts it, and serves its API. */
async function serve(config: Config, deployments?: Deployments): Promise<RunningRelayer> {
  const log = configureLog(config.log);
  const registry = deployments ?? await readRegistry(config.network, config.deployments);
  cutTracedUrls();
  const metrics = createMetrics(VERSION);
  const open = ({ url, apiKey }: Endpoint) => connect({ endpoint: url, apiKey: apiKey?.reveal() });
  const { verify } = config.indexer;
  const endpoint = open(config.indexer);
  const chain = watchChain(verify ? gettersFrom(endpoint, open(verify)) : endpoint, metrics);
  const wallet = await openWallet(config.wallet.mnemonic, {
    version: config.wallet.version,
    network: config.network,
    chain,
  });
  // The port before all that acts: a second relayer must not sign before it finds its port taken.
  let answer: Handle = () => notReadyResponse("This relayer is starting", { "retry-after": "1" });
  const listener = listenOn("RELAYER_PORT", config.http, log, (request, from) => answer(request, from));
  const background = new AbortController();
  const { cache, webhook, rates } = config;
  const own = memoryShared();
  const prefix = `tonado:${config.network}:${wallet.address.toRawString()}`;
  const { redisShared } = cache ? await import("./src/store/redis/redis_shared.ts") : {};
  const shared = cache && redisShared ? await redisShared(cache.url.reveal(), { prefix, log }) : own;
  const keyOf = clientKeys(
    cache ? replicasSecret(config.wallet.mnemonic) : crypto.getRandomValues(new Uint8Array(32)),
    Date.now,
  );
  const alert = (alert: BalanceAlert) => {
    if (!webhook) return;
    const document = alertDocument(alert, { network: config.network, address: wallet.format() });
    postAlert(document, { url: webhook, log, sleep: systemClock.sleep }, background.signal);
  };
  let metricsListener: Listener | undefined;
  try {
    if (config.metrics.listen) {
      const answer: Handle = (request) => answerMetrics(request, metrics);
      metricsListener = listenOn("RELAYER_METRICS_PORT", config.metrics.listen, log, answer);
    }
    const store = await openStore({ ...config.store, dataDir: config.dataDir });
    try {
      const own = { network: config.network, wallet: wallet.address.toRawString() };
      await tieStore(store, own, config.store.databaseUrl ? "DATABASE_URL" : "RELAYER_DATA_DIR");
    } catch (error) {
      await store.close();
      throw error;
    }
    const prover = await createProver();
    const trees = new TreeWorkers({ idleMs: TREE_WORKERS_IDLE_MS });
    const relayer = startRelayer({
      config,
      chain,
      wallet,
      store,
      prover,
      vkeyHash: combinedVkeyHash(prover.vkeyHash),
      deployments: registry,
      trees,
      snapshots: treeFiles(config.dataDir),
      caps: new HourlyCaps(shared, config.caps),
      balance: config.balance,
      alert,
      chainAnswer: chain.lastAnswer,
      ...(cache ? { cache: shared } : {}),
      metrics,
      log,
    });
    const metricsReader = config.metrics.token ?? (config.network === "localnet" ? "everybody" : undefined);
    const app = createApp(relayer, log, {
      limits: { ...rates, shared, own, keyOf, metrics },
      metrics,
      ...(metricsReader ? { metricsReader } : {}),
    });
    answer = (request, from) => app.fetch(request, from);
    return {
      url: listener.url,
      keys: prover.label,
      async close() {
        await listener.close();
        await metricsListener?.close();
        await relayer.close();
        background.abort();
        await shared.close();
        prover.close();
        trees.close();
      },
    };
  } catch (error) {
    await listener.close();
    await metricsListener?.close();
    await shared.close();
    throw error;
  }
}

/** PostgreSQL where it is configured, else the embedded store. */
async function openStore({ databaseUrl, dataDir }: StoreLocation): Promise<ArchivedStore> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import("./src/store/postgres/postgres_store.ts");
    return await openPostgresStore(databaseUrl.reveal());
  }
  return await orWrong("RELAYER_DATA_DIR", `${dataDir} cannot be used`, () => openKvStore(dataDir));
}

function listenOn(
  setting: string,
  { host, port }: { host: string; port: number },
  log: Log,
  handle: Handle,
): Listener {
  const failed = (error: unknown) =>
    log.error("{setting} is not listened on, and is tried again: {error}", { setting, error: String(error) });
  return orWrong(
    setting,
    `${host}:${port} cannot be listened on`,
    () => listen(handle, { host, port, failed }),
  );
}

/** @throws {Problem} `cannot_write`, naming what cannot be written */
async function written<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(what: string, cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Problem("cannot_write", `${what} cannot be written: ${reason}`, { cause });
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
  runtime: {
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    target: Deno.build.target,
    compiled: Deno.build.standalone,
  },
  stdout: output(Deno.stdout, (cause) => {
    throw cause instanceof Deno.errors.BrokenPipe ? new Unread() : unwritable("standard output", cause);
  }),
  stderr: output(Deno.stderr, () => {}), // there is nowhere left to say it
  makeTempDir: () => Deno.makeTempDir({ prefix: "tonado-" }),
  async removeDir(path) {
    await Deno.remove(path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  },
  async writeFile(path, text) {
    await written(path, async () => {
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
    });
  },
  ownFile,
  async readStream(path, most) {
    if (most !== undefined) {
      await orWrong("file", `${path} cannot be read`, async () => {
        const { isFile, size } = await Deno.stat(path);
        if (!isFile) throw new Error("it is no regular file");
        if (size > most) throw new Error(`it has ${size} bytes, more than ${most}`);
      });
    }
    return (await orWrong("file", `${path} cannot be read`, () => Deno.open(path))).readable;
  },
  async writeStream(path, content) {
    const draft = `${path}.part`;
    const file = await orWrong(
      "file",
      `${path} cannot be written anew`,
      async () => {
        if (await Deno.stat(path).then(() => true, () => false)) throw new Error("it exists");
        try {
          return await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
        } catch (cause) {
          const named = cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.AlreadyExists;
          throw named ? cause : unwritable(path, cause);
        }
      },
    );
    try {
      try {
        for await (const chunk of content) {
          for (let rest = chunk; rest.length > 0;) {
            rest = rest.subarray(await written(path, () => file.write(rest)));
          }
        }
        await written(path, () => file.sync());
      } finally {
        file.close();
      }
      await written(path, () => Deno.rename(draft, path));
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  },
  now: Date.now,
  openStore,
  migrateDatabase: async (url) =>
    await (await import("./src/store/postgres/postgres_store.ts")).migratePostgres(url.reveal()),
  stopped,
  agrees,
  askSecret,
  notes: (path) => noteFile(path),
  ceremonyFolder,
  openSource,
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

function output(stream: typeof Deno.stdout | typeof Deno.stderr, fails: (cause: unknown) => void): Output {
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
      try {
        for (let rest = encoder.encode(text); rest.length > 0;) rest = rest.subarray(stream.writeSync(rest));
      } catch (cause) {
        fails(cause);
      }
    },
  };
}

/** The prompts, where somebody can answer them: on standard error. */
async function prompts() {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return undefined;
  // A terminal that says it has no columns would get one character a line.
  if (!process.stderr.columns) Object.defineProperty(process.stderr, "columns", { value: DEFAULT_COLUMNS });
  return await import("@clack/prompts");
}

async function askSecret(message: string): Promise<Secret<string> | undefined> {
  const asked = await prompts();
  if (!asked) return undefined;
  const answer = await answered((signal) => asked.password({ message, output: process.stderr, signal }));
  return new Secret(answer);
}

async function agrees(message: string): Promise<boolean | undefined> {
  const asked = await prompts();
  if (!asked) return undefined;
  return await answered((signal) =>
    asked.confirm({ message, initialValue: false, output: process.stderr, signal })
  );
}

/**
 * The answer to a question. A terminal whose input ends, by Ctrl-D or because it is gone, gives none, and the library
 * would wait for ever.
 *
 * @throws {Problem} `cancelled`
 */
async function answered<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<Exclude<T, symbol>> {
  const over = new AbortController();
  const end = () => over.abort();
  // After the key has reached the prompt itself: it is not to be closed while it handles one.
  const press = (_: string, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === "d") queueMicrotask(end);
  };
  const { stdin } = process;
  stdin.on("keypress", press).on("end", end).on("close", end);
  try {
    const answer = await ask(over.signal);
    if (typeof answer === "symbol") throw new Problem("cancelled");
    return answer as Exclude<T, symbol>;
  } finally {
    stdin.off("keypress", press).off("end", end).off("close", end);
  }
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
