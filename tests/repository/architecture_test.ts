/**
 * Imports go one way, so that a reader who opens a folder knows what it can depend on. The module graph is what Deno
 * itself resolves, dynamic imports and type imports included.
 */
import assert from "node:assert/strict";

/** Folder -> folders of ours that it may import, besides itself. */
const mayImport: Record<string, readonly string[]> = {
  core: [],
  config: ["core"],
  telemetry: ["core"],
  ton: ["core", "config", "telemetry"],
  threads: ["core"],
  prover: ["core", "config", "telemetry", "threads"],
  tree: ["core", "threads"],
  store: ["core", "config", "telemetry", "ton"],
  relay: ["core", "config", "telemetry", "ton", "prover", "tree", "store"],
  client: ["core", "config", "telemetry", "ton", "prover", "tree"],
  ops: ["core", "config", "telemetry", "ton", "prover", "store"],
  http: ["core", "config", "telemetry", "relay", "ton", "prover", "store"],
  cli: ["core", "config", "telemetry", "ton", "prover", "store", "relay", "client", "ops", "http"],
  localnet: ["core", "ton", "ops"],
};

/** Adapters: what talks to the outside. Only the composition root, the library's entry, tests and tools import them. */
const adapters = [
  /^src\/ton\/toncenter\.ts$/,
  /^src\/store\/(files|kv|postgres|memory|redis)\//,
  /^src\/(client|ops|cli)\/files\//,
  /^src\/cli\/terminal\//,
];
const mayBuildAdapters = [
  "main.ts",
  "src/mod.ts",
  "src/localnet/localnet.ts", // deploys through its own endpoint, as everybody would
];

/** Folders outside src/ that product code may import, and who may. */
const outside: Record<string, readonly string[]> = {
  "poseidon-wasm": ["core"],
  "prover-wasm": ["prover"],
  "ceremony-wasm": ["ops"],
  artifacts: ["prover", "ton", "ops"],
  assets: ["http"],
  deployments: ["config"],
};

interface Module {
  readonly from: string;
  readonly to: string;
}

const root = new URL("../../", import.meta.url);

async function sources(folder: URL, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory) found.push(...await sources(new URL(`${entry.name}/`, folder), `${path}/`));
    else if (path.endsWith(".ts") && !path.endsWith("_test.ts")) found.push(path);
  }
  return found;
}

/** Every import of the product, from one graph: `deno info` of a file that imports them all. */
async function imports(): Promise<Module[]> {
  const files = ["main.ts", ...await sources(new URL("src/", root), "src/")];
  const entry = await Deno.makeTempFile({ prefix: "tonado-graph-", suffix: ".ts" });
  try {
    await Deno.writeTextFile(entry, files.map((file) => `import "${new URL(file, root).href}";\n`).join(""));
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", new URL("deno.json", root).pathname, entry],
      cwd: root,
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const seen = new Map<string, Module>();
    for (const module of JSON.parse(new TextDecoder().decode(stdout)).modules) {
      if (!module.specifier.startsWith(root.href)) continue;
      const from = module.specifier.slice(root.href.length);
      for (const { code, type } of module.dependencies ?? []) {
        for (const target of [code, type]) {
          if (!target?.specifier?.startsWith(root.href)) continue;
          const to = target.specifier.slice(root.href.length);
          seen.set(`${from} ${to}`, { from, to });
        }
      }
    }
    return [...seen.values()];
  } finally {
    await Deno.remove(entry);
  }
}

const folderOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];
const edges = await imports();

Deno.test("the module graph is read: files of every folder import something", () => {
  for (const folder of ["core", "ton", "relay", "http", "cli"]) {
    assert.ok(edges.some(({ from }) => folderOf(from) === folder), `no import of src/${folder} was seen`);
  }
});

Deno.test("every folder of src/ has its place in the order of imports", () => {
  for (const { from, to } of edges) {
    for (const folder of [folderOf(from), folderOf(to)]) {
      assert.ok(folder === undefined || folder in mayImport, `src/${folder} has no place in the order`);
    }
  }
});

Deno.test("folders import only what lies below them", () => {
  const wrong = edges.filter(({ from, to }) => {
    const [a, b] = [folderOf(from), folderOf(to)];
    return a && b && a !== b && !mayImport[a].includes(b);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("no file imports itself by way of others, for types either", () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (from.startsWith("src/") && to.startsWith("src/")) next.set(from, [...next.get(from) ?? [], to]);
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) return void circles.push([...way.slice(way.indexOf(file)), file].join(" > "));
    if (done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

Deno.test("nothing imports the entry points", () => {
  assert.deepEqual(edges.filter(({ to }) => to === "main.ts" || to === "src/mod.ts"), []);
});

Deno.test("the library's entry exports of the protocol, client, prover and chain only", () => {
  const folders = new Set(edges.filter(({ from }) => from === "src/mod.ts").map(({ to }) => folderOf(to)));
  assert.deepEqual([...folders].sort(), ["client", "core", "prover", "ton"]);
});

Deno.test("only the composition root and the library's entry build adapters", () => {
  const wrong = edges.filter(({ from, to }) =>
    adapters.some((adapter) => adapter.test(to) && !adapter.test(from)) && !mayBuildAdapters.includes(from)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("WASM packages and artifacts are imported by their owners only", () => {
  const wrong = edges.filter(({ from, to }) => {
    const owners = outside[to.split("/")[0]];
    return owners && from.startsWith("src/") && !owners.includes(folderOf(from) ?? "");
  });
  assert.deepEqual(wrong, []);
});

Deno.test("product code imports nothing of tests, tools, docs or GPL packages", () => {
  const wrong = edges.filter(({ from, to }) =>
    /^(src|main)/.test(from) && /^(tests|tools|docs|circuits|contracts)\//.test(to)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("nothing that ships imports snarkjs, circom2 or ffjavascript", async () => {
  for (const file of ["main.ts", "src/mod.ts"]) {
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json", file], cwd: root })
      .output();
    const { npmPackages, modules } = JSON.parse(new TextDecoder().decode(stdout));
    const reached = new Set<string>();
    const reach = (name: string) => {
      if (reached.has(name)) return;
      reached.add(name);
      npmPackages[name].dependencies.forEach(reach);
    };
    for (const { npmPackage } of modules) if (npmPackage) reach(npmPackage);
    const names = [...reached];
    assert.ok(names.some((name) => name.startsWith("@ton/core@")), `the packages of ${file} are seen`);
    assert.deepEqual(
      names.filter((name) => /^(snarkjs|circom2|ffjavascript|circom_runtime|fast-check)@/.test(name)),
      [],
    );
  }
});
