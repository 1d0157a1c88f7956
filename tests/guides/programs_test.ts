/**
 * Runs the documentation's programs, marked `js run NAME` and `ts run`, unchanged on one local network, on Deno and
 * with their types checked. tests/guides/newcomer.sh runs some of them on Node as well.
 */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import {
  connect,
  createNote,
  createProver,
  depositNative,
  formatNote,
  openWallet,
  parseNote,
  Pool,
  Secret,
} from "../../src/mod.ts";
import { deployPool } from "../../src/ops/deploy/deploy.ts";
import { type CodeBlock, findCodeBlock, readCodeBlocks } from "../support/docs/code_blocks.ts";
import { sourceCommand, startProgram } from "../../testkit/programs/program.ts";
import { childCommand } from "../../testkit/programs/child_command.ts";

const root = new URL("../../", import.meta.url);
const network = "localnet";

/** Starts a localnet, and opens a wallet that pays. */
async function openScene() {
  await using stack = new AsyncDisposableStack();
  const args = ["localnet", "--port", "0", "--relayer-port", "0", "--block-time", "200", "--json"];
  const localnet = startProgram(sourceCommand(), args);
  stack.defer(async () => {
    await localnet.stop();
    for (const file of files) await Deno.remove(file);
  });
  const { indexer, relayer, wallets, pools, jetton } = JSON.parse(await localnet.nextLine());
  const { mnemonic } = wallets.find(({ version }: { version: string }) => version === "v4R2");
  const oldPool = pools["native-1"].address;
  const env = {
    ENDPOINT: indexer,
    RELAYER: relayer,
    MNEMONIC: mnemonic,
    RECIPIENT: `0:${"77".repeat(32)}`,
  };
  const open = stack.move();
  return {
    env,
    jetton,
    oldPool,
    relayer,
    indexer,
    mnemonic,
    pools,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

Deno.test("the documentation's programs run unchanged", async (t) => {
  await using scene = await openScene();
  await runsIntegration(t, scene);
  await movesNote(t, scene);
  await runsReadmes(t, scene);
});

async function runsIntegration(t: Deno.TestContext, { env, jetton, oldPool, relayer }: Scene): Promise<void> {
  await t.step("docs/integrating.md: a deposit and a withdrawal of coins", async () => {
    const lines = await runProgram(await program("docs/integrating.md", "coins.mjs"), env);
    assert.deepEqual(lines, ["deposited as leaf 0", "withdrawn"]);
  });

  await t.step("docs/integrating.md: a deposit and a withdrawal of jettons", async () => {
    const code = await program("docs/integrating.md", "jettons.mjs");
    const lines = await runProgram(code, { ...env, JETTON_MASTER: jetton.master });
    assert.deepEqual(lines, ["deposited as leaf 0", "withdrawn"]);
  });

  await t.step(
    "docs/integrating.md: a withdrawal through the second relayer while the first is down",
    async () => {
      const code = await program("docs/integrating.md", "several.mjs");
      const lines = await runProgram(code, {
        ...env,
        POOL: oldPool,
        RELAYERS: `http://127.0.0.1:1 ${relayer}`,
      });
      assert.equal(lines.length, 1);
      assert.match(lines[0], new RegExp(`^${relayer} paid in [0-9a-f]{64}$`));
    },
  );
}

async function movesNote(t: Deno.TestContext, { indexer, mnemonic, oldPool, env }: Scene): Promise<void> {
  const chain = connect({ endpoint: indexer });
  const wallet = await openWallet(new Secret(mnemonic), { version: "v4R2", network, chain });
  const note = createNote({ asset: "native", amount: "1", network });

  await t.step("docs/migration.md: a note moves from a pool to its successor", async () => {
    const successor = await deployPool({
      chain,
      wallet,
      network,
      asset: "native",
      amount: "1",
      owner: null,
      generation: 1,
    });
    const prover = await createProver();
    const pool = new Pool(chain, Address.parse(oldPool));
    await depositNative({ chain, pool, network, wallet, note, prover });
    prover.close();
    const [withdrawn, moved, deposited] = await runProgram(await program("docs/migration.md", "move.mjs"), {
      ...env,
      NOTE: formatNote(note),
      OLD_POOL: oldPool,
      NEW_POOL: successor.address.toRawString(),
    });
    assert.equal(withdrawn, "withdrawn from the old pool");
    assert.equal(deposited, "deposited as leaf 0 of the new pool");
    const { commitment } = parseNote(moved);
    assert.equal(await new Pool(chain, successor.address).getIsDeposited(commitment), true);
  });

  await t.step("docs/compliance.md: a report of that withdrawal is made, and verifies", async () => {
    const code = await program("docs/compliance.md", "report.mjs");
    assert.deepEqual(await runProgram(code, { ...env, POOL: oldPool, NOTE: formatNote(note) }), ["holds"]);
  });
}

async function runsReadmes(
  t: Deno.TestContext,
  { indexer, pools, mnemonic, env, relayer }: Scene,
): Promise<void> {
  await t.step("README.md: the excerpt of a program, completed with its imports and set-up", async () => {
    const { text } = await findCodeBlock("README.md", "const note = createNote(");
    const named = [...new Set(text.match(/\b(?:[a-z]\w*(?=\()|RelayerClient)/g))]
      .filter((name) => !text.includes(`.${name}(`));
    const before = [
      `import { Address } from "@ton/core";`,
      `import { connect, createProver, openWallet, Pool, Secret, ${named.join(", ")} } from "tonado";`,
      `const chain = connect({ endpoint: ${JSON.stringify(indexer)} });`,
      `const pool = new Pool(chain, Address.parse(${JSON.stringify(pools["native-10"].address)}));`,
      `const mnemonic = new Secret(${JSON.stringify(mnemonic)});`,
      `const wallet = await openWallet(mnemonic, { version: "v4R2", network: "localnet", chain });`,
      `const prover = await createProver();`,
      `const recipient = Address.parse(${JSON.stringify(env.RECIPIENT)});`,
    ];
    const here = text.replaceAll('"testnet"', '"localnet"').replace("https://relayer.example", relayer);
    const after = [
      "prover.close();",
      "console.log((await relayer.withdrawalStatus(pool.address, note.nullifierHash)).state);",
    ];
    const [state] = await runProgram([...before, here, ...after].join("\n"), {});
    assert.match(state, /^(accepted|broadcast|confirmed)$/);
  });

  await t.step("tools/npm/README.md: a note, in the form to store", async () => {
    const [stored] = await runProgram(await program("tools/npm/README.md", "note.mjs"), {});
    assert.equal(parseNote(stored).network, "testnet");
  });

  await t.step("the programs type-check", () => deno(["check", ...files]).then(() => {}));
}

/** Returns the program of a page that is marked `js run` with this name. */
async function program(page: string, name: string): Promise<string> {
  const found: CodeBlock[] = (await readCodeBlocks([page])).filter(({ info }) => info === `js run ${name}`);
  assert.equal(found.length, 1, `${page}: ${name}`);
  return found[0].text;
}

/** The executed programs, whose types are checked together. */
const files: string[] = [];

/** Runs a program, which must succeed, and returns its lines. */
async function runProgram(code: string, env: Record<string, string>): Promise<string[]> {
  const { pathname } = new URL(`tests/.program_${crypto.randomUUID()}.tmp.ts`, root);
  await Deno.writeTextFile(pathname, code.replace('from "tonado"', 'from "../src/mod.ts"'));
  files.push(pathname);
  return (await deno(["run", "-A", "--no-check", pathname], env)).trimEnd().split("\n");
}

/** Runs Deno, which must succeed, and returns its standard output. */
async function deno(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await childCommand(Deno.execPath(), { args, env, stdin: "null" })
    .output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
