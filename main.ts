/** Composition root: the only file that creates the real adapters. */
import { localFiles } from "./src/cli/files/local_files.ts";
import { runCli } from "./src/cli/program.ts";
import { wrapConfigErrors } from "./src/cli/output/system_errors.ts";
import { stderr, stdout } from "./src/cli/terminal/streams.ts";
import { isInteractive, promptConfirm, promptSecret } from "./src/cli/terminal/prompts.ts";
import { waitForShutdown } from "./src/cli/terminal/signals.ts";
import type { CliContext, RunningRelayer } from "./src/cli/context.ts";
import { noteStoreFile } from "./src/client/notes/files/note_store_file.ts";
import type { Endpoint } from "./src/config/endpoint.ts";
import type { ServeConfig } from "./src/config/serve_config.ts";
import { readRegistry } from "./src/config/deployments_registry.ts";
import type { StoreLocation } from "./src/config/store_config.ts";
import type { Deployments } from "./src/core/protocol/deployments.ts";
import type { Network } from "./src/core/protocol/network.ts";
import { createApp } from "./src/http/app.ts";
import { openAppSite } from "./src/http/app/app_site.ts";
import { APP_PREFIX } from "./src/http/routes/app_routes.ts";
import { createClientKey, deriveRateLimitSecret } from "./src/http/limits/client_address.ts";
import { listen, type Listener, type RequestHandler } from "./src/http/listener.ts";
import { notReadyResponse } from "./src/http/responses/problem_response.ts";
import { handleMetricsRequest } from "./src/http/routes/metrics_routes.ts";
import { diskFolder, openByteSource } from "./src/ops/ceremony/files/disk_folder.ts";
import { createProver } from "./src/prover/prover.ts";
import { type BalanceAlert, buildBalanceAlertBody } from "./src/relay/wallet/balance.ts";
import { buildServiceAlertBody, type ServiceAlert } from "./src/relay/monitoring/service_alerts.ts";
import { systemClock } from "./src/core/time/clock.ts";
import { HourlyCaps } from "./src/relay/withdrawals/hourly_caps.ts";
import { startRelayer } from "./src/relay/relayer.ts";
import { deriveSnapshotKey } from "./src/relay/indexer/tree/tree_snapshot.ts";
import { createMemoryRateLimitStore } from "./src/store/memory/memory_rate_limit_store.ts";
import { assertStoreOwner } from "./src/store/identity.ts";
import type { RateLimitStore } from "./src/store/rate_limit_store.ts";
import type { ArchivedStore } from "./src/store/archive.ts";
import { createTreeSnapshotFiles } from "./src/store/files/tree_snapshot_files.ts";
import { openKvStore } from "./src/store/kv/kv_store.ts";
import { configureLog, type Log } from "./src/telemetry/log.ts";
import { LogThrottle } from "./src/telemetry/log_throttle.ts";
import { monitorEventLoopLag } from "./src/telemetry/event_loop_lag.ts";
import { createMetrics, type Metrics } from "./src/telemetry/metrics.ts";
import { redactTracedUrls } from "./src/telemetry/trace.ts";
import { postAlert } from "./src/telemetry/webhook.ts";
import { threadRuntime } from "./src/threads/thread_runtime.ts";
import type { Chain } from "./src/ton/chain.ts";
import { assertNetworkAtStart, withNetworkCheck } from "./src/ton/endpoint/network_check.ts";
import { connect } from "./src/ton/endpoint/toncenter.ts";
import { withVerifier } from "./src/ton/endpoint/verified_chain.ts";
import { instrumentChain, type InstrumentedChain } from "./src/ton/endpoint/instrumented_chain.ts";
import { openWallet, type Wallet } from "./src/ton/wallet/wallet.ts";
import { MAX_SNAPSHOT_BYTES } from "./src/tree/snapshot_codec.ts";
import { TreeWorkers } from "./src/tree/tree_workers.ts";
import metadata from "./deno.json" with { type: "json" };

const VERSION = metadata.version;
/** Tree workers are used mostly at the start, so they end soon and free their memory. */
const TREE_WORKER_IDLE_TIMEOUT_MS = 2_000;
const LOG_SUMMARY_INTERVAL_MS = 5_000;
const MAX_VERIFIERS = 8;

