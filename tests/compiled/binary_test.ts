/**
 * The compiled binary as operators and depositors run it: from its own embedded workers, WASM, keys and pages. One binary
 * and one local network serve all of it. Skipped where no runtime to embed can be had.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { circuits } from "../../src/core/groth16.ts";
import { formatDeployments } from "../../src/core/deployments.ts";
import { type Localnet, startLocalnet } from "../../src/localnet/localnet.ts";
import { connect } from "../../src/mod.ts";
import metadata from "../../deno.json" with { type: "json" };
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { freePort, type Program, start } from "../support/program.ts";
import { freshDatabase, postgresServer, redisServer } from "../support/services.ts";
import { knownPowers } from "../support/known_powers.ts";
import { POWER, tinyR1cs } from "../support/tiny_ceremony.ts";
import { storedDeposits } from "../support/stored_deposits.ts";
import { until } from "../support/until.ts";
import { canCompile, canConfine, compile, confined, copySources, output } from "./binary.ts";

const ignore = !await canCompile();
const directory = await Deno.makeTempDir({ prefix: "tonado-compiled-" });
const binary = `${directory}/bin/tonado`;
/** The only folder that a confined program may write to. */
const home = `${directory}/home`;
let sum = "";

Deno.test({
  name:
    "compiled: the binary has its checksum beside it, and another folder and --target make the same bytes",
  ignore,
  async fn() {
    sum = await compile(binary);
    const { code, stdout } = await output(["sha256sum", "-c", "SHA256SUMS"], {}, `${directory}/bin`);
    assert.deepEqual([code, stdout], [0, "tonado: OK\n"]);
    const odd = `${directory}/an odd folder/below`;
    await copySources(odd);
    const again = await compile(`${odd}/dist/other`, odd, ["--target", Deno.build.target]);
    assert.equal(again, sum);
  },
});

Deno.test({
  name: "compiled: --version --verbose says what the runtime asks of the system, and what is embedded",
  ignore,
  async fn() {
    assert.equal((await output([binary, "--version"])).stdout.trim(), metadata.version);
    const { stdout } = await output([binary, "--version", "--verbose"]);
    assert.match(stdout, /^runtime +Deno \S+, V8 \S+, embedded$/m);
    assert.match(stdout, new RegExp(`^target +${Deno.build.target}$`, "m"));
    const { files } = JSON.parse(
      await Deno.readTextFile(new URL("../../artifacts/pins.json", import.meta.url)),
    );
    for (const circuit of ["withdraw", "deposit"]) assert.ok(stdout.includes(files[`${circuit}.vkey.json`]));
    if (Deno.build.os !== "linux") return;
    // The names of the symbol versions that an ELF file asks for stand in its first pages.
    const head = new TextDecoder("latin1").decode((await Deno.readFile(binary)).subarray(0, 1 << 18));
    const minors = [...head.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    assert.match(stdout, new RegExp(`^needs +glibc 2\\.${Math.max(...minors)} or newer, libgcc_s`, "m"));
  },
});

Deno.test({
  name: "compiled: the release's registries are embedded, and read",
  ignore,
  async fn() {
    for (const network of ["mainnet", "testnet"]) {
      const { code, stdout, stderr } = await output([binary, "pool", "list", "--json", "--network", network]);
      assert.equal(code, 0, stderr);
      const release = await Deno.readTextFile(new URL(`../../deployments/${network}.json`, import.meta.url));
      assert.equal(JSON.parse(stdout).pools.length, Object.keys(JSON.parse(release).pools).length);
    }
  },
});

Deno.test({
  name: "compiled: what a confined program cannot write to, it cannot",
  ignore: ignore || !await canConfine(),
  async fn() {
    await prepareHome();
    const open = `${directory}/open`;
    await Deno.writeTextFile(open, "");
    await Deno.chmod(open, 0o666);
    const { code, stderr } = await output(confined(home, ["touch", open]));
    assert.deepEqual([code, /Read-only file system/.test(stderr)], [1, true]);
    assert.equal((await output(confined(home, ["touch", `${home}/may`]))).code, 0);
    const { stdout } = await output(confined(home, ["id", "-u"]));
    assert.equal(
      stdout === "0\n",
      Deno.uid() !== 0,
      "who is not root is shown as root in a space of its own",
    );
  },
});

Deno.test({
  name: "compiled, confined: serve on KV, deposit, withdraw, both ends killed on the way and started again",
  ignore: ignore || !await canConfine(),
  async fn() {
    await prepareHome();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 500 }));
    const { at, env } = await depositor(localnet);
    const port = freePort();
    const settings = await relayerSettings(localnet, port);
    const url = `http://127.0.0.1:${port}`;
    const serve = () => startConfined(["serve"], settings);
    let relayer = serve();
    try {
      assert.match(await relayer.line(), new RegExp(`listens on ${url}$`));
      const live = await output([binary, "status", "--live"], { RELAYER_PORT: String(port) });
      assert.deepEqual([live.code, live.stdout], [0, `${url} lives\n`]);
      await pageIsEmbedded(url);

      const recipient = Address.parse(`0:${"5a".repeat(32)}`);
      const deposit = ["deposit", "native-1", ...at, "--mnemonic-file", `${home}/words`, "--yes"];
      const deposited = await output(confined(home, [binary, ...deposit, "--json"]), env);
      assert.equal(deposited.code, 0, deposited.stderr);
      await until("the deposit is served", async () => await leaves(url, localnet) === 1);

      const id = (await output([binary, "note", "show", "--json"], env)).stdout.match(/"id":"(\w+)"/)![1];
      const withdraw = [
        "withdraw",
        id,
        ...at,
        "--to",
        recipient.toString(),
        "--relayer",
        url,
        "--yes",
        "--json",
      ];
      const withdrawing = startConfined(withdraw, env);
      while (JSON.parse(await withdrawing.line()).event !== "status");
      await Promise.all([killed(relayer), killed(withdrawing)]);
      relayer = serve();
      await until("the restarted relayer is ready", () => ready(url));
      const resumed = await output(confined(home, [binary, ...withdraw]), env);
      assert.equal(resumed.code, 0, resumed.stderr);
      const chain = connect({ endpoint: localnet.url });
      assert.equal((await chain.account(recipient)).balance, 950_000_000n);
      assert.equal((await relayer.stop()).code, 0, "SIGTERM ends it in good order");
    } finally {
      await killed(relayer);
    }
    const dead = await output([binary, "status", "--live", url]);
    assert.deepEqual([dead.code, dead.stderr.includes("relayer_unavailable")], [3, true]);
  },
});

