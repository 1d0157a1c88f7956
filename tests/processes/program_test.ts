/** The program as a user starts it: help, errors, configuration, the demonstration. */
import assert from "node:assert/strict";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

async function tonado(args: readonly string[], env: Record<string, string> = {}) {
  const kept = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const { code, stdout, stderr } = await childCommand(sourceCommand()[0], {
    args: [...sourceCommand().slice(1), ...args],
    clearEnv: true,
    env: { ...Object.fromEntries(kept), ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

const MNEMONIC = Array(24).fill("abandon").join(" ");

Deno.test("demo --json: three deposits, a relayed withdrawal to the nano, two refused double spends, exit code 0", async () => {
  const { code, stdout, stderr } = await tonado(["demo", "--json"]);
  assert.equal(code, 0, stderr);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const of = (name: string) => events.filter(({ event }) => event === name);
  assert.deepEqual(of("deposited").map(({ leafIndex }) => leafIndex), [0, 1, 2]);
  assert.equal(new Set(of("deposited").map(({ root }) => root)).size, 3, "each deposit makes another root");
  assert.equal(of("tree_rebuilt")[0].root, of("deposited")[2].root);
  const fractions = of("proving").map(({ fraction }) => fraction);
  assert.ok(fractions.length > 2 && fractions[fractions.length - 1] === 1, "proving shows its progress");

  const [{ fee, refund }] = of("submitted");
  const [{ denomination, keys }] = of("started");
  assert.equal(keys, "development keys, insecure");
  const accounts = of("balances")[0].accounts as { account: string; before: string; after: string }[];
  const change = (name: string) => {
    const { before, after } = accounts.find(({ account }) => account === name)!;
    return BigInt(after) - BigInt(before);
  };
  assert.equal(change("recipient"), BigInt(denomination) - BigInt(fee) + BigInt(refund));
  assert.ok(change("relayer") > 0n && change("relayer") < BigInt(fee));
  assert.ok(change("pool") < 0n);
  assert.deepEqual(of("double_spend_refused").map(({ by, reason }) => [by, reason]), [
    ["relayer", "nullifier_already_used"],
    ["pool", "ERR_ALREADY_SPENT"],
  ]);
  assert.equal(events[events.length - 1].event, "finished");
});

Deno.test("tonado --help: usage, without colour where there is no terminal", async () => {
  const { code, stdout } = await tonado(["--help"]);
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: tonado/);
  assert.ok(!stdout.includes("\x1b["));
});

const mistakes: [string[], RegExp][] = [
  [["srve"], /Did you mean serve\?/],
  [["localnet", "--prot", "1"], /Did you mean --port\?/],
  [["localnet", "--port", "70000"], /integer from 0 to 65535/],
  [["localnet", "--block-time", "-5"], /integer from 10 to 60000/],
  [["demo", "extra"], /too many arguments/],
  [["demo", "--asset", "jet"], /Allowed choices are native, jetton/],
];
for (const [args, message] of mistakes) {
  Deno.test(`tonado ${args.join(" ")}: reports the mistake and exits with 2`, async () => {
    const { code, stdout, stderr } = await tonado(args);
    assert.match(stderr, message);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

Deno.test("serve lists all configuration errors at once, without the secret, and exits with 2", async () => {
  const env = {
    RELAYER_WALLET_MNEMONIC: "only three words",
    RELAYER_PORT: "http",
    RELAYER_FEE_MIN_NATIVE: "1e3",
    CACHE_URL: "x:6379",
  };
  const { code, stderr } = await tonado(["serve"], env);
  assert.equal(code, 2);
  for (const name of Object.keys(env)) assert.ok(stderr.includes(name), `${name} is in: ${stderr}`);
  assert.ok(!stderr.includes("three words"), stderr);
});

Deno.test("config prints the settings, then the errors, never a URL's credentials, and exits with 2", async () => {
  const env = {
    RELAYER_WALLET_MNEMONIC: MNEMONIC,
    RELAYER_PORT: "99999",
    INDEXER_URL: "ftp://user:hunter2@host/",
  };
  const { code, stdout, stderr } = await tonado(["config"], env);
  assert.equal(code, 2);
  assert.ok(stdout.includes("RELAYER_PORT=99999"));
  for (const name of ["RELAYER_PORT", "INDEXER_URL"]) {
    assert.equal(stderr.split(name).length, 2, `${name} once in: ${stderr}`);
  }
  assert.ok(!(stdout + stderr).includes("hunter2"));
  assert.ok(stdout.endsWith("\n2 settings are invalid: INDEXER_URL, RELAYER_PORT\n"), stdout);
  const json = JSON.parse((await tonado(["config", "--json"], env)).stdout);
  assert.equal(json.valid, false);
  assert.deepEqual(
    json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
    ["INDEXER_URL", "RELAYER_PORT"],
  );
});

Deno.test("config ends with a confirmation if the configuration is valid", async () => {
  const env = { RELAYER_WALLET_MNEMONIC: MNEMONIC };
  const { stdout } = await tonado(["config"], env);
  assert.ok(stdout.endsWith("\nConfiguration is valid: `tonado serve` can start.\n"), stdout);
  const json = JSON.parse((await tonado(["config", "--json"], env)).stdout);
  assert.deepEqual([json.valid, json.errors], [true, []]);
});

Deno.test("serve on a port in use names the setting and starts nothing", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const directory = await Deno.makeTempDir({ prefix: "tonado-cli-" });
  const env = {
    RELAYER_WALLET_MNEMONIC: MNEMONIC,
    RELAYER_PORT: String(taken.addr.port),
    RELAYER_DATA_DIR: `${directory}/data`,
  };
  const { code, stderr } = await tonado(["serve"], env);
  assert.deepEqual([code, stderr.includes("RELAYER_PORT")], [2, true], stderr);
  await assert.rejects(Deno.stat(`${directory}/data`), Deno.errors.NotFound);
  const unusable = {
    ...env,
    RELAYER_PORT: "0",
    RELAYER_DATA_DIR: "/dev/null/data",
    RELAYER_DEPLOYMENTS: `${directory}/none`,
  };
  const { code: faulty, stderr: faults } = await tonado(["serve"], unusable);
  assert.deepEqual([faulty, faults.includes("RELAYER_DEPLOYMENTS")], [2, true], faults);
  const { stderr: last } = await tonado(["serve"], { ...unusable, RELAYER_DEPLOYMENTS: "" });
  assert.ok(last.includes("RELAYER_DATA_DIR"), last);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("localnet --json: reports when it is ready, writes a registry for other relayers, and starts again on its data", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tonado-cli-" });
  for (let i = 0; i < 2; i++) {
    const args = ["localnet", "--json", "--port", "0", "--relayer-port", "0", "--data-dir", dataDir];
    const program = startProgram(sourceCommand(), args);
    const { relayer, registry, keys, pools, jetton } = JSON.parse(await program.nextLine());
    assert.deepEqual([jetton.asset, jetton.decimals, jetton.master], [
      pools["jet-10"].asset,
      pools["jet-10"].decimals,
      pools["jet-10"].jettonMaster,
    ]);
    const { status, body } = await fetch(`${relayer}/readyz`);
    await body?.cancel();
    assert.equal(status, 200);
    assert.equal(keys, "development keys, insecure");
    const { network, pools: registered } = JSON.parse(await Deno.readTextFile(registry));
    assert.deepEqual([network, Object.keys(registered)], ["localnet", Object.keys(pools)]);
    assert.equal((await program.stop()).code, 0);
  }
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("demo, interrupted, exits with 130 and leaves no files", async () => {
  const directory = await Deno.makeTempDir({ prefix: "tonado-cli-" });
  const program = startProgram(sourceCommand(), ["demo", "--json"], { TMPDIR: directory });
  await program.nextLine();
  assert.equal((await program.stop()).code, 130);
  assert.deepEqual(
    (await Array.fromAsync(Deno.readDir(directory))).filter(({ name }) => name.startsWith("tonado-")),
    [],
  );
  await Deno.remove(directory, { recursive: true });
});

Deno.test("config prints every setting and never a secret's value", async () => {
  const env = { RELAYER_WALLET_MNEMONIC: MNEMONIC, INDEXER_API_KEY: "hunter2", RELAYER_PORT: "9000" };
  for (const args of [["config"], ["config", "--json"]]) {
    const { code, stdout } = await tonado(args, env);
    assert.equal(code, 0);
    assert.ok(stdout.includes("9000") && stdout.includes("[redacted]"));
    assert.ok(!stdout.includes("abandon") && !stdout.includes("hunter2"));
  }
});