function connectChain(network: Network, { url, apiKey, requestsPerSecond }: Endpoint): Chain {
  return connect({ network, endpoint: url, apiKey: apiKey?.reveal(), requestsPerSecond });
}

async function assertEndpointNetworks({ network, endpoint }: ServeConfig): Promise<void> {
  const endpoints = endpoint.verify ? [endpoint, endpoint.verify] : [endpoint];
  await Promise.all(endpoints.map((each) => assertNetworkAtStart(connectChain(network, each), network)));
}

function openChain({ network, endpoint }: ServeConfig, metrics: Metrics): InstrumentedChain {
  const open = (each: Endpoint) => withNetworkCheck(connectChain(network, each), network);
  const chain = open(endpoint);
  return instrumentChain(endpoint.verify ? withVerifier(chain, open(endpoint.verify)) : chain, metrics);
}

/** `shared` with other replicas if there is a cache, and `own` of this process. */
async function openRateLimits(
  { network, cache, wallet: { mnemonic } }: ServeConfig,
  wallet: Wallet,
  log: Log,
) {
  const own = createMemoryRateLimitStore(Date.now);
  if (!cache) {
    const clientKey = createClientKey(crypto.getRandomValues(new Uint8Array(32)), Date.now);
    return { shared: own, own, clientKey };
  }
  const { connectRedisRateLimitStore } = await import("./src/store/redis/redis_rate_limit_store.ts");
  const prefix = `tonado:${network}:${wallet.address.toRawString()}`;
  const shared: RateLimitStore = await connectRedisRateLimitStore(cache.url.reveal(), { prefix, log });
  return { shared, own, clientKey: createClientKey(deriveRateLimitSecret(mnemonic), Date.now) };
}

function createAlertSender({ network, webhook }: ServeConfig, wallet: Wallet, log: Log, signal: AbortSignal) {
  return (alert: BalanceAlert | ServiceAlert) => {
    if (!webhook) return;
    const own = { network, address: wallet.format() };
    const body = "balance" in alert ? buildBalanceAlertBody(alert, own) : buildServiceAlertBody(alert, own);
    postAlert(body, { url: webhook, log, sleep: systemClock.sleep }, signal);
  };
}