Deno.test({
  name: "compiled: the binary hashes a stored tree on its embedded workers",
  ignore,
  async fn() {
    await prepareHome();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const dataDir = `${directory}/stored`;
    const count = 600;
    const store = await openKvStore(dataDir);
    await store.restore(storedDeposits({
      pool: localnet.deployments.pools.get("native-1")!.address.toRawString(),
      wallet: localnet.relayer.address.toRawString(),
      commitments: Array.from({ length: count }, (_, i) => BigInt(i)),
      cursor: { lt: 1n, hash: "01".repeat(32) },
    }));
    await store.close();
    const port = freePort();
    const settings = { ...await relayerSettings(localnet, port), RELAYER_DATA_DIR: dataDir };
    const relayer = start([binary], ["serve"], settings);
    await relayer.line();
    // Nobody deposited these on chain, so the pool is not offered; but they are in the tree before that is seen.
    await until("the stored leaves are in the tree", async () => {
      const { pools } = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
      return pools["native-1"].leaves === count;
    });
    assert.equal((await relayer.stop()).code, 0);
  },
});

Deno.test({
  name: "compiled: a ceremony is begun, contributed to and verified on the binary's embedded workers",
  ignore,
  async fn() {
    const at = (name: string) => `${directory}/ceremony/${name}`;
    await Deno.mkdir(at(""), { recursive: true });
    await Deno.writeFile(at("powers.ptau"), knownPowers(POWER));
    await Deno.writeTextFile(at("dice"), "4 1 6 2");
    for (const circuit of circuits) await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
    const origin = ["--powers", at("powers.ptau"), "--circuits", at("")];
    const steps = [
      ["init", at("c"), ...origin],
      ["contribute", at("c"), "--name", "Alice", "--entropy-file", at("dice")],
      ["verify", at("c"), ...origin],
    ];
    for (const step of steps) {
      const { code, stderr } = await output([binary, "ceremony", ...step]);
      assert.equal(code, 0, `${step[0]}: ${stderr}`);
    }
  },
});

