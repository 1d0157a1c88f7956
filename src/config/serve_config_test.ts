import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { inspect } from "node:util";
import { Problem } from "../core/errors/problem.ts";
import { describeConfig } from "./describe_config.ts";
import { loadServeConfig } from "./serve_config.ts";
import type { Environment } from "./settings/setting.ts";

const words = "zebra ".repeat(23) + "abandon";
const least: Environment = { RELAYER_WALLET_MNEMONIC: words };

const utf8 = (text: string) => new TextEncoder().encode(text);

function faults(env: Environment, readFile?: (path: string) => Uint8Array): Problem {
  try {
    loadServeConfig(env, readFile);
  } catch (error) {
    ok(error instanceof Problem);
    equal(error.code, "invalid_config");
    return error;
  }
  throw new Error("the configuration was accepted");
}

Deno.test("the mnemonic alone is enough, the rest are the interface's defaults", () => {
  const config = loadServeConfig(least);
  equal(config.wallet.mnemonic.reveal(), words);
  equal(config.wallet.version, "v4R2");
  deepEqual(config.fee, { bps: 50, minNano: 50_000_000n });
  deepEqual(config.http, { host: "127.0.0.1", port: 8090 });
  equal(config.network, "testnet");
  equal(config.endpoint.url, "https://testnet.toncenter.com/api/v2/jsonRPC");
  equal(config.endpoint.apiKey, undefined);
  equal(config.dataDir, "./data");
  equal(config.store.databaseUrl, undefined);
});

Deno.test("the cost of a jetton withdrawal has no limit unless one is set", () => {
  const bounded = loadServeConfig({ ...least, RELAYER_MAX_COST_NATIVE: "0.2" });
  deepEqual(bounded.fee, { bps: 50, minNano: 50_000_000n, maxCostNano: 200_000_000n });
});

Deno.test("the app is served only when asked for, with the network's public endpoint or named ones", () => {
  equal(loadServeConfig(least).app, undefined);
  const open = "https://testnet.toncenter.com/api/v2/jsonRPC";
  deepEqual(loadServeConfig({ ...least, RELAYER_APP: "1" }).app, {
    depositEndpoint: open,
    withdrawalEndpoint: open,
  });
  const other = "https://other.example/api/v2/jsonRPC";
  const named = { ...least, RELAYER_APP: "1", RELAYER_APP_WITHDRAWAL_ENDPOINT: other };
  deepEqual(loadServeConfig(named).app, { depositEndpoint: open, withdrawalEndpoint: other });
  const both = { ...least, RELAYER_APP: "1", RELAYER_APP_ENDPOINT: other };
  deepEqual(loadServeConfig(both).app, { depositEndpoint: other, withdrawalEndpoint: other });
  equal(faults({ ...least, RELAYER_APP: "yes" }).errors[0].pointer, "RELAYER_APP");
  const secret = loadServeConfig({ ...least, RELAYER_APP: "1", INDEXER_URL: "https://own.example/k3y" });
  equal(secret.app!.depositEndpoint, open, "the relayer's own endpoint is not published");
});

Deno.test("the database goes by either name, or by both with one value", () => {
  const url = "postgresql://tonado:secret@db/tonado?sslmode=require";
  for (
    const env of [{ DATABASE_URL: url }, { POSTGRES_URL: url }, { DATABASE_URL: url, POSTGRES_URL: url }]
  ) {
    equal(loadServeConfig({ ...least, ...env }).store.databaseUrl!.reveal(), url);
  }
});

