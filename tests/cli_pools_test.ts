/** `tonado deploy` and `tonado pool` as a user gives them, against a local network. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { run } from "../src/cli/program.ts";
import type { Wiring } from "../src/cli/wiring.ts";
import { readRegistry } from "../src/config/registry.ts";
import { startLocalnet } from "../src/localnet/localnet.ts";
import { connect } from "../src/ton/toncenter.ts";
import { openWallet } from "../src/ton/wallet.ts";
import { fromSources } from "./support/program.ts";

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly asked: readonly string[];
}

/** The program in this process; `answer` is what the person at the terminal says, undefined when there is none. */
async function tonado(
  args: readonly string[],
  env: Record<string, string> = {},
  answer?: boolean,
): Promise<Result> {
  let [stdout, stderr] = ["", ""];
  const asked: string[] = [];
  const unused = () => Promise.reject(new Error("not asked for here"));
  const wiring: Wiring = {
    env,
    runtime: { deno: "2", v8: "1", target: "x86_64-unknown-linux-gnu", compiled: true },
    stdout: { isTerminal: false, columns: 80, write: (text) => void (stdout += text) },
    stderr: { isTerminal: false, columns: 80, write: (text) => void (stderr += text) },
    makeTempDir: unused,
    removeDir: unused,
    writeFile: unused,
    readStream: unused,
    writeStream: unused,
    now: Date.now,
    openStore: unused,
    migrateDatabase: unused,
    stopped: unused,
    startLocalnet: unused,
    serve: unused,
    createProver: unused,
    askSecret: unused,
    notes: unused as never,
    agrees: (question) => Promise.resolve((asked.push(question), answer)),
    connect: (endpoint, apiKey) => connect({ endpoint, apiKey }),
    openWallet,
  };
  return { code: await run(args, "0", wiring), stdout, stderr, asked };
}

