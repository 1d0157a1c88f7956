/**
 * The contents of the app's scripts: no server, no command line, no proving keys, and only the listed
 * addresses.
 */
import assert from "node:assert/strict";
import { runCommand } from "../../../testkit/programs/run_command.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";
import wallets from "../../../src/client/tonconnect/wallets.json" with { type: "json" };

const root = new URL("../../../", import.meta.url);
const scripts = buildScripts();

const FORBIDDEN_PACKAGES = [
  ...["snarkjs", "circom2", "ffjavascript", "circomlibjs", "wasmcurves", "fastfile"],
  ...["commander", "pg", "ioredis", "hono", "@hono", "prom-client", "@clack", "@logtape", "@opentelemetry"],
  ...["@ton/crypto", "@ton/sandbox", "@ton/tolk-js"],
];
/** The word list that passphrases are drawn from. It contains no code. */
const WORD_LIST = "npm:@ton/crypto/dist/mnemonic/wordlist.js";
/** Words that name a format or an example. Nothing connects to them. */
const NAMES = new Set([
  ...["http://www.w3.org", "http://json-schema.org", "https://json-schema.org", "https://relayer.example."],
]);
/** The possible endpoints of a local network. */
const LOCAL = new Set(["http://localhost", "http://127.0.0.1"]);

Deno.test("the app's scripts have no module of a server, the command line or the tests", async () => {
  const { modules } = await scripts;
  assert.ok(modules.has("src/app/main.ts") && modules.has("src/prover/prover_worker.ts"));
  const folders = ["src/cli/", "src/relay/", "src/http/", "src/store/", "src/config/", "src/telemetry/"];
  const wrong = [...modules].filter((path) =>
    path.startsWith("node:") || /^(testkit|tests|tools)\//.test(path) || /_test\.tsx?$/.test(path) ||
    folders.some((folder) => path.startsWith(folder))
  );
  assert.deepEqual(wrong, []);
});

Deno.test("the app's scripts contain no package that only servers, builds or mnemonics need, except the word list", async () => {
  const { modules } = await scripts;
  const wrong = [...modules].filter((path) =>
    path !== WORD_LIST &&
    (FORBIDDEN_PACKAGES.some((name) => path.startsWith(`npm:${name}/`)) || /mnemonic/i.test(path))
  );
  assert.deepEqual(wrong, []);
});

Deno.test("the app's scripts import nothing by a name that a browser cannot resolve", async () => {
  const { files } = await scripts;
  for (const [name, text] of scriptTexts(files)) {
    const imported = [...text.matchAll(/(?:from|import)\s*\(?["']([^"'./][^"']*)["']/g)].map(([, from]) =>
      from
    );
    assert.deepEqual(imported, [], name);
  }
});

Deno.test("the page preloads each part that its first script imports later", async () => {
  const { files } = await scripts;
  const page = new TextDecoder().decode(files.get("index.html"));
  const [, entry] = /<script type="module" src="([^"]+)"/.exec(page)!;
  const text = new TextDecoder().decode(files.get(entry));
  const parts = [...text.matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, name]) => name);
  assert.ok(parts.length >= 4, `${entry} imports ${parts.length} parts`);
  for (const name of parts) assert.match(page, new RegExp(`rel="modulepreload" href="${name}" integrity=`));
});

Deno.test("the app's scripts contain only the pinned hashes of the proving keys", async () => {
  const { files, modules } = await scripts;
  const keys = [...modules].filter((path) => /\.(zkey|ptau)$|vkey\.json$|circuits\//.test(path));
  assert.deepEqual(keys, []);
  for (const [name, text] of scriptTexts(files)) {
    assert.ok(!/vk_alpha_1|vk_gamma_2/.test(stripReaders(text)), name);
  }
});

Deno.test("the app's scripts name no other origin than wallets, bridges and listed names", async () => {
  const { files } = await scripts;
  const listed = new Set([
    ...NAMES,
    ...LOCAL,
    ...wallets.wallets.flatMap(({ bridge, link }) => [bridge, link].map((url) => new URL(url).origin)),
  ]);
  const found = new Set<string>();
  for (const [, text] of scriptTexts(files)) {
    for (const [origin] of text.matchAll(/\b(?:https?|wss?):\/\/[A-Za-z0-9.-]+/g)) found.add(origin);
  }
  assert.deepEqual([...found].filter((origin) => !listed.has(origin)), []);
});

async function buildScripts(): Promise<{
  readonly modules: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, Uint8Array>;
}> {
  return await withTempDirectory(async (directory) => {
    const [output, list] = [`${directory}/app`, `${directory}/modules.json`];
    const args = ["run", "-A", "--no-check", "tools/build/app.ts", "--no-budgets", "--modules", list];
    const { code, stderr } = await runCommand(Deno.execPath(), [...args, "--output", output], { cwd: root });
    assert.equal(code, 0, stderr);
    const files = new Map<string, Uint8Array>();
    for await (const { name, isFile } of Deno.readDir(output)) {
      if (isFile) files.set(name, await Deno.readFile(`${output}/${name}`));
    }
    return { files, modules: new Set<string>(JSON.parse(await Deno.readTextFile(list))) };
  });
}

function scriptTexts(files: ReadonlyMap<string, Uint8Array>): [name: string, text: string][] {
  return [...files].filter(([name]) => name.endsWith(".js"))
    .map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]);
}

/**
 * Removes the parser of keys, which contains the names of their members. A real key has numbers after them.
 */
function stripReaders(text: string): string {
  return [...text.matchAll(/vk_(?:alpha_1|gamma_2)"?:\s*\[+\s*"?\d/g)].map(([match]) => match).join("");
}
