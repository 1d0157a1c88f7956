/**
 * Searches everything that a relayer writes during a run for the client's address, the note, its secrets and
 * the wallet's mnemonic, and searches its logs and traces for data that links a deposit to a withdrawal.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { Redis } from "ioredis";
import { formatDeployments } from "../../src/core/protocol/deployments.ts";
import { fieldToHex } from "../../src/core/crypto/field.ts";
import { formatNote, type Note } from "../../src/core/protocol/note.ts";
import { postgresQuery } from "../../testkit/servers/postgres_query.ts";
import { startRelayerProcess } from "../../testkit/relayer/relayer_process.ts";
import { freshDatabase, postgresServer, redisServer } from "../../testkit/servers/services.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { RelayerHarness } from "../support/relayer/relayer_harness.ts";

const KEY = "native-1";
const IPV4 = "198.51.100.77";
const IPV6 = "2001:db8:dead:beef::77";
const recipient = Address.parse(`0:${"5a".repeat(32)}`);
const [postgres, redis] = [await postgresServer(), await redisServer()];

const placements: [where: string, ignore: boolean, services: boolean][] = [
  ["embedded store and memory", false, false],
  ["PostgreSQL and Redis", !postgres || !redis, true],
];

for (const [where, ignore, services] of placements) {
  Deno.test({
    name: `privacy: a whole run leaves no client, note or secret behind (${where})`,
    ignore,
    async fn() {
      await using scene = await openScene(services);
      const note = await scene.net.deposit(KEY);
      await useRelayer(scene, note);
      const output = await collectOutput(scene);
      assertSearchable(output, note, services);
      deepEqual(findLeaks(output, scene.net, note), []);
    },
  });
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Everything that a relayer has written, by place. */
type Output = Record<"log" | "traces" | "metrics" | "cache" | "files" | "database", string>;

