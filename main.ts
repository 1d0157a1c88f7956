/**
 * Composition root: argv to command to wiring. The only file of the product that builds real adapters; no rule of the
 * protocol or of the relayer may live here.
 */
import { localFiles } from "./src/cli/files/local_files.ts";
import { run } from "./src/cli/program.ts";
import { orWrong } from "./src/cli/system_faults.ts";
import { stderr, stdout } from "./src/cli/terminal/output.ts";
import { agrees, askSecret, canAsk } from "./src/cli/terminal/prompts.ts";
import { stopped } from "./src/cli/terminal/stopped.ts";
import type { RunningRelayer, Wiring } from "./src/cli/wiring.ts";
import { noteFile } from "./src/client/files/note_file.ts";
import type { Config, Endpoint } from "./src/config/config.ts";
import { readRegistry } from "./src/config/registry.ts";
import type { StoreLocation } from "./src/config/store_config.ts";
import type { Deployments } from "./src/core/deployments.ts";
import { Problem } from "./src/core/errors.ts";
import { combinedVkeyHash } from "./src/core/groth16.ts";
import type { Network } from "./src/core/network.ts";
import { createApp } from "./src/http/app.ts";
import { clientKeys, replicasSecret } from "./src/http/client_address.ts";
import { type Handle, listen, type Listener } from "./src/http/listen.ts";
import { notReadyResponse } from "./src/http/problem_response.ts";
import { answerMetrics } from "./src/http/metrics_route.ts";
import { ceremonyFolder, openSource } from "./src/ops/files/ceremony_files.ts";
import { createProver } from "./src/prover/prover.ts";
import { alertDocument, type BalanceAlert } from "./src/relay/balance.ts";
import { type ServiceAlert, serviceAlertDocument } from "./src/relay/service_alerts.ts";
import { systemClock } from "./src/relay/clock.ts";
import { HourlyCaps } from "./src/relay/hourly_caps.ts";
import { startRelayer } from "./src/relay/relayer.ts";
import { treeKey } from "./src/relay/tree_snapshot.ts";
import { memoryShared } from "./src/store/memory/memory_shared.ts";
import { tieStore } from "./src/store/identity.ts";
import type { ArchivedStore } from "./src/store/archive.ts";
import { treeFiles } from "./src/store/files/tree_files.ts";
import { openKvStore } from "./src/store/kv/kv_store.ts";
import { configureLog, type Log } from "./src/telemetry/log.ts";
import { LogThrottle } from "./src/telemetry/log_throttle.ts";
import { watchEventLoop } from "./src/telemetry/event_loop.ts";
import { createMetrics } from "./src/telemetry/metrics.ts";
import { cutTracedUrls } from "./src/telemetry/trace.ts";
import { postAlert } from "./src/telemetry/webhook.ts";
import { threads } from "./src/threads/threads.ts";
import type { Chain } from "./src/ton/chain.ts";
import { assertServes, checkedNetwork } from "./src/ton/network_check.ts";
import { connect } from "./src/ton/toncenter.ts";
import { gettersFrom } from "./src/ton/verified_chain.ts";
import { watchChain } from "./src/ton/watched_chain.ts";
import { openWallet } from "./src/ton/wallet.ts";
import { LARGEST_SNAPSHOT } from "./src/tree/snapshot.ts";
import { TreeWorkers } from "./src/tree/tree_service.ts";
import metadata from "./deno.json" with { type: "json" };

const VERSION = metadata.version;
/** Trees are work at the start, and seldom later: their workers need not keep their memory. */
const TREE_WORKERS_IDLE_MS = 2_000;
/** How often the log is told what was left out of it. */
const SUMMARIES_MS = 5_000;
/** Most workers that verify; they load no proving keys. */
const MAX_VERIFIERS = 8;
/** Milliseconds that a start waits to learn which network the endpoints serve. */
const NETWORK_CHECK_MS = 3_000;

function connectTo(network: Network, { url, apiKey }: Endpoint): Chain {
  return connect({ network, endpoint: url, apiKey: apiKey?.reveal() });
}

/**
 * Refuses an endpoint of another network at the start. One that does not answer in time is checked again before its
 * first use.
 */
