/**
 * The storage of a campaign's relayers: the embedded store, PostgreSQL, or PostgreSQL behind PgBouncer with
 * rate limits in Redis. Proxies in front of the last kind interrupt it.
 */
import type { SeededRandom } from "../random/seeded_random.ts";
import { throughPgbouncer } from "../servers/pgbouncer.ts";
import { redisCommand } from "../servers/redis_command.ts";
import { freshDatabase, freshRedisNamespace } from "../servers/services.ts";
import { startTcpProxy, type TcpProxy } from "../servers/tcp_proxy.ts";

export type BackendKind = "kv" | "postgres" | "pooled";

/** The storage of all replicas of a campaign. */
export interface Backend extends AsyncDisposable {
  /** The database without proxies, for verification; undefined if each process has an embedded store. */
  readonly databaseUrl?: string;
  /** Variables of the replicas. */
  readonly env: Readonly<Record<string, string>>;
  /** The number of interruptions, by server. */
  readonly outages: ReadonlyMap<string, number>;
  /** Interrupts a server for a moment. Does nothing without servers. */
  causeOutage(random: SeededRandom): Promise<void>;
  /** Returns the withdrawals that the shared hourly cap has counted; undefined without a shared cap. */
  countWithdrawals(): Promise<number | undefined>;
}

const TIMEOUT_MS = 60_000;
/** This is shorter than a lease. */
const MAX_OUTAGE_MS = 2_500;
/** A cap that counts withdrawals and that no campaign reaches. */
const UNREACHABLE_LIMIT = "1000000";
const unreachableLimits = {
  RELAYER_HOURLY_CAP: UNREACHABLE_LIMIT,
  RELAYER_HOURLY_CAP_PER_POOL: UNREACHABLE_LIMIT,
  RELAYER_RATE_WITHDRAW: UNREACHABLE_LIMIT,
  RELAYER_RATE_NOTE_CHECK: UNREACHABLE_LIMIT,
};
const COUNT_WITHDRAWALS_SCRIPT =
  "local n = 0 for _, k in ipairs(redis.call('KEYS', ARGV[1])) do n = n + redis.call('ZCARD', k) end return n";

export async function openBackend(kind: BackendKind): Promise<Backend> {
  const none = {
    outages: new Map(),
    causeOutage: () => Promise.resolve(),
    countWithdrawals: () => Promise.resolve(undefined),
  };
  if (kind === "kv") return { ...none, env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl } = stack.use(await freshDatabase());
  if (kind === "postgres") {
    const resources = stack.move();
    return {
      ...none,
      databaseUrl,
      env: { DATABASE_URL: databaseUrl },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  }
  const database = stack.use(startTcpProxy(await throughPgbouncer(databaseUrl), 5432));
  const { url: cacheUrl, prefix } = stack.use(await freshRedisNamespace());
  const cache = stack.use(startTcpProxy(cacheUrl, 6379));
  const prefixed = new URL(cache.url);
  prefixed.searchParams.set("keyPrefix", prefix);
  const gates: Readonly<Record<string, TcpProxy>> = { PgBouncer: database, Redis: cache };
  const outages = new Map<string, number>();
  const resources = stack.move();
  return {
    databaseUrl,
    env: { DATABASE_URL: database.url, CACHE_URL: prefixed.href, ...unreachableLimits },
    outages,
    async causeOutage(random) {
      const names = Object.keys(gates);
      const name = names.find((name) => !outages.has(name)) ?? random.pick(names);
      gates[name].disconnect();
      await new Promise((resolve) => setTimeout(resolve, random.int(1, MAX_OUTAGE_MS)));
      gates[name].open();
      outages.set(name, (outages.get(name) ?? 0) + 1);
    },
    async countWithdrawals() {
      const keys = `${prefix}*:held:withdrawals:all`;
      return Number(
        (await redisCommand(cacheUrl, ["EVAL", COUNT_WITHDRAWALS_SCRIPT, "0", keys], TIMEOUT_MS)).slice(1),
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