/** Starts a relayer process that writes as much as it can: debug logs, traces and metrics. */
async function openScene(services: boolean) {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const database = services ? stack.use(await freshDatabase()) : undefined;
  const traces: string[] = [];
  const collector = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      traces.push(await request.text());
      return Response.json({});
    },
  ));
  const registry = `${net.directory}/registry.json`;
  await Deno.writeTextFile(registry, formatDeployments(net.localnet.deployments));
  const data = `${net.directory}/data`;
  await Deno.mkdir(data); // with PostgreSQL the relayer does not need it
  const relayer = await startRelayerProcess({
    RELAYER_WALLET_MNEMONIC: net.localnet.relayer.mnemonic,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: net.localnet.url,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: data,
    RELAYER_PORT: "0",
    RELAYER_LOG_LEVEL: "debug",
    RELAYER_TRUST_PROXY: "1",
    RELAYER_RATE_NOTE_CHECK: "1000",
    RELAYER_RATE_WITHDRAW: "1000",
    RELAYER_HOURLY_CAP: "1000000",
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    ...services ? { DATABASE_URL: database!.url, CACHE_URL: redis! } : {},
  });
  const ask = async (path: string, body?: unknown, ip = IPV4) => {
    const response = await fetch(relayer.url + path, {
      headers: { "x-forwarded-for": ip, "content-type": "application/json" },
      ...body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  const open = stack.move();
  return {
    net,
    database,
    traces,
    data,
    relayer,
    ask,
    services,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Makes valid and invalid requests with the note, and withdraws it. */
async function useRelayer({ net, ask, traces }: Scene, note: Note): Promise<void> {
  await waitUntil("it is indexed", async () => (await ask("/readyz")).body.pools[KEY].leaves === 1);
  const pool = net.pool(KEY).address.toString();
  const [commitment, nullifierHash] = [fieldToHex(note.commitment), fieldToHex(note.nullifierHash)];
  const text = formatNote(note);
  equal((await ask("/note/check", { pool, commitment })).body.deposited, true);
  equal((await ask("/note/check", { pool, nullifierHash }, IPV6)).body.spent, false);
  equal((await ask(`/tree/path?pool=${pool}&commitment=${commitment}`)).status, 200);
  equal((await ask("/withdraw", { note: text })).status, 400);
  equal((await ask(`/status?note=${text}`)).status, 400);
  equal((await ask(`/${text}`)).status, 404);
  equal((await ask("/withdraw", { pool, [text]: { secret: fieldToHex(note.secret) } })).status, 400);
  const body = await net.withdrawal(KEY, note, { recipient });
  ok((await ask("/withdraw", body, IPV6)).status < 300);
  await waitUntil(
    "it is confirmed",
    async () => (await ask("/withdraw/status", { pool, nullifierHash }, IPV6)).body.state === "confirmed",
  );
  equal((await ask("/withdraw", body)).status, 409);
  await waitUntil(
    "the spans have arrived",
    () => Promise.resolve(/POST \/withdraw\b/.test(traces.join(""))),
  );
}

/** Stops the relayer and returns everything that it has written. */
async function collectOutput(
  { net, ask, relayer, traces, data, database, services }: Scene,
): Promise<Output> {
  const metrics = (await ask("/metrics")).body as string;
  const cache = services ? await redisDump(redis!, net.relayerAddress) : "";
  await relayer.stop("SIGTERM");
  return {
    log: relayer.log(),
    traces: traces.join("\n"),
    metrics,
    cache,
    files: await filesOf(data),
    database: services ? await databaseDump(database!.url) : "",
  };
}

/**
 * Asserts that the output contains the expected data, which shows that the search for leaks looks in the
 * right places.
 */
function assertSearchable(output: Output, note: Note, services: boolean): void {
  ok(output.log.includes("rejected a body"));
  ok(output.metrics.includes('tonado_withdrawals_ended_total{pool="native-1",state="confirmed"} 1'));
  const stored = (output.files + output.database).toLowerCase();
  ok(
    numbers(note.nullifierHash).some((form) => stored.includes(form)),
    "the journal is searched",
  );
  if (services) ok(/rate-note-check/.test(output.cache) && /withdrawals/.test(output.cache), output.cache);
}

/** Returns each secret that the output contains, with its place. */
function findLeaks(output: Output, net: RelayerHarness, note: Note): string[] {
  const text = formatNote(note);
  const words = net.localnet.relayer.mnemonic.split(" ");
  const secrets: Record<string, readonly string[]> = {
    "the client's IPv4 address": [IPV4],
    "the client's IPv6 address": [IPV6, "2001:db8:dead:beef", "2001:0db8:dead:beef"],
    "the note": [text, text.slice(-40)],
    "the secret": numbers(note.secret),
    "the nullifier": numbers(note.nullifier),
    "the mnemonic": [words.slice(0, 3).join(" "), words.slice(-3).join(" ")],
  };
  /** Data that links a deposit to a withdrawal. The store needs it; nothing else may contain it. */
  const linkable: Record<string, readonly string[]> = {
    "the commitment that a path was asked for": numbers(note.commitment),
    "the nullifier hash": numbers(note.nullifierHash),
    "the payee": [
      recipient.toString(),
      recipient.hash.toString("hex"),
      recipient.toString({ testOnly: true }),
    ],
  };
  const found: string[] = [];
  for (const [place, content] of Object.entries(output)) {
    const mayNotLink = ["log", "traces", "metrics", "cache"].includes(place);
    for (const [what, needles] of Object.entries({ ...secrets, ...mayNotLink ? linkable : {} })) {
      if (needles.some((needle) => content.toLowerCase().includes(needle.toLowerCase()))) {
        found.push(`${what} is in the ${place}`);
      }
    }
  }
  return found;
}

/** Returns the forms in which a number may be written. */
function numbers(value: bigint): string[] {
  const hex = value.toString(16);
  const bytes = Uint8Array.fromHex(hex.padStart(64, "0"));
  return [hex, String(value), bytes.toBase64().slice(4, -4), String.fromCharCode(...bytes)];
}

/** Returns all bytes below a directory, one character per byte. */
async function filesOf(directory: string): Promise<string> {
  let all = "";
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    all += isDirectory ? await filesOf(path) : new TextDecoder("latin1").decode(await Deno.readFile(path));
  }
  return all;
}

async function databaseDump(url: string): Promise<string> {
  const tables = await postgresQuery(
    url,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema')`,
  );
  let all = "";
  for (const { name } of tables) {
    const [{ rows }] = await postgresQuery(
      url,
      `select coalesce(string_agg(t::text, E'\\n'), '') as rows from ${name} t`,
    );
    all += `${name}\n${rows}\n`;
  }
  return all;
}

/** Returns the keys and values of this relayer in Redis, and removes them. */
async function redisDump(url: string, relayer: Address): Promise<string> {
  const client = new Redis(url);
  try {
    const keys = await client.keys(`tonado:localnet:${relayer.toRawString()}:*`);
    const read: Record<string, (key: string) => Promise<unknown>> = {
      zset: (key) => client.zrange(key, 0, "-1", "WITHSCORES"),
      hash: (key) => client.hgetall(key),
    };
    const rows = await Promise.all(
      keys.map(async (key) => `${key} ${JSON.stringify(await read[await client.type(key)](key))}`),
    );
    if (keys.length > 0) await client.del(...keys);
    return rows.join("\n");
  } finally {
    client.disconnect();
  }
}
