/**
 * Tests that the compiled binary is reproducible and works with its embedded workers, WebAssembly, keys and
 * registries only. Skipped if there is no runtime to embed.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { circuitsOfVersion } from "../../src/core/crypto/groth16.ts";
import { startLocalnet } from "../../src/localnet/localnet.ts";
import metadata from "../../deno.json" with { type: "json" };
import { openKvStore } from "../../src/store/kv/kv_store.ts";
import { freePort, startProgram } from "../../testkit/programs/program.ts";
import { insecurePowersOfTau } from "../../src/ops/ceremony/rehearsal/insecure_powers.ts";
import { TINY_POWER, tinyR1cs } from "../../src/ops/ceremony/rehearsal/tiny_circuits.ts";
import { generateDepositRows } from "../../testkit/relayer/deposit_rows.ts";
import { COLOUR, CTRL_C, lacksTerminal, openTerminal } from "../support/cli/terminal.ts";
import { waitUntil } from "../../testkit/programs/wait_until.ts";
import { canCompile, compile, copySources, hasBinary, output } from "./binary.ts";
import { disposable, openWorkspace, relayerSettings, type Workspace } from "./workspace.ts";

const ignore = !await hasBinary();
const workspace: Workspace = ignore ? undefined! : await openWorkspace();
const { directory, binary } = workspace ?? {};

Deno.test({
  name: "compiled: the checksum matches, and another folder and --target produce the same bytes",
  ignore: ignore || !await canCompile(),
  async fn() {
    const { code, stdout } = await output(["sha256sum", "-c", "SHA256SUMS"], {}, `${directory}/dist`);
    assert.deepEqual([code, stdout], [0, "tonado: OK\n"]);
    const [sum] = (await Deno.readTextFile(`${directory}/dist/SHA256SUMS`)).split(" ");
    const odd = `${directory}/an odd folder/below`;
    await copySources(odd);
    const again = await compile(`${odd}/dist/other`, odd, ["--target", Deno.build.target]);
    assert.equal(again, sum);
  },
});

Deno.test({
  name: "compiled: --version --verbose prints the runtime's requirements and the embedded files",
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
    // The first pages of an ELF file contain the names of the symbol versions that it needs.
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
  name: "compiled: the app is embedded, and each of its bytes is that of its checksums",
  ignore,
  async fn() {
    const app = startProgram([binary], ["app", "--port", "0", "--json"], {});
    try {
      const { url, hash } = JSON.parse(await app.nextLine());
      const sums = await (await fetch(`${url}SHA256SUMS`)).text();
      assert.equal(createHash("sha256").update(sums).digest("hex"), hash);
      for (const line of sums.trim().split("\n")) {
        const [sum, name] = line.split("  ");
        const bytes = new Uint8Array(await (await fetch(url + name)).arrayBuffer());
        assert.equal(createHash("sha256").update(bytes).digest("hex"), sum, name);
      }
    } finally {
      await app.stop();
    }
  },
});

Deno.test({
  name: "compiled: the binary hashes a stored tree on its embedded workers",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const dataDir = `${directory}/stored`;
    const count = 600;
    const store = await openKvStore(dataDir);
    await store.restore(generateDepositRows({
      pool: localnet.deployments.pools.get("native-1")!.address.toRawString(),
      wallet: localnet.relayer.address.toRawString(),
      commitments: Array.from({ length: count }, (_, i) => BigInt(i)),
      cursor: { lt: 1n, hash: "01".repeat(32) },
    }));
    await store.close();
    const port = freePort();
    const settings = { ...await relayerSettings(workspace, localnet, port), RELAYER_DATA_DIR: dataDir };
    const relayer = startProgram([binary], ["serve"], settings);
    await relayer.nextLine();
    // These deposits are not on the chain, so the pool is not offered. They are in the tree before that is noticed.
    await waitUntil("the stored leaves are in the tree", async () => {
      const { pools } = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
      return pools["native-1"].leaves === count;
    });
    assert.equal((await relayer.stop()).code, 0);
  },
});

Deno.test({
  name: "compiled: no code is cached where other users of the machine could place their own",
  ignore,
  async fn() {
    await using localnet = disposable(await startLocalnet({ blockTimeMs: 200 }));
    const shared = `${directory}/shared`;
    await Deno.mkdir(shared);
    const settings = await relayerSettings(workspace, localnet, freePort());
    const relayer = startProgram([binary], ["serve"], { ...settings, TMPDIR: shared });
    await relayer.nextLine();
    assert.equal((await relayer.stop()).code, 0);
    assert.deepEqual([...Deno.readDirSync(shared)], []);
  },
});

for (const [name, value] of [["NO_COLOR", "1"], ["TERM", "dumb"]]) {
  Deno.test({
    name: `compiled: with ${name}=${value} its questions have no colours`,
    ignore: ignore || lacksTerminal,
    async fn() {
      const env = { TONADO_NOTES: `${directory}/asked.age`, [name]: value };
      const terminal = openTerminal([binary, "note", "restore"], { env });
      await terminal.waitFor(/The note, tonado-.*/);
      await terminal.type(CTRL_C);
      assert.equal((await terminal.waitForExit()).code, 130, terminal.screen);
      assert.doesNotMatch(terminal.screen, COLOUR);
    },
  });
}

Deno.test({
  name: "compiled: a ceremony is begun, contributed to and verified on the binary's embedded workers",
  ignore,
  async fn() {
    const at = (name: string) => `${directory}/ceremony/${name}`;
    await Deno.mkdir(at(""), { recursive: true });
    await Deno.writeFile(at("powers.ptau"), insecurePowersOfTau(TINY_POWER));
    await Deno.writeTextFile(at("dice"), "4 1 6 2");
    for (const circuit of circuitsOfVersion[1]) {
      await Deno.writeFile(at(`${circuit}.r1cs`), tinyR1cs(circuit));
    }
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
  ignore,
  fn: () => workspace.remove(),
});
