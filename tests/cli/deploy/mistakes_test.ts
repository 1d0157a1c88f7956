/** Messages of `tonado deploy` and `tonado pool` about mistakes, before they query a chain. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import { runCli } from "../../support/cli/run_cli.ts";

const words = Array(24).fill("abandon").join(" ");
const wallet = { TONADO_WALLET_MNEMONIC: words };
const somebody = `0:${"0a".repeat(32)}`;
const localnet = ["--network", "localnet", "--endpoint", "http://127.0.0.1:9"];
const refusals: [what: string, args: string[], env: Record<string, string>, code: number, says: RegExp][] = [
  ["no amount", ["deploy", ...localnet], wallet, 2, /required option '--amount/],
  [
    "an unknown asset",
    ["deploy", "--amount", "1", "--asset", "doge"],
    wallet,
    2,
    /It must be native, or the address of a jetton's master/,
  ],
  [
    "a jetton's name for the native coin",
    ["deploy", "--amount", "1", "--symbol", "ton", "--decimals", "9"],
    wallet,
    2,
    /--symbol: is for jettons only\n +--decimals: is for jettons only/,
  ],
  [
    "decimals that are none",
    ["deploy", "--amount", "1", "--asset", somebody, "--decimals", "1e3"],
    wallet,
    2,
    /must be an integer from 0 to 30/,
  ],
  [
    "an amount with an exponent",
    ["deploy", ...localnet, "--amount", "1e3"],
    wallet,
    2,
    /must be a plain decimal number/,
  ],
  [
    "a pool to count that is not a pool",
    ["pool", "stats", "native-99", ...localnet],
    {},
    2,
    /native-99 is neither an address nor a pool of the registry/,
  ],
  [
    "an unknown network",
    ["deploy", "--amount", "1", "--network", "main"],
    wallet,
    2,
    /Allowed choices are mainnet/,
  ],
  [
    "an owner that is not an address",
    ["deploy", "--amount", "1", "--owner", "me"],
    wallet,
    2,
    /must be a TON address/,
  ],
  ["a mistyped flag", ["deploy", "--amount", "1", "--burn-ower"], wallet, 2, /Did you mean --burn-owner/],
  ["a mistyped command", ["pool", "inspct", "x"], {}, 2, /Did you mean inspect/],
  ["no wallet", ["deploy", ...localnet, "--amount", "1"], {}, 2, /TONADO_WALLET_MNEMONIC_FILE: is required/],
  [
    "a wallet twice",
    ["deploy", ...localnet, "--amount", "1"],
    { ...wallet, TONADO_WALLET_MNEMONIC_FILE: "f" },
    2,
    /set only one of/,
  ],
  [
    "a missing file of words",
    ["deploy", ...localnet, "--amount", "1", "--mnemonic-file", "/nowhere"],
    {},
    2,
    /--mnemonic-file: "\/nowhere" cannot be read/,
  ],
  [
    "words that are none",
    ["deploy", ...localnet, "--amount", "1"],
    { TONADO_WALLET_MNEMONIC: "hunter2" },
    2,
    /its value is not a mnemonic/,
  ],
  [
    "an owner that is kept and burned",
    ["deploy", ...localnet, "--amount", "1", "--owner", somebody],
    { ...wallet, TONADO_BURN_OWNER: "1" },
    2,
    /--owner: contradicts TONADO_BURN_OWNER/,
  ],
  [
    "the same by flags",
    ["deploy", ...localnet, "--amount", "1", "--owner", somebody, "--burn-owner"],
    wallet,
    2,
    /--owner: contradicts --burn-owner/,
  ],
  [
    "TONADO_BURN_OWNER=yes",
    ["deploy", ...localnet, "--amount", "1"],
    { ...wallet, TONADO_BURN_OWNER: "yes" },
    2,
    /"yes" is not one of 1/,
  ],
  [
    "a localnet without its endpoint",
    ["deploy", "--network", "localnet", "--amount", "1"],
    wallet,
    2,
    /--endpoint: is required/,
  ],
  [
    "an endpoint that is not a URL",
    ["pool", "inspect", somebody, "--endpoint", "here"],
    {},
    2,
    /--endpoint: "here" is not an http/,
  ],
  [
    "a registry that cannot be written",
    ["deploy", ...localnet, "--amount", "1", "--registry", "/proc/none/x.json"],
    wallet,
    1,
    /registry \/proc\/none\/x\.json cannot be written: .* \[write_failed\]\nFree disk space/,
  ],
  [
    "a registry of another network",
    ["deploy", ...localnet, "--amount", "1", "--registry", "deployments/testnet.json"],
    wallet,
    2,
    /is of testnet, not of localnet/,
  ],
  [
    "a missing registry",
    ["pool", "list", "--registry", "/nowhere.json"],
    {},
    2,
    /\/nowhere\.json: it cannot be read/,
  ],
  [
    "a pool that is not an address",
    ["pool", "inspect", "native-9", ...localnet],
    {},
    2,
    /native-9 is neither an address nor a pool of the registry/,
  ],
  [
    "a test address on mainnet",
    ["pool", "inspect", Address.parse(somebody).toString({ testOnly: true }), "--network", "mainnet"],
    {},
    2,
    /for test networks only/,
  ],
];
for (const [what, args, env, expected, says] of refusals) {
  Deno.test(`tonado ${args[0]} refuses ${what} before it queries a chain`, () =>
    withTempDirectory(async (dir) => {
      const registry = args[0] === "deploy" && !args.includes("--registry")
        ? ["--registry", `${dir}/r.json`]
        : [];
      const { code, stdout, stderr } = await runCli([...args, ...registry], env);
      assert.match(stderr, says);
      assert.deepEqual([code, stdout], [expected, ""]);
      for (const secret of ["abandon", "hunter2"]) assert.ok(!stderr.includes(secret), stderr);
    }));
}