const wrong: [string, Environment][] = [
  ["RELAYER_WALLET_MNEMONIC", { RELAYER_WALLET_MNEMONIC: "one two three" }],
  ["RELAYER_WALLET_MNEMONIC", { RELAYER_WALLET_MNEMONIC: "" }],
  ["RELAYER_WALLET_MNEMONIC", { RELAYER_WALLET_MNEMONIC: words.replace("abandon", "abandonn") }],
  ["RELAYER_WALLET_VERSION", { RELAYER_WALLET_VERSION: "v3R2" }],
  ["RELAYER_NETWORK", { RELAYER_NETWORK: "main" }],
  ["RELAYER_FEE_BPS", { RELAYER_FEE_BPS: "-1" }],
  ["RELAYER_FEE_BPS", { RELAYER_FEE_BPS: "10001" }],
  ["RELAYER_FEE_BPS", { RELAYER_FEE_BPS: "5e1" }],
  ["RELAYER_FEE_MIN_NATIVE", { RELAYER_FEE_MIN_NATIVE: "0,05" }],
  ["RELAYER_MAX_COST_NATIVE", { RELAYER_MAX_COST_NATIVE: "-1" }],
  ["RELAYER_FEE_MIN_NATIVE", { RELAYER_FEE_MIN_NATIVE: "0.0000000001" }],
  ["INDEXER_URL", { INDEXER_URL: "toncenter.com" }],
  ["INDEXER_URL", { INDEXER_URL: "https://toncenter.com/api/v3" }],
  ["INDEXER_VERIFY_URL", { INDEXER_VERIFY_URL: "https://toncenter.com/api/v3/" }],
  ["RELAYER_APP_ENDPOINT", { RELAYER_APP: "1", RELAYER_APP_ENDPOINT: "https://toncenter.com/api/v3" }],
  ["INDEXER_API_KEY", { INDEXER_API_KEY: "k\u0435y" }],
  ["INDEXER_URL", { INDEXER_URL: "https://user:password@toncenter.com/api/v2/jsonRPC" }],
  ["RELAYER_PORT", { RELAYER_PORT: "65536" }],
  ["RELAYER_LOG_LEVEL", { RELAYER_LOG_LEVEL: "loud" }],
  ["RELAYER_LOG_FORMAT", { RELAYER_LOG_FORMAT: "xml" }],
  ["CACHE_URL", { CACHE_URL: "localhost:6379" }],
  ["REDIS_URL", { REDIS_URL: "http://localhost" }],
  ["REDIS_URL", { CACHE_URL: "redis://one", REDIS_URL: "redis://two" }],
  ["RELAYER_RATE_WITHDRAW", { RELAYER_RATE_WITHDRAW: "-1" }],
  ["RELAYER_TRUST_PROXY", { RELAYER_TRUST_PROXY: "yes" }],
  ["RELAYER_HOURLY_CAP", { RELAYER_HOURLY_CAP: "many" }],
  ["RELAYER_BALANCE_STOP", { RELAYER_BALANCE_STOP: "-1" }],
  ["RELAYER_WEBHOOK_URL", { RELAYER_WEBHOOK_URL: "ftp://example" }],
  ["RELAYER_METRICS_PORT", { RELAYER_METRICS_PORT: "65536" }],
  ["RELAYER_METRICS_TOKEN", { RELAYER_METRICS_TOKEN: "short" }],
  ["DATABASE_URL", { DATABASE_URL: "mysql://localhost/tonado" }],
  ["POSTGRES_URL", { POSTGRES_URL: "localhost" }],
  ["POSTGRES_URL", { DATABASE_URL: "postgres://localhost/a", POSTGRES_URL: "postgres://localhost/b" }],
  ["RELAYER_RETENTION_DAYS", { RELAYER_RETENTION_DAYS: "0" }],
];
for (const [name, change] of wrong) {
  Deno.test(`the configuration refuses ${JSON.stringify(change)}, naming ${name} alone`, () => {
    const { errors, message } = faults({ ...least, ...change });
    deepEqual(errors.map(({ pointer }) => pointer), [name]);
    ok(message.includes(name));
  });
}

Deno.test("all problems are listed at once", () => {
  const { errors } = faults({ RELAYER_PORT: "x", RELAYER_NETWORK: "localnet", DATABASE_URL: "y" });
  deepEqual(errors.map(({ pointer }) => pointer).sort(), [
    "DATABASE_URL",
    "INDEXER_URL",
    "RELAYER_DEPLOYMENTS",
    "RELAYER_PORT",
    "RELAYER_WALLET_MNEMONIC",
  ]);
});