async function inDirectory(test: (dir: string) => Promise<void>) {
  const dir = await Deno.makeTempDir({ prefix: "tonado-deploy-" });
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("tonado deploy and pool inspect, from a wallet's words to an audited pool", (t) =>
  inDirectory(async (dir) => {
    const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
    try {
      const [{ mnemonic, version, address: payer }] = net.wallets;
      await Deno.writeTextFile(`${dir}/words`, `${mnemonic}\n`);
      const registry = `${dir}/registry/localnet.json`;
      const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
      const env = { TONADO_WALLET_MNEMONIC_FILE: `${dir}/words`, TONADO_WALLET_VERSION: version };
      const chain = connect({ endpoint: net.url });
      const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
      const listed = async () => (await readRegistry("localnet", registry)).pools;

      await t.step("nothing is sent unless somebody agrees", async () => {
        const declined = await tonado(["deploy", ...at, "--amount", "3", "--burn-owner"], env, false);
        assert.equal(declined.code, 1);
        assert.match(declined.stderr, /not deployed \[unconfirmed\]\n.*nothing was sent/);
        assert.deepEqual(declined.asked, ["Send 2.5 TON to deploy on localnet?"]);
        assert.match(declined.stdout, /native-3, takes exactly 3 TON/);
        assert.match(declined.stdout, /owner +none: burned/);
        assert.match(declined.stdout, /keys +development keys, insecure/);
        const nobody = await tonado(["deploy", ...at, "--amount", "3", "--burn-owner"], env);
        assert.equal(nobody.code, 1);
        assert.match(nobody.stderr, /no terminal to ask at \[unconfirmed\]\n.*--yes/);
        assert.equal(await wallet.seqno(), 0);
        await assert.rejects(Deno.stat(registry), "and no registry is written");
      });

      await t.step("a pool is deployed, verified and written down", async () => {
        const { code, stdout, stderr } = await tonado(
          ["deploy", ...at, "--amount", "3", "--burn-owner"],
          env,
          true,
        );
        assert.equal(code, 0, stderr);
        assert.match(stdout, /Deployed and verified/);
        const entry = (await listed()).get("native-3")!;
        assert.ok(stdout.includes(entry.address.toString({ testOnly: true })));
        assert.equal(entry.owner, null);
        assert.equal((await chain.account(entry.address)).state, "active");
        assert.deepEqual([...Deno.readDirSync(`${dir}/registry`)].map(({ name }) => name), ["localnet.json"]);
      });

      await t.step(
        "a second run finds it, pays nothing, asks nothing and keeps the operator's policy",
        async () => {
          const before = JSON.parse(await Deno.readTextFile(registry));
          before.pools["native-3"].feeMin = "7";
          await Deno.writeTextFile(registry, JSON.stringify(before));
          const seqno = await wallet.seqno();
          const { code, stdout, asked } = await tonado(
            ["deploy", ...at, "--amount", "3.0", "--json"],
            { ...env, TONADO_BURN_OWNER: "1" },
          );
          assert.deepEqual([code, asked], [0, []]);
          const { sent, deployedSeqno, key, owner } = JSON.parse(stdout);
          assert.deepEqual([sent, key, owner], [false, "native-3", null]);
          assert.equal(deployedSeqno, before.pools["native-3"].deployedSeqno);
          assert.equal(await wallet.seqno(), seqno);
          assert.deepEqual(JSON.parse(await Deno.readTextFile(registry)), before);
        },
      );

      await t.step(
        "without --burn-owner the wallet that pays is the owner; --quiet prints the address",
        async () => {
          const { code, stdout } = await tonado(["deploy", ...at, "--amount", "4", "--yes", "--quiet"], env);
          const entry = (await listed()).get("native-4")!;
          assert.deepEqual([code, stdout], [0, `${entry.address.toString({ testOnly: true })}\n`]);
          assert.ok(entry.owner?.equals(payer));
        },
      );

      await t.step("another pool of the same denomination is refused, with the reason", async () => {
        const other = await tonado(["deploy", ...at, "--amount", "3", "--yes"], env);
        assert.equal(other.code, 1);
        assert.match(other.stderr, /registry: lists another pool as native-3/);
      });

      await t.step("pool list prints the registry", async () => {
        const { code, stdout } = await tonado(["pool", "list", ...at, "--json"]);
        assert.equal(code, 0);
        const { network, pools } = JSON.parse(stdout);
        assert.equal(network, "localnet");
        assert.deepEqual(pools.map(({ key }: { key: string }) => key), ["native-3", "native-4"]);
        assert.match(
          (await tonado(["pool", "list", ...at])).stdout,
          /^native-3 .* no owner\nnative-4 .* owner /,
        );
      });

      await t.step("pool inspect passes it, by key and by address, with warnings", async () => {
        const { code, stdout, stderr } = await tonado(["pool", "inspect", "native-3", ...at]);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /warning {2}keys/);
        assert.match(stdout, /ok {7}tree +0 leaves/);
        const entry = (await listed()).get("native-3")!;
        const quiet = await tonado(["pool", "inspect", entry.address.toRawString(), ...at, "--quiet"]);
        assert.deepEqual([quiet.code, quiet.stdout.trim().split("\n").length], [0, 1]);
        const json = JSON.parse((await tonado(["pool", "inspect", "native-4", ...at, "--json"])).stdout);
        assert.equal(json.sound, true);
        assert.equal(json.facts.root, json.facts.rebuiltRoot);
        assert.deepEqual([json.facts.deposits, json.facts.capacity, json.money.obligations], [
          0,
          131_072,
          "0",
        ]);
        assert.ok(payer.equals(Address.parse(json.facts.owner)));
        assert.ok(json.money.runwayYears > 1);
      });

      await t.step("a successor stands beside the first pool, and is audited by its own key", async () => {
        const deploy = ["deploy", ...at, "--amount", "3", "--burn-owner", "--generation", "2", "--yes"];
        const { code, stdout, stderr } = await tonado(deploy, env);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /native-3-g2, takes exactly 3 TON/);
        assert.match(stderr, /warning: there is no pool of generation 1 /);
        const again = JSON.parse((await tonado([...deploy, "--json"], env)).stdout);
        assert.deepEqual([again.key, again.generation, again.sent], ["native-3-g2", 2, false]);
        const pools = await listed();
        assert.deepEqual([...pools.keys()], ["native-3", "native-4", "native-3-g2"]);
        assert.ok(!pools.get("native-3-g2")!.address.equals(pools.get("native-3")!.address));
        for (const [key, generation] of [["native-3", 0], ["native-3-g2", 2]] as const) {
          const audit = await tonado(["pool", "inspect", key, ...at]);
          assert.equal(audit.code, 0, audit.stdout);
          assert.match(audit.stdout, new RegExp(`ok {7}origin +.* generation ${generation}\n`));
          const json = JSON.parse((await tonado(["pool", "inspect", key, ...at, "--json"])).stdout);
          assert.equal(json.facts.generation, generation);
        }
        for (const wrong of ["-1", "256", "1.5", "one"]) {
          const refused = await tonado(["deploy", ...at, "--amount", "3", "--generation", wrong], env);
          assert.deepEqual([refused.code, /from 0 to 255/.test(refused.stderr)], [2, true], wrong);
        }
      });

      await t.step("pool inspect ends with 1 for a pool that is not what the registry says", async () => {
        const registered = JSON.parse(await Deno.readTextFile(registry));
        registered.pools["native-4"].owner = null;
        await Deno.writeTextFile(registry, JSON.stringify(registered));
        const { code, stdout, stderr } = await tonado(["pool", "inspect", "native-4", ...at]);
        assert.equal(code, 1);
        assert.match(stdout, /FAILED {3}registry +the registry's native-4 has another owner/);
        assert.match(stderr, /failed: registry \[audit_failed\]/);
        const json = await tonado(["pool", "inspect", "native-4", ...at, "--json"]);
        assert.deepEqual([json.code, JSON.parse(json.stdout).sound], [1, false]);
      });

      await t.step("pool inspect ends with 1 for an address without a pool", async () => {
        const { code, stdout } = await tonado(["pool", "inspect", `0:${"77".repeat(32)}`, ...at]);
        assert.equal(code, 1);
        assert.match(stdout, /FAILED {3}account +the account is uninitialized/);
      });

      await t.step("mainnet refuses a kept owner and development keys, all at once", async () => {
        const mainnet = ["--network", "mainnet", "--endpoint", net.url, "--registry", `${dir}/mainnet.json`];
        const seqno = await wallet.seqno();
        const { code, stderr } = await tonado(["deploy", ...mainnet, "--amount", "3", "--yes"], env);
        assert.equal(code, 1);
        assert.match(stderr, /owner: a pool on mainnet has no owner/);
        assert.match(stderr, /keys: these are development keys, insecure/);
        const burned = await tonado(["deploy", ...mainnet, "--amount", "3", "--yes", "--burn-owner"], env);
        assert.equal(burned.code, 1);
        assert.doesNotMatch(burned.stderr, /has no owner/);
        const small = await tonado(["deploy", ...mainnet, "--amount", "0.1", "--yes", "--burn-owner"], env);
        assert.match(small.stderr, /fees would eat much of each note \[invalid_amount\]/);
        assert.equal(await wallet.seqno(), seqno);
        await assert.rejects(Deno.stat(`${dir}/mainnet.json`));
      });

      await t.step("a wallet without money is told so", async () => {
        const words = mnemonic.split(" ").reverse().join(" ");
        const { code, stderr } = await tonado(["deploy", ...at, "--amount", "5", "--yes"], {
          TONADO_WALLET_MNEMONIC: words,
        });
        assert.equal(code, 1);
        assert.match(stderr, /holds 0, the pools need 2\.5 and fees \[insufficient_funds\]/);
      });
    } finally {
      await net.close();
    }
  }));