Deno.test({
  name: "compiled: serve on PostgreSQL and Redis gets ready, and leaves a sound store",
  ignore: ignore || !await postgresServer() || !await redisServer(),
  async fn() {
    await prepareHome();
    await using database = await freshDatabase();
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const env = { DATABASE_URL: database.url };
    const migrated = JSON.parse((await output([binary, "store", "migrate", "--json"], env)).stdout);
    assert.deepEqual([migrated.found, migrated.now > 0], [0, true]);
    const [port, metricsPort] = [freePort(), freePort()];
    const relayer = start([binary], ["serve"], {
      ...await relayerSettings(localnet, port),
      ...env,
      CACHE_URL: (await redisServer())!,
      RELAYER_HOST: "0.0.0.0",
      RELAYER_METRICS_HOST: "0.0.0.0",
      RELAYER_METRICS_PORT: String(metricsPort),
    });
    try {
      await relayer.line();
      const url = `http://127.0.0.1:${port}`;
      await until("it is ready", () => ready(url));
      const { dependencies } = await (await fetch(`${url}/readyz`)).json();
      assert.deepEqual([dependencies.store.state, dependencies.cache.state], ["ok", "ok"]);
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      assert.match(metrics, /^tonado_leads 1$/m);
      const health = ["status", "--live", "--quiet"]; // as the container's HEALTHCHECK asks, with its environment
      const asked = { RELAYER_HOST: "0.0.0.0", RELAYER_PORT: String(port) };
      assert.deepEqual(await output([binary, ...health], asked), { code: 0, stdout: "", stderr: "" });
      assert.equal((await relayer.stop()).code, 0);
    } finally {
      await killed(relayer);
    }
    assert.equal(JSON.parse((await output([binary, "store", "check", "--json"], env)).stdout).sound, true);
  },
});

Deno.test({
  name: "compiled: a wrong configuration starts nothing, lists every fault and ends with 2",
  ignore,
  async fn() {
    const { code, stderr } = await output([binary, "serve"], {
      RELAYER_PORT: "many",
      RELAYER_FEE_BPS: "-1",
      DATABASE_URL: "x",
      RELAYER_DATA_DIR: directory,
    });
    for (const name of ["RELAYER_WALLET_MNEMONIC", "RELAYER_PORT", "RELAYER_FEE_BPS", "DATABASE_URL"]) {
      assert.ok(stderr.includes(name), `${name} is named in: ${stderr}`);
    }
    assert.equal(code, 2);
  },
});

Deno.test({
  name: "compiled: leaves nothing behind",
  fn: () => Deno.remove(directory, { recursive: true }),
});

/** A folder that nobody owns, as far as this user may give it away. */
async function prepareHome(): Promise<void> {
  await Deno.chmod(directory, 0o755);
  await Deno.mkdir(home, { recursive: true });
  if (Deno.uid() === 0) await Deno.chown(home, 65534, 65534);
}

function startConfined(args: readonly string[], env: Record<string, string>): Program {
  const [program, ...rest] = confined(home, [binary, ...args]);
  return start([program], rest, env);
}

async function relayerSettings(localnet: Localnet, port: number): Promise<Record<string, string>> {
  const registry = `${directory}/localnet.json`;
  await Deno.writeTextFile(registry, formatDeployments(localnet.deployments));
  const mnemonic = `${home}/mnemonic`;
  await Deno.writeTextFile(mnemonic, localnet.relayer.mnemonic);
  return {
    RELAYER_NETWORK: "localnet",
    RELAYER_WALLET_MNEMONIC_FILE: mnemonic,
    RELAYER_WALLET_VERSION: localnet.relayer.version,
    RELAYER_DEPLOYMENTS: registry,
    RELAYER_DATA_DIR: `${home}/data`,
    RELAYER_PORT: String(port),
    INDEXER_URL: localnet.url,
  };
}

/** Flags that name the network, and a note store of one's own. */
async function depositor(localnet: Localnet) {
  const [{ mnemonic, version }] = localnet.wallets;
  await Deno.writeTextFile(`${home}/words`, mnemonic);
  const registry = `${directory}/localnet.json`;
  return {
    at: ["--network", "localnet", "--endpoint", localnet.url, "--registry", registry],
    env: {
      TONADO_NOTES: `${home}/notes.age`,
      TONADO_PASSPHRASE: "correct horse battery",
      TONADO_WALLET_VERSION: version,
    },
  };
}

async function killed(program: Program): Promise<void> {
  try {
    program.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it has ended by itself
  }
  await program.status;
}

async function pageIsEmbedded(url: string): Promise<void> {
  const script = await fetch(`${url}/docs/swagger-ui.js`);
  assert.ok(script.ok && (await script.text()).includes("SwaggerUIBundle"), "the page of /docs is embedded");
}

async function leaves(url: string, { deployments }: Localnet): Promise<number> {
  const pool = deployments.pools.get("native-1")!.address.toString();
  const answer = await fetch(`${url}/tree/commitments?pool=${pool}`);
  return (await answer.json()).count ?? 0;
}

async function ready(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

function disposable<T extends { close(): Promise<void> }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: () => resource.close() });
}
