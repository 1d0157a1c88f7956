import { deepEqual, equal, throws } from "node:assert/strict";
import { Problem } from "../core/errors/problem.ts";
import { loadNoteStoreConfig, loadPayerConfig } from "./client_config.ts";
import { loadDeployConfig } from "./deploy_config.ts";
import { loadEndpoint } from "./settings/settings_reader.ts";
import { loadStoreLocation } from "./store_config.ts";

const words = "zebra ".repeat(23) + "abandon";
const home = { HOME: "/home/me" };
const network = { network: "testnet" } as const;
const utf8 = (text: string) => new TextEncoder().encode(text);
const missing = () => {
  throw new Deno.errors.NotFound("no such file");
};

function faultsOf(act: () => unknown): [pointer: string, detail: string][] {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_config") throw error;
    return error.errors.map(({ pointer, detail }) => [pointer, detail]);
  }
  return [];
}
const pointers = (act: () => unknown) => faultsOf(act).map(([pointer]) => pointer);

Deno.test("the flag takes precedence over the variable, and the variable over the home directory", () => {
  const env = { ...home, TONADO_NOTES: "env.age" };
  const path = (...args: Parameters<typeof loadNoteStoreConfig>) => loadNoteStoreConfig(...args).path;
  equal(path({ notes: "flag.age" }, env), "flag.age");
  equal(path({}, env), "env.age");
  equal(path({}, home), "/home/me/.tonado/notes.age");
  equal(path({}, { USERPROFILE: "/users/me" }), "/users/me/.tonado/notes.age");
  deepEqual(pointers(() => path({}, {})), ["TONADO_NOTES"]);
});

Deno.test("a passphrase comes from a variable or a file, not from both; without either, the user is asked", () => {
  const load = (env: Record<string, string>, file: () => Uint8Array = missing) =>
    loadNoteStoreConfig({}, { ...home, ...env }, file).passphrase?.reveal();
  equal(load({}), undefined);
  equal(load({ TONADO_PASSPHRASE: "hunter two " }), "hunter two ");
  for (const text of ["hunter two", "hunter two\n", "hunter two\r\n"]) {
    equal(load({ TONADO_PASSPHRASE_FILE: "file" }, () => utf8(text)), "hunter two");
  }
  equal(load({ TONADO_PASSPHRASE_FILE: "file" }, () => utf8("two\nlines\n\n")), "two\nlines\n");
  const both = { TONADO_PASSPHRASE: "x", TONADO_PASSPHRASE_FILE: "file" };
  deepEqual(pointers(() => load(both)), ["TONADO_PASSPHRASE_FILE"]);
  deepEqual(faultsOf(() => load({ TONADO_PASSPHRASE_FILE: "file" }, () => utf8("\n"))), [
    ["TONADO_PASSPHRASE_FILE", '"file" is empty'],
  ]);
  deepEqual(faultsOf(() => load({ TONADO_PASSPHRASE_FILE: "file" })), [
    ["TONADO_PASSPHRASE_FILE", '"file" cannot be read'],
  ]);
});

Deno.test("the flag for requests per second takes precedence over the variable", () => {
  const env = { INDEXER_REQUESTS_PER_SECOND: "4" };
  equal(loadEndpoint(network, {}).requestsPerSecond, undefined);
  equal(loadEndpoint(network, env).requestsPerSecond, 4);
  equal(loadEndpoint({ ...network, requestsPerSecond: 0 }, env).requestsPerSecond, 0);
  equal(
    loadDeployConfig({ ...network, requestsPerSecond: 2 }, { ...env, TONADO_WALLET_MNEMONIC: words }).endpoint
      .requestsPerSecond,
    2,
  );
});