async function openOwnStore({ network, store: location, dataDir }: ServeConfig, wallet: Wallet) {
  const store = await openStore({ ...location, dataDir });
  try {
    const own = { network, wallet: wallet.address.toRawString() };
    await assertStoreOwner(store, own, location.databaseUrl ? "DATABASE_URL" : "RELAYER_DATA_DIR");
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface ServeParts {
  readonly chain: InstrumentedChain;
  readonly wallet: Wallet;
  readonly shared: RateLimitStore;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The caller closes what this returns. */
async function openRelayer(config: ServeConfig, deployments: Deployments, parts: ServeParts) {
  const { chain, wallet, shared, metrics, log, signal } = parts;
  const store = await openOwnStore(config, wallet);
  const prover = await createProver({ maxWorkers: Math.min(MAX_VERIFIERS, threadRuntime.coreCount()) });
  const trees = new TreeWorkers({ idleTimeoutMs: TREE_WORKER_IDLE_TIMEOUT_MS });
  const snapshotKey = deriveSnapshotKey(config.wallet.mnemonic);
  const relayer = startRelayer({
    config,
    chain,
    wallet,
    store,
    prover,
    vkeyHashes: prover.poolKeyHashes,
    deployments,
    treeService: trees,
    snapshots: createTreeSnapshotFiles(config.dataDir, snapshotKey, MAX_SNAPSHOT_BYTES),
    hourlyCaps: new HourlyCaps(shared, config.caps),
    balanceThresholds: config.balance,
    sendAlert: createAlertSender(config, wallet, log, signal),
    serviceAlertThresholds: config.alerts,
    lastChainOutcome: chain.lastOutcome,
    ...(config.cache ? { rateLimitStore: shared } : {}),
    metrics,
    log,
  });
  return { relayer, prover, trees };
}

async function serve(config: ServeConfig, deployments?: Deployments): Promise<RunningRelayer> {
  const log = configureLog(config.log);
  const registry = deployments ?? await readRegistry(config.network, config.deployments);
  redactTracedUrls();
  const metrics = createMetrics(VERSION);
  const chain = openChain(config, metrics);
  const wallet = await openWallet(config.wallet.mnemonic, {
    ...config.wallet,
    network: config.network,
    chain,
  });
  // The port comes first: a second relayer must fail on it before it signs anything.
  let answer: RequestHandler = () => notReadyResponse("This relayer is starting", { "retry-after": "1" });
  const listener = listenOn("RELAYER_PORT", config.http, log, (request, from) => answer(request, from));
  const background = new AbortController();
  const { shared, own, clientKey } = await openRateLimits(config, wallet, log);
  let metricsListener: Listener | undefined;
  try {
    if (config.metrics.listen) {
      const answer: RequestHandler = (request) => handleMetricsRequest(request, metrics);
      metricsListener = listenOn("RELAYER_METRICS_PORT", config.metrics.listen, log, answer);
    }
    await assertEndpointNetworks(config);
    const parts = { chain, wallet, shared, metrics, log, signal: background.signal };
    const { relayer, prover, trees } = await openRelayer(config, registry, parts);
    const metricsReader = config.metrics.token ?? (config.network === "localnet" ? "public" : undefined);
    const endWatch = monitorEventLoopLag(metrics.recordEventLoopLag);
    const warnings = new LogThrottle(log);
    const summaries = setInterval(() => warnings.flush(), LOG_SUMMARY_INTERVAL_MS);
    const app = createApp(relayer, log, {
      warnings,
      rateLimits: { ...config.rates, store: shared, fallbackStore: own, clientKey, metrics },
      metrics,
      ...await appSiteOf(config, registry),
      ...(metricsReader ? { metricsAccess: metricsReader } : {}),
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

/** The app reaches this relayer by a relative address: behind a proxy, the relayer does not know its own. */
async function appSiteOf({ app }: ServeConfig, deployments: Deployments) {
  if (!app) return {};
  return { appSite: await openAppSite(APP_PREFIX, { ...app, relayers: ["../"], deployments }) };
}

async function openStore(
  { databaseUrl, dataDir }: StoreLocation,
  options: { readonly create?: boolean } = {},
): Promise<ArchivedStore> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import("./src/store/postgres/postgres_store.ts");
    return await openPostgresStore(databaseUrl.reveal(), options);
  }
  return await wrapConfigErrors(
    "RELAYER_DATA_DIR",
    `${dataDir} cannot be used`,
    () => openKvStore(dataDir, options),
  );
}

function listenOn(
  setting: string,
  { host, port }: { host: string; port: number },
  log: Log,
  handle: RequestHandler,
): Listener {
  const failed = (error: unknown) =>
    log.error("{setting} is not listened on, and is tried again: {error}", { setting, error: String(error) });
  return wrapConfigErrors(
    setting,
    `${host}:${port} cannot be listened on`,
    () => listen(handle, { host, port, failed }),
  );
}

const context: CliContext = {
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
  waitForShutdown,
  promptConfirm,
  promptSecret,
  isInteractive,
  noteStoreAt: (path) => noteStoreFile(path),
  ceremonyFolder: diskFolder,
  openSource: openByteSource,
  // The emulator is large, and a relayer does not need it.
  startLocalnet: async (options) => (await import("./src/localnet/localnet.ts")).startLocalnet(options),
  localnetWallet: async () => (await import("./src/localnet/localnet.ts")).firstWallet,
  serve,
  connect: connectChain,
  openWallet,
  connectWallet: async (entry, options) =>
    (await import("./src/client/tonconnect/connect_wallet.ts")).connectWallet(entry, options),
  createProver: () => createProver(),
  serveApp: async (settings, { host, port }) => {
    const site = await openAppSite("/", settings);
    const listener = listenOn("--port", { host, port }, configureLog({ level: "error" }), site.respond);
    return { url: listener.url, hash: site.hash, close: () => listener.close() };
  },
};

export async function main(): Promise<never> {
  Deno.exit(await runCli(Deno.args, VERSION, context));
}

if (import.meta.main) await main();