async function checkAtStart(endpoints: readonly Endpoint[], network: Network): Promise<void> {
  await Promise.all(endpoints.map(async (endpoint) => {
    try {
      await assertServes(connectTo(network, endpoint), network, {
        signal: AbortSignal.timeout(NETWORK_CHECK_MS),
      });
    } catch (error) {
      if (error instanceof Problem && error.code === "wrong_network") throw error;
    }
  }));
}

/** Builds the relayer's adapters, starts it, and serves its API. */
async function serve(config: Config, deployments?: Deployments): Promise<RunningRelayer> {
  const log = configureLog(config.log);
  const registry = deployments ?? await readRegistry(config.network, config.deployments);
  cutTracedUrls();
  const metrics = createMetrics(VERSION);
  const open = (endpoint: Endpoint) => checkedNetwork(connectTo(config.network, endpoint), config.network);
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
  const alert = (alert: BalanceAlert | ServiceAlert) => {
    if (!webhook) return;
    const own = { network: config.network, address: wallet.format() };
    const document = "balance" in alert ? alertDocument(alert, own) : serviceAlertDocument(alert, own);
    postAlert(document, { url: webhook, log, sleep: systemClock.sleep }, background.signal);
  };
  let metricsListener: Listener | undefined;
  try {
    if (config.metrics.listen) {
      const answer: Handle = (request) => answerMetrics(request, metrics);
      metricsListener = listenOn("RELAYER_METRICS_PORT", config.metrics.listen, log, answer);
    }
    await checkAtStart(verify ? [config.indexer, verify] : [config.indexer], config.network);
    const store = await openStore({ ...config.store, dataDir: config.dataDir });
    try {
      const own = { network: config.network, wallet: wallet.address.toRawString() };
      await tieStore(store, own, config.store.databaseUrl ? "DATABASE_URL" : "RELAYER_DATA_DIR");
    } catch (error) {
      await store.close();
      throw error;
    }
    const prover = await createProver({ workers: Math.min(MAX_VERIFIERS, threads.cores()) });
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
      snapshots: treeFiles(config.dataDir, treeKey(config.wallet.mnemonic), LARGEST_SNAPSHOT),
      caps: new HourlyCaps(shared, config.caps),
      balance: config.balance,
      alert,
      alerts: config.alerts,
      chainAnswer: chain.lastAnswer,
      ...(cache ? { cache: shared } : {}),
      metrics,
      log,
    });
    const metricsReader = config.metrics.token ?? (config.network === "localnet" ? "everybody" : undefined);
    const endWatch = watchEventLoop(metrics.eventLoopLag);
    const warnings = new LogThrottle(log);
    const summaries = setInterval(() => warnings.flush(), SUMMARIES_MS);
    const app = createApp(relayer, log, {
      warnings,
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
        clearInterval(summaries);
        endWatch();
        warnings.flush(true);
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
async function openStore(
  { databaseUrl, dataDir }: StoreLocation,
  options: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import("./src/store/postgres/postgres_store.ts");
    return await openPostgresStore(databaseUrl.reveal(), options);
  }
  return await orWrong("RELAYER_DATA_DIR", `${dataDir} cannot be used`, () => openKvStore(dataDir, options));
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

const wiring: Wiring = {
  env: Deno.env.toObject(),
  runtime: {
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    target: Deno.build.target,
    compiled: Deno.build.standalone,
  },
  ...localFiles,
  stdout,
  stderr,
  now: Date.now,
  openStore,
  migrateDatabase: async (url) =>
    await (await import("./src/store/postgres/postgres_store.ts")).migratePostgres(url.reveal()),
  stopped,
  agrees,
  askSecret,
  canAsk,
  notes: (path) => noteFile(path),
  ceremonyFolder,
  openSource,
  // Loaded only when asked for: the emulator is large, and a relayer has no use for it.
  startLocalnet: async (options) => (await import("./src/localnet/localnet.ts")).startLocalnet(options),
  localWallet: async () => (await import("./src/localnet/localnet.ts")).firstWallet,
  serve,
  connect: connectTo,
  openWallet,
  createProver: () => createProver(),
};

/** Runs the program with the process's arguments and ends the process. */
export async function main(): Promise<never> {
  Deno.exit(await run(Deno.args, VERSION, wiring));
}

if (import.meta.main) await main();