Deno.test("without a setting there is no payer, and a flag's file takes precedence over the variables", () => {
  const load = (flags: object, env: Record<string, string>, file: (path: string) => Uint8Array = missing) =>
    loadPayerConfig({ ...network, ...flags }, env, file);
  equal(load({}, {}), undefined);
  const direct = load({}, { TONADO_WALLET_MNEMONIC: words })!;
  deepEqual([direct.mnemonic.reveal(), direct.version], [words, "v4R2"]);
  const read = (path: string) => (equal(path, "words"), utf8(words));
  const fromFile = load({}, { TONADO_WALLET_MNEMONIC_FILE: "words", TONADO_WALLET_VERSION: "v5R1" }, read)!;
  deepEqual([fromFile.mnemonic.reveal(), fromFile.version], [words, "v5R1"]);
  const flags = { mnemonicFile: "words", walletVersion: "v5R1" };
  const fromFlag = load(flags, { TONADO_WALLET_MNEMONIC: "not read" }, read)!;
  deepEqual([fromFlag.mnemonic.reveal(), fromFlag.version], [words, "v5R1"]);
  deepEqual(pointers(() => load({ mnemonicFile: "words" }, {})), ["--mnemonic-file"]);
  const both = { TONADO_WALLET_MNEMONIC: words, TONADO_WALLET_MNEMONIC_FILE: "words" };
  deepEqual(pointers(() => load({}, both, read)), ["TONADO_WALLET_MNEMONIC_FILE"]);
  const wrong = faultsOf(() => load({ mnemonicFile: "words" }, {}, () => utf8("hunter two")));
  deepEqual([wrong[0][0], wrong[0][1].startsWith("the content of the file is not ")], [
    "--mnemonic-file",
    true,
  ]);
});

Deno.test("a mnemonic file that is not UTF-8 text is refused with the reason", () => {
  const load = (bytes: Uint8Array) => () =>
    loadPayerConfig({ ...network, mnemonicFile: "words" }, {}, () => bytes);
  equal(load(utf8(`\ufeff${words}`))()?.mnemonic.reveal(), words);
  const utf16 = [...words].flatMap((letter) => [letter.charCodeAt(0), 0]);
  const [[pointer, detail]] = faultsOf(load(Uint8Array.from([0xff, 0xfe, ...utf16])));
  deepEqual([pointer, detail], [
    "--mnemonic-file",
    '"words" cannot be read: it is UTF-16 or binary. Save it as UTF-8 text',
  ]);
});

Deno.test("deploy: a flag or a variable burns the owner, and contradicts a given owner", () => {
  const env = { TONADO_WALLET_MNEMONIC: words };
  const burn = { ...env, TONADO_BURN_OWNER: "1" };
  const load = (...args: Parameters<typeof loadDeployConfig>) => loadDeployConfig(...args).burnOwner;
  deepEqual([load(network, env), load(network, burn), load({ ...network, burnOwner: true }, env)], [
    ...[false, true, true],
  ]);
  equal(load({ ...network, burnOwner: false }, burn), false, "the flag overrides the variable");
  equal(load({ ...network, owner: "someone" }, env), false);
  deepEqual(faultsOf(() => load({ ...network, owner: "someone" }, burn)), [
    ["--owner", "contradicts TONADO_BURN_OWNER"],
  ]);
  deepEqual(faultsOf(() => load({ ...network, owner: "someone", burnOwner: true }, env)), [
    ["--owner", "contradicts --burn-owner"],
  ]);
  deepEqual(pointers(() => load(network, {})), ["TONADO_WALLET_MNEMONIC_FILE"]);
});

Deno.test("the flag takes precedence over the variable, and the variable over the public endpoint", () => {
  const env = { INDEXER_URL: "http://env.example", INDEXER_API_KEY: "hunter2" };
  const load = (...args: Parameters<typeof loadEndpoint>) => loadEndpoint(...args).url;
  equal(load({ ...network, endpoint: "http://flag.example" }, env), "http://flag.example");
  equal(load(network, env), "http://env.example");
  equal(load(network, {}), "https://testnet.toncenter.com/api/v2/jsonRPC");
  equal(loadEndpoint(network, env).apiKey?.reveal(), "hunter2");
  equal(loadEndpoint(network, {}).apiKey, undefined);
  deepEqual(pointers(() => load({ network: "localnet" }, {})), ["--endpoint"]);
  deepEqual(pointers(() => load({ network: "localnet", endpoint: "ftp://x" }, {})), ["--endpoint"]);
});

Deno.test("store: a folder given by flag takes precedence over the database of the environment", () => {
  const url = "postgres://db/tonado";
  deepEqual(loadStoreLocation({ DATABASE_URL: url }, "folder"), { dataDir: "folder" });
  const { dataDir, databaseUrl } = loadStoreLocation({ DATABASE_URL: url });
  deepEqual([dataDir, databaseUrl?.reveal()], ["./data", url]);
  deepEqual(loadStoreLocation({ RELAYER_DATA_DIR: "here" }), { dataDir: "here" });
  throws(() => loadStoreLocation({ DATABASE_URL: url, POSTGRES_URL: `${url}2` }), { code: "invalid_config" });
});