Deno.test("tonado deploy --asset: a jetton pool from its master's address to the audit", (t) =>
  inDirectory(async (dir) => {
    const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
    try {
      const [{ mnemonic, version }] = net.wallets;
      const registry = `${dir}/localnet.json`;
      const at = ["--network", "localnet", "--endpoint", net.url, "--registry", registry];
      const env = { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version };
      const master = net.jetton.master.toString({ testOnly: true });
      const deploy = ["deploy", ...at, "--asset", master, "--amount", "2.5", "--burn-owner"];

      await t.step(
        "it is named as its metadata has it, asked first, deployed, compared, written down",
        async () => {
          const { code, stdout, stderr, asked } = await tonado(deploy, env, true);
          assert.equal(code, 0, stderr);
          assert.deepEqual(asked, ["Send 2.7 TON to deploy on localnet?"]);
          assert.match(stdout, /jet-2\.5, takes exactly 2\.5 jet/);
          assert.ok(stdout.includes(master));
          assert.match(stdout, /Deployed and verified[^]*as the master told pool and getter alike/);
          const entry = (await readRegistry("localnet", registry)).pools.get("jet-2.5")!;
          assert.deepEqual([entry.denomination, entry.decimals, entry.asset], [2_500_000n, 6, "jet"]);
          assert.ok(entry.jettonMaster?.equals(net.jetton.master));
        },
      );

      await t.step("a second run finds it and says with --json what it found", async () => {
        const { code, stdout, asked } = await tonado([...deploy, "--json"], env);
        assert.deepEqual([code, asked], [0, []]);
        const found = JSON.parse(stdout);
        assert.deepEqual([found.sent, found.key, found.jettonMaster, found.decimals], [
          false,
          "jet-2.5",
          master,
          6,
        ]);
      });

      await t.step("pool list and pool inspect know it", async () => {
        const list = await tonado(["pool", "list", ...at, "--json"]);
        assert.equal(JSON.parse(list.stdout).pools[0].jettonMaster, master);
        const text = await tonado(["pool", "inspect", "jet-2.5", ...at]);
        assert.equal(text.code, 0, text.stderr);
        assert.match(text.stdout, /takes exactly 2\.5 jet/);
        assert.match(text.stdout, /ok {7}jetton /);
        const { facts } = JSON.parse((await tonado(["pool", "inspect", "jet-2.5", ...at, "--json"])).stdout);
        assert.deepEqual([facts.asset, facts.jettonMaster, facts.jettons], ["jetton", master, null]);
        assert.equal(facts.jettonWallet, facts.givenWallet);
      });

      await t.step("an account that is no master is refused with the reason", async () => {
        const wallet = net.wallets[1].address.toRawString();
        const { code, stderr } = await tonado(
          ["deploy", ...at, "--asset", wallet, "--amount", "1", "--yes"],
          env,
        );
        assert.equal(code, 1);
        assert.match(stderr, /is no jetton master: get_jetton_data of .* \[?/);
        assert.match(stderr, /deployment_refused/);
      });
    } finally {
      await net.close();
    }
  }));

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
    "an unknown network",
    ["deploy", "--amount", "1", "--network", "main"],
    wallet,
    2,
    /Allowed choices are mainnet/,
  ],
  [
    "an owner that is no address",
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
    /set one of/,
  ],
  [
    "a file of words that is not there",
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
    "an endpoint that is no URL",
    ["pool", "inspect", somebody, "--endpoint", "here"],
    {},
    2,
    /--endpoint: "here" is not an http/,
  ],
  [
    "a registry that cannot be written",
    ["deploy", ...localnet, "--amount", "1", "--registry", "/proc/none/x.json"],
    wallet,
    2,
    /x\.json: it cannot be written \[invalid_registry\]/,
  ],
  [
    "a registry that is of another network",
    ["deploy", ...localnet, "--amount", "1", "--registry", "deployments/testnet.json"],
    wallet,
    2,
    /is of testnet, not of localnet/,
  ],
  [
    "a registry to read that is not there",
    ["pool", "list", "--registry", "/nowhere.json"],
    {},
    2,
    /\/nowhere\.json: it cannot be read/,
  ],
  [
    "a pool that is no address",
    ["pool", "inspect", "native-9", ...localnet],
    {},
    1,
    /native-9 is no address, and no pool of the registry/,
  ],
  [
    "a test address on mainnet",
    ["pool", "inspect", Address.parse(somebody).toString({ testOnly: true }), "--network", "mainnet"],
    {},
    1,
    /for test networks only/,
  ],
];
for (const [what, args, env, expected, says] of refusals) {
  Deno.test(`tonado ${args[0]} refuses ${what}, before anything is asked of a chain`, () =>
    inDirectory(async (dir) => {
      const registry = args[0] === "deploy" && !args.includes("--registry")
        ? ["--registry", `${dir}/r.json`]
        : [];
      const { code, stdout, stderr } = await tonado([...args, ...registry], env);
      assert.match(stderr, says);
      assert.deepEqual([code, stdout], [expected, ""]);
      for (const secret of ["abandon", "hunter2"]) assert.ok(!stderr.includes(secret), stderr);
    }));
}

