/** What the documentation shows is run: each block marked `ts run` is a program, run against a local network. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { run } from "../src/cli/program.ts";
import type { Wiring } from "../src/cli/wiring.ts";
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
} from "../src/mod.ts";
import { deployPool } from "../src/ops/deploy.ts";
import { fromSources, start } from "./support/program.ts";

const root = new URL("../", import.meta.url);

async function programs(page: string): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(page, root));
  return [...text.matchAll(/^```ts run\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
}

/** What a page's program is run against: a local network, whose first line says where everything is. */
async function onLocalnet(
  test: (
    net: {
      indexer: string;
      relayer: string;
      mnemonic: string;
      pools: Record<string, { address: string }>;
      jetton: { master: string };
    },
  ) => Promise<void>,
): Promise<void> {
  const args = ["localnet", "--port", "0", "--relayer-port", "0", "--block-time", "200", "--json"];
  const localnet = start(fromSources, args);
  try {
    const { indexer, relayer, wallets, pools, jetton } = JSON.parse(await localnet.line());
    const { mnemonic } = wallets.find(({ version }: { version: string }) => version === "v4R2");
    await test({ indexer, relayer, mnemonic, pools, jetton });
  } finally {
    await localnet.stop();
  }
}

/** Runs a page's program, which must end with 0, and gives its lines to `read`. */
async function runProgram(
  code: string,
  env: Record<string, string>,
  read: (line: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const file = new URL(`tests/.program_${crypto.randomUUID()}.tmp.ts`, root);
  try {
    await Deno.writeTextFile(file, code.replace('from "tonado"', 'from "../src/mod.ts"'));
    const program = start([Deno.execPath(), "run", "-A", "--check", file.pathname], [], env);
    await read(() => program.line());
    assert.equal((await program.status).code, 0);
  } finally {
    await Deno.remove(file).catch(() => {});
  }
}

Deno.test("docs/integrating.md: both programs, of coins and of jettons, deposit and withdraw as they stand", (t) =>
  onLocalnet(async ({ indexer, relayer, mnemonic, jetton }) => {
    const codes = await programs("docs/integrating.md");
    assert.equal(codes.length, 2);
    const env = {
      ENDPOINT: indexer,
      RELAYER: relayer,
      MNEMONIC: mnemonic,
      RECIPIENT: `0:${"77".repeat(32)}`,
      JETTON_MASTER: jetton.master,
    };
    for (const [i, deposit] of ["depositNative", "depositJetton"].entries()) {
      await t.step(deposit, async () => {
        assert.ok(codes[i].includes(deposit));
        await runProgram(codes[i], env, async (line) => {
          assert.equal(await line(), "deposited as leaf 0");
          assert.equal(await line(), "withdrawn");
        });
      });
    }
  }));

Deno.test("docs/migration.md: the program moves a note from a pool to its successor as it stands", () =>
  onLocalnet(async ({ indexer, relayer, mnemonic, pools }) => {
    const [code, ...others] = await programs("docs/migration.md");
    assert.equal(others.length, 0);
    const network = "localnet";
    const chain = connect({ endpoint: indexer });
    const wallet = await openWallet(new Secret(mnemonic), { version: "v4R2", network, chain });
    const successor = await deployPool({
      chain,
      wallet,
      network,
      asset: "native",
      amount: "1",
      owner: null,
      generation: 1,
    });
    const pool = new Pool(chain, Address.parse(pools["native-1"].address));
    const note = createNote({ asset: "native", amount: "1", network });
    const prover = await createProver();
    await depositNative({ chain, pool, network, wallet, note, prover });
    prover.close();
    const env = {
      ...{ ENDPOINT: indexer, RELAYER: relayer, MNEMONIC: mnemonic, NOTE: formatNote(note) },
      ...{ OLD_POOL: pools["native-1"].address, NEW_POOL: successor.address.toRawString() },
    };
    await runProgram(code, env, async (line) => {
      assert.equal(await line(), "withdrawn from the old pool");
      const moved = parseNote(await line());
      assert.equal(await line(), "deposited as leaf 0 of the new pool");
      assert.equal(await new Pool(chain, successor.address).getIsDeposited(moved.commitment), true);
    });
  }));

Deno.test("every command that the documentation shows exists, with every flag that it shows", async () => {
  const help = async (command: readonly string[]) => {
    let text = "";
    const silent = { isTerminal: false, columns: 80, write: (more: string) => void (text += more) };
    await run([...command, "--help"], "0", { env: {}, stdout: silent, stderr: silent } as unknown as Wiring);
    return text;
  };
  const groups = ["pool", "note", "wallet", "store"];
  let shown = 0;
  for (
    const page of ["README.md", "docs/using.md", "docs/operating.md", "docs/migration.md", "docs/security.md"]
  ) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, line] of text.replaceAll("\\\n", " ").matchAll(/^ *(?:[A-Z_]+=\S+ )*tonado (.+)$/gm)) {
      const words = line.split(/ +/);
      const command = words.slice(0, groups.includes(words[0]) ? 2 : 1);
      const usage = await help(command);
      assert.match(usage, new RegExp(`^Usage: tonado ${command.join(" ")}`), `${page}: tonado ${line}`);
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        assert.match(usage, new RegExp(`${flag}\\b`), `${page}: tonado ${line}`);
      }
      shown++;
    }
  }
  assert.ok(shown >= 6, String(shown));
});

Deno.test("README.md and docs/ link to files that exist", async () => {
  const pages = ["README.md", "SECURITY.md", "CHANGELOG.md"];
  for await (const { name } of Deno.readDir(new URL("docs/", root))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  for (const page of pages) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      await assert.doesNotReject(
        Deno.stat(new URL(target, new URL(page, root))),
        `${page} links to ${target}`,
      );
    }
  }
});

Deno.test("every test that the documentation names exists, and has the title that it quotes", async () => {
  let named = 0;
  for await (const { name: page } of Deno.readDir(new URL("docs/", root))) {
    if (!page.endsWith(".md")) continue;
    const text = (await Deno.readTextFile(new URL(`docs/${page}`, root))).replaceAll(/\s+/g, " ");
    for (
      const [, file, title] of text.matchAll(/`((?:src|tests|tools)\/[\w/]+_test\.ts)`(?:: "([^"]+)")?/g)
    ) {
      const source = await Deno.readTextFile(new URL(file, root));
      if (title) assert.ok(source.includes(title), `docs/${page}: ${file} has no "${title}"`);
      named++;
    }
  }
  assert.ok(named > 30);
});

Deno.test("every task that the documentation names exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  for (const page of ["README.md", "docs/development.md", "docs/circuits.md", "circuits/README.md"]) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, task] of text.matchAll(/deno(?:@[\d.]+)? task ([a-z][a-z:]*)/g)) {
      assert.ok(task in tasks, `${page} names the task ${task}`);
    }
  }
});
