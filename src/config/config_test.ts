import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { inspect } from "node:util";
import { Problem } from "../core/errors.ts";
import { describeConfig } from "./describe.ts";
import { type Environment, loadConfig } from "./config.ts";

const words = "zebra ".repeat(23) + "abandon";
const least: Environment = { RELAYER_WALLET_MNEMONIC: words };

function faults(env: Environment, readFile?: (path: string) => string): Problem {
  try {
    loadConfig(env, readFile);
  } catch (error) {
    ok(error instanceof Problem);
    equal(error.code, "invalid_config");
    return error;
  }
  throw new Error("the configuration was accepted");
}

Deno.test("config: the mnemonic alone is enough, the rest are the interface's defaults", () => {
  const config = loadConfig(least);
  equal(config.wallet.mnemonic.reveal(), words);
  equal(config.wallet.version, "v4R2");
  deepEqual(config.fee, { bps: 50, minNano: 50_000_000n });
  deepEqual(config.http, { host: "127.0.0.1", port: 8090 });
  equal(config.network, "testnet");
  equal(config.indexer.url, "https://testnet.toncenter.com/api/v2/jsonRPC");
  equal(config.indexer.apiKey, undefined);
  equal(config.dataDir, "./data");
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
  ["RELAYER_FEE_MIN_NATIVE", { RELAYER_FEE_MIN_NATIVE: "0.0000000001" }],
  ["INDEXER_URL", { INDEXER_URL: "toncenter.com" }],
  ["INDEXER_URL", { INDEXER_URL: "https://user:password@toncenter.com/api/v2/jsonRPC" }],
  ["RELAYER_PORT", { RELAYER_PORT: "65536" }],
  ["RELAYER_LOG_LEVEL", { RELAYER_LOG_LEVEL: "loud" }],
  ["RELAYER_LOG_FORMAT", { RELAYER_LOG_FORMAT: "xml" }],
  ["DATABASE_URL", { DATABASE_URL: "postgres://localhost/tonado" }],
  ["POSTGRES_URL", { POSTGRES_URL: "postgres://localhost/tonado" }],
  ["CACHE_URL", { CACHE_URL: "redis://localhost" }],
  ["REDIS_URL", { REDIS_URL: "redis://localhost" }],
];
for (const [name, change] of wrong) {
  Deno.test(`config: refuses ${JSON.stringify(change)}, naming ${name} alone`, () => {
    const { errors, message } = faults({ ...least, ...change });
    deepEqual(errors.map(({ pointer }) => pointer), [name]);
    ok(message.includes(name));
  });
}

Deno.test("config: all problems are listed at once", () => {
  const { errors } = faults({ RELAYER_PORT: "x", RELAYER_NETWORK: "localnet", DATABASE_URL: "y" });
  deepEqual(errors.map(({ pointer }) => pointer).sort(), [
    "DATABASE_URL",
    "INDEXER_URL",
    "RELAYER_DEPLOYMENTS",
    "RELAYER_PORT",
    "RELAYER_WALLET_MNEMONIC",
  ]);
});

Deno.test("config: a malformed secret is not repeated, a malformed plain value is", () => {
  const { message } = faults({ RELAYER_WALLET_MNEMONIC: "hunter two", RELAYER_PORT: "eighty" });
  ok(!message.includes("hunter"));
  ok(message.includes("eighty"));
});

Deno.test("config: the mnemonic may come from a file, and then not from the environment too", () => {
  const env = { RELAYER_WALLET_MNEMONIC_FILE: "/run/secrets/mnemonic" };
  equal(loadConfig(env, () => `${words}\n`).wallet.mnemonic.reveal(), words);
  equal(faults({ ...least, ...env }, () => words).errors[0].pointer, "RELAYER_WALLET_MNEMONIC_FILE");
  const unreadable = faults(env, () => {
    throw new Deno.errors.NotFound("no such file");
  });
  equal(unreadable.errors[0].pointer, "RELAYER_WALLET_MNEMONIC_FILE");
  ok(!faults(env, () => "hunter two").message.includes("hunter"));
});

Deno.test("config: printing it shows no secret", () => {
  const env = { ...least, INDEXER_API_KEY: "key-123456" };
  const shown = inspect(loadConfig(env), { depth: 9 }) + Deno.inspect(loadConfig(env), { depth: 9 }) +
    JSON.stringify(describeConfig(env));
  for (const secret of ["zebra", "key-123456"]) ok(!shown.includes(secret));
  const { value, source } = describeConfig(env).find(({ name }) => name === "INDEXER_API_KEY")!;
  deepEqual([value, source], ["[redacted]", "environment"]);
});

Deno.test("config: what is printed is what would be used, the network's endpoint included", () => {
  const shown = (env: Environment) =>
    Object.fromEntries(describeConfig(env).map(({ name, value, source }) => [name, [value, source]]));
  deepEqual(shown({}).INDEXER_URL, ["https://testnet.toncenter.com/api/v2/jsonRPC", "default"]);
  deepEqual(shown({ RELAYER_NETWORK: "localnet" }).INDEXER_URL, [undefined, "unset"]);
  deepEqual(shown({ RELAYER_PORT: "1" }).RELAYER_PORT, ["1", "environment"]);
});

Deno.test("config: an empty variable counts as unset", () => {
  equal(loadConfig({ ...least, RELAYER_PORT: "", DATABASE_URL: "" }).http.port, 8090);
  throws(() => loadConfig({ RELAYER_WALLET_MNEMONIC: "" }), Problem);
});