Deno.test("a malformed secret is not repeated, a malformed plain value is", () => {
  const { message } = faults({
    RELAYER_WALLET_MNEMONIC: "hunter two",
    DATABASE_URL: "//hunter",
    RELAYER_PORT: "eighty",
  });
  ok(!message.includes("hunter"));
  ok(message.includes("eighty"));
});

Deno.test("the mnemonic may come from a file, and then not from the environment too", () => {
  const env = { RELAYER_WALLET_MNEMONIC_FILE: "/run/secrets/mnemonic" };
  equal(loadServeConfig(env, () => utf8(`${words}\n`)).wallet.mnemonic.reveal(), words);
  equal(faults({ ...least, ...env }, () => utf8(words)).errors[0].pointer, "RELAYER_WALLET_MNEMONIC_FILE");
  const unreadable = faults(env, () => {
    throw new Deno.errors.NotFound("no such file");
  });
  equal(unreadable.errors[0].pointer, "RELAYER_WALLET_MNEMONIC_FILE");
  ok(!faults(env, () => utf8("hunter two")).message.includes("hunter"));
  const misplaced = { RELAYER_WALLET_MNEMONIC_FILE: words };
  const fault = faults(misplaced, () => {
    throw new Deno.errors.NotFound("no such file");
  });
  ok(!(fault.message + JSON.stringify([fault.errors, describeConfig(misplaced)])).includes("zebra"));
});

Deno.test("config: printing it shows no secret", () => {
  const env = {
    ...least,
    INDEXER_API_KEY: "key-123456",
    DATABASE_URL: "postgres://u:pass-123456@db/tonado",
  };
  const shown = inspect(loadServeConfig(env), { depth: 9 }) +
    Deno.inspect(loadServeConfig(env), { depth: 9 }) +
    JSON.stringify(describeConfig(env));
  for (const secret of ["zebra", "key-123456", "pass-123456"]) ok(!shown.includes(secret));
  const { value, source } = describeConfig(env).find(({ name }) => name === "INDEXER_API_KEY")!;
  deepEqual([value, source], ["[redacted]", "environment"]);
});

Deno.test("the printed values are those in effect, including the network's endpoint", () => {
  const shown = (env: Environment) =>
    Object.fromEntries(describeConfig(env).map(({ name, value, source }) => [name, [value, source]]));
  deepEqual(shown({}).INDEXER_URL, ["https://testnet.toncenter.com/api/v2/jsonRPC", "default"]);
  deepEqual(shown({ RELAYER_NETWORK: "localnet" }).INDEXER_URL, [undefined, "unset"]);
  deepEqual(shown({ RELAYER_PORT: "1" }).RELAYER_PORT, ["1", "environment"]);
});

Deno.test("REDIS_URL is another name of CACHE_URL, and its password is never printed", () => {
  const env = { ...least, REDIS_URL: "rediss://user:hunter2@cache:6380/1" };
  equal(loadServeConfig(env).cache?.url.reveal(), env.REDIS_URL);
  equal(loadServeConfig({ ...env, CACHE_URL: env.REDIS_URL }).cache?.url.reveal(), env.REDIS_URL);
  const shown = JSON.stringify(describeConfig(env)) + Deno.inspect(loadServeConfig(env), { depth: 9 });
  ok(shown.includes("rediss://[redacted]@cache:6380/1") && !shown.includes("hunter2"));
});

Deno.test("printed URLs contain neither credentials nor query", () => {
  const shown = (INDEXER_URL: string) =>
    describeConfig({ INDEXER_URL }).find(({ name }) => name === "INDEXER_URL")!.value;
  equal(shown("http://x/v2?api_key=hunter2"), "http://x/v2?[redacted]");
  equal(shown("http://x/v2?api_key=hun@ter2"), "http://x/v2?[redacted]");
  equal(shown("http://u:hun@ter2@x/v2"), "http://[redacted]@x/v2");
  equal(shown("http://u:hun/ter2@x/v2"), "[redacted]");
  ok(!faults({ ...least, INDEXER_URL: "ftp://x/?api_key=hunter2" }).message.includes("hunter2"));
});

