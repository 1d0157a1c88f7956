/**
 * What relayers of a campaign keep their rows and counts in: the embedded store, a real PostgreSQL, or PostgreSQL behind
 * PgBouncer with limits in Redis. The last stands behind gates and is taken away from all of them for moments.
 */
import type { Random } from "../simulation/random.ts";
import { pooled } from "../../support/pgbouncer.ts";
import { redisCommand } from "../../support/redis_command.ts";
import { freshDatabase, freshPrefix } from "../../support/services.ts";
import { gateTo, type TcpGate } from "../../support/tcp_gate.ts";

/** Which one. */
export type BackendKind = "kv" | "postgres" | "pooled";

/** One for all replicas of a campaign. */
export interface Backend extends AsyncDisposable {
  /** The database itself, for whoever judges; undefined: each process has its embedded store. */
  readonly databaseUrl?: string;
  /** What the replicas are told. */
  readonly env: Readonly<Record<string, string>>;
  /** How often each server was taken away. */
  readonly outages: ReadonlyMap<string, number>;
  /** Takes a server away and gives it back; nothing where there is none. */
  outage(random: Random): Promise<void>;
  /** Withdrawals of the last hour that the shared cap has counted; undefined where none is shared. */
  counted(): Promise<number | undefined>;
}

const PATIENCE_MS = 5_000;
/** A lease outlives it. */
const LONGEST_OUTAGE_MS = 2_500;
/** Counted, and never reached: a campaign is no hour of one operator. */
const BOUND = "1000000";
const bounds = {
  RELAYER_HOURLY_CAP: BOUND,
  RELAYER_HOURLY_CAP_PER_POOL: BOUND,
  RELAYER_RATE_WITHDRAW: BOUND,
  RELAYER_RATE_NOTE_CHECK: BOUND,
};
const SUM_OF_HELD =
  "local n = 0 for _, k in ipairs(redis.call('KEYS', ARGV[1])) do n = n + redis.call('ZCARD', k) end return n";

/** Opens a fresh one. */
export async function openBackend(kind: BackendKind): Promise<Backend> {
  const none = {
    outages: new Map(),
    outage: () => Promise.resolve(),
    counted: () => Promise.resolve(undefined),
  };
  if (kind === "kv") return { ...none, env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using made = new AsyncDisposableStack();
  const { url: databaseUrl } = made.use(await freshDatabase());
  if (kind === "postgres") {
    const places = made.move();
    return {
      ...none,
      databaseUrl,
      env: { DATABASE_URL: databaseUrl },
      [Symbol.asyncDispose]: () => places.disposeAsync(),
    };
  }
  const database = made.use(gateTo(await pooled(databaseUrl), 5432));
  const { url: cacheUrl, prefix } = made.use(await freshPrefix());
  const cache = made.use(gateTo(cacheUrl, 6379));
  const prefixed = new URL(cache.url);
  prefixed.searchParams.set("keyPrefix", prefix);
  const gates: Readonly<Record<string, TcpGate>> = { PgBouncer: database, Redis: cache };
  const outages = new Map<string, number>();
  const places = made.move();
  return {
    databaseUrl,
    env: { DATABASE_URL: database.url, CACHE_URL: prefixed.href, ...bounds },
    outages,
    async outage(random) {
      const names = Object.keys(gates);
      const name = names.find((name) => !outages.has(name)) ?? random.pick(names);
      gates[name].shut();
      await new Promise((resolve) => setTimeout(resolve, random.int(1, LONGEST_OUTAGE_MS)));
      gates[name].open();
      outages.set(name, (outages.get(name) ?? 0) + 1);
    },
    async counted() {
      const keys = `${prefix}*:held:withdrawals:all`;
      return Number((await redisCommand(cacheUrl, ["EVAL", SUM_OF_HELD, "0", keys], PATIENCE_MS)).slice(1));
    },
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  };
}
