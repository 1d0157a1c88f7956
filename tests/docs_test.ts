/** What the documentation shows is run: each block marked `ts run` is a program, run against a local network. */
import assert from "node:assert/strict";
import { fromSources, start } from "./support/program.ts";

const root = new URL("../", import.meta.url);

async function programs(page: string): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(page, root));
  return [...text.matchAll(/^```ts run\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
}

Deno.test("docs/integrating.md: the program deposits and withdraws as it stands", async () => {
  const [code, ...others] = await programs("docs/integrating.md");
  assert.equal(others.length, 0);
  const localnet = start(fromSources, [
    "localnet",
    "--port",
    "0",
    "--relayer-port",
    "0",
    "--block-time",
    "200",
    "--json",
  ]);
  const file = new URL(`tests/.integrating_${crypto.randomUUID()}.tmp.ts`, root);
  try {
    const { indexer, relayer, wallets } = JSON.parse(await localnet.line());
    const { mnemonic } = wallets.find(({ version }: { version: string }) => version === "v4R2");
    await Deno.writeTextFile(file, code.replace('from "tonado"', 'from "../src/mod.ts"'));
    const program = start([Deno.execPath(), "run", "-A", "--check", file.pathname], [], {
      ENDPOINT: indexer,
      RELAYER: relayer,
      MNEMONIC: mnemonic,
      RECIPIENT: `0:${"77".repeat(32)}`,
    });
    assert.equal(await program.line(), "deposited as leaf 0");
    assert.equal(await program.line(), "withdrawn");
    assert.equal((await program.status).code, 0);
  } finally {
    await Deno.remove(file).catch(() => {});
    await localnet.stop();
  }
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

Deno.test("every task that the documentation names exists", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", root)));
  for (const page of ["README.md", "docs/development.md"]) {
    const text = await Deno.readTextFile(new URL(page, root));
    for (const [, task] of text.matchAll(/deno(?:@[\d.]+)? task ([a-z][a-z:]*)/g)) {
      assert.ok(task in tasks, `${page} names the task ${task}`);
    }
  }
});