const pty = await new Deno.Command("script", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);
Deno.test({
  name: "at a terminal tonado deploy asks, and deploys into the working directory's registry",
  ignore: !pty,
  fn: () =>
    inDirectory(async (dir) => {
      const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
      try {
        const [{ mnemonic, version }] = net.wallets;
        const args = [
          "deploy",
          "--network",
          "localnet",
          "--endpoint",
          net.url,
          "--amount",
          "3",
          "--burn-owner",
        ];
        for (
          const [key, code, says] of [["n", 1, /not deployed/], ["y", 0, /Deployed and verified/]] as const
        ) {
          const child = new Deno.Command("script", {
            args: ["-qec", [...fromSources, ...args].join(" "), "/dev/null"],
            cwd: dir,
            env: { TONADO_WALLET_MNEMONIC: mnemonic, TONADO_WALLET_VERSION: version },
            stdin: "piped",
            stdout: "piped",
            signal: AbortSignal.timeout(120_000), // a question that never comes fails here
          }).spawn();
          const keys = child.stdin.getWriter();
          let screen = "";
          let answered = false;
          for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
            screen += text;
            if (
              !answered && screen.includes("Send 2.5 TON to deploy on localnet?") && screen.includes("No")
            ) {
              answered = true;
              await keys.write(new TextEncoder().encode(key));
            }
          }
          await keys.close().catch(() => {});
          assert.equal((await child.status).code, code, screen);
          assert.match(screen, says);
        }
        assert.deepEqual([
          ...(await readRegistry("localnet", `${dir}/deployments/localnet.json`)).pools.keys(),
        ], [
          "native-3",
        ]);
      } finally {
        await net.close();
      }
    }),
});