Deno.test("limits, caps and balances have the documented defaults, and are off on localnet unless set", () => {
  const { rates, caps, balance } = loadServeConfig(least);
  deepEqual(rates, { noteChecksPerMinute: 300, withdrawalsPerMinute: 100, trustedProxies: 0 });
  deepEqual(caps, { hourly: 1000, hourlyPerPool: 500 });
  deepEqual(balance, { warn: 5_000_000_000n, stop: 1_000_000_000n });
  const local = {
    ...least,
    RELAYER_NETWORK: "localnet",
    INDEXER_URL: "http://127.0.0.1:8081",
    RELAYER_DEPLOYMENTS: "localnet.json",
    RELAYER_HOURLY_CAP: "3",
  };
  const config = loadServeConfig(local, () => utf8(""));
  deepEqual([config.rates.withdrawalsPerMinute, config.caps, config.balance], [0, {
    hourly: 3,
    hourlyPerPool: 0,
  }, {
    warn: 0n,
    stop: 0n,
  }]);
  const shown = Object.fromEntries(describeConfig(local).map(({ name, value }) => [name, value]));
  deepEqual([shown.RELAYER_HOURLY_CAP, shown.RELAYER_HOURLY_CAP_PER_POOL], ["3", "0"]);
});

Deno.test("times are given in seconds and stored in milliseconds", () => {
  const given = { RELAYER_BATCH_SECONDS: "12", RELAYER_ALERT_NOT_READY: "34", RELAYER_ALERT_STUCK: "56" };
  const { batchMs, alerts } = loadServeConfig({ ...least, ...given });
  deepEqual([batchMs, alerts], [12_000, { notReadyMs: 34_000, stuckMs: 56_000 }]);
});

Deno.test("an empty variable counts as unset", () => {
  equal(loadServeConfig({ ...least, RELAYER_PORT: "", DATABASE_URL: "" }).http.port, 8090);
  throws(() => loadServeConfig({ RELAYER_WALLET_MNEMONIC: "" }), Problem);
});

Deno.test("the stop balance must not exceed the warning balance, unless warnings are off", () => {
  throws(
    () => loadServeConfig({ ...least, RELAYER_BALANCE_STOP: "10" }),
    /RELAYER_BALANCE_STOP: is above RELAYER_BALANCE_WARN \(5\)/,
  );
  const bounds = (warn: string, stop: string) =>
    loadServeConfig({ ...least, RELAYER_BALANCE_WARN: warn, RELAYER_BALANCE_STOP: stop }).balance;
  deepEqual(bounds("10", "10"), { warn: 10n ** 10n, stop: 10n ** 10n });
  deepEqual(bounds("0", "10"), { warn: 0n, stop: 10n ** 10n });
});

Deno.test("the verifying endpoint must differ from the first one", () => {
  const url = "https://other.example/api/v2/jsonRPC";
  const { endpoint } = loadServeConfig({ ...least, INDEXER_VERIFY_URL: url, INDEXER_VERIFY_API_KEY: "k" });
  deepEqual([endpoint.verify?.url, endpoint.verify?.apiKey?.reveal(), endpoint.apiKey], [
    url,
    "k",
    undefined,
  ]);
  equal(loadServeConfig(least).endpoint.verify, undefined);
  const limits = { INDEXER_REQUESTS_PER_SECOND: "4", INDEXER_VERIFY_REQUESTS_PER_SECOND: "0" };
  const limited = loadServeConfig({ ...least, INDEXER_VERIFY_URL: url, ...limits }).endpoint;
  deepEqual([limited.requestsPerSecond, limited.verify?.requestsPerSecond], [4, 0]);
  throws(
    () => loadServeConfig({ ...least, INDEXER_URL: url, INDEXER_VERIFY_URL: url }),
    /INDEXER_VERIFY_URL: equals INDEXER_URL: use an endpoint of another operator/,
  );
  throws(
    () => loadServeConfig({ ...least, INDEXER_VERIFY_API_KEY: "k" }),
    /INDEXER_VERIFY_API_KEY: is set without/,
  );
});
