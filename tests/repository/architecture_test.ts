/**
 * Tests the import rules of docs/architecture.md on the module graph that `deno info` reports, with type imports and
 * dynamic imports.
 */
import assert from "node:assert/strict";
import { runCommand } from "../../testkit/programs/run_command.ts";
import { listRepositoryFiles } from "../support/docs/repository_files.ts";

/** The folders of src/ that each folder may import, besides itself. */
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
  ops: ["core", "config", "telemetry", "ton", "prover", "store", "threads"],
  http: ["core", "config", "telemetry", "relay", "ton", "prover", "store"],
  cli: ["core", "config", "telemetry", "ton", "prover", "store", "relay", "client", "ops", "http"],
  localnet: ["core", "ton", "ops"],
  app: ["core", "client", "ton", "prover", "tree", "threads"],
};

/** Adapters do the I/O. Only the files in `mayBuildAdapters`, tests and tools import them. */
const adapters = [
  /^src\/ton\/endpoint\/toncenter\.ts$/,
  /^src\/store\/(files|kv|postgres|memory|redis)\//,
  /^src\/(client\/notes|ops\/ceremony|cli)\/files\//,
  /^src\/cli\/terminal\//,
];
const mayBuildAdapters = [
  "main.ts",
  "src/mod.ts",
  "src/localnet/localnet.ts", // deploys its pools through its own endpoint
  "src/app/shell/start.tsx",
];

/** Folders outside src/ that the product imports, and the folders of src/ that may import each. */
const outside: Record<string, readonly string[]> = {
  "poseidon-wasm": ["core"],
  "prover-wasm": ["prover"],
  "ceremony-wasm": ["ops"],
  artifacts: ["prover", "ton", "ops"],
  assets: ["http"],
  deployments: ["config"],
};

interface ImportEdge {
  readonly from: string;
  readonly to: string;
}

const root = new URL("../../", import.meta.url);

/** Returns the edges of the module graph, type imports and literal dynamic imports included. */
async function readImports(files: readonly string[]): Promise<ImportEdge[]> {
  const entry = await Deno.makeTempFile({ prefix: "tonado-graph-", suffix: ".ts" });
  try {
    await Deno.writeTextFile(entry, files.map((file) => `import "${new URL(file, root).href}";\n`).join(""));
    const { code, stdout, stderr } = await runCommand(Deno.execPath(), [
      ...["info", "--json", "--config", new URL("deno.json", root).pathname, entry],
    ], { cwd: root });
    assert.equal(code, 0, stderr);
    const edges = new Map<string, ImportEdge>();
    for (const module of JSON.parse(stdout).modules) {
      if (!module.specifier.startsWith(root.href)) continue;
      const from = module.specifier.slice(root.href.length);
      for (const { code, type } of module.dependencies ?? []) {
        for (const target of [code, type]) {
          if (!target?.specifier?.startsWith(root.href)) continue;
          const to = target.specifier.slice(root.href.length);
          edges.set(`${from} ${to}`, { from, to });
        }
      }
    }
    return [...edges.values()];
  } finally {
    await Deno.remove(entry);
  }
}

/** Returns the modules that a file names with `new URL("x.ts", import.meta.url)`, which the module graph does not show. */
async function readUrlReferences(files: readonly string[]): Promise<ImportEdge[]> {
  const edges = await Promise.all(files.map(async (from) => {
    const source = await Deno.readTextFile(new URL(from, root));
    return [...source.matchAll(/new URL\(\s*["`]([^"`]+\.[cm]?[jt]s)["`],\s*import\.meta\.url/g)]
      .map(([, path]) => ({ from, to: new URL(path, new URL(from, root)).href.slice(root.href.length) }));
  }));
  return edges.flat();
}

/** Returns the folder of src/ that a file lies in. */
const folderOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];
/** Returns the command that a file of src/cli/commands/ belongs to: `note` for note/backup.ts, `app` for app.ts. */
const commandOf = (path: string) => /^src\/cli\/commands\/([^/.]+)/.exec(path)?.[1];
const isTest = (path: string) => /_test\.tsx?$/.test(path);

const sources = [...await listRepositoryFiles(".ts"), ...await listRepositoryFiles(".tsx")]
  .filter((path) => /^(main\.ts$|src\/|testkit\/|tests\/(?!npm\/user\/)|tools\/(?!npm\/))/.test(path));
const allEdges = [...await readImports(sources), ...await readUrlReferences(sources)];
/** The imports of the product's own files. */
const edges = allEdges.filter(({ from }) => !/^(testkit|tests|tools)\//.test(from) && !isTest(from));

/** Returns the edges from files that match `from` to files that match `to`. */
function edgesBetween(from: RegExp, to: RegExp): ImportEdge[] {
  return allEdges.filter((edge) => from.test(edge.from) && to.test(edge.to));
}

Deno.test("the module graph contains imports of every kind and every folder", () => {
  for (const folder of ["core", "ton", "relay", "http", "cli"]) {
    assert.ok(edges.some(({ from }) => folderOf(from) === folder), `no import of src/${folder} was found`);
  }
  for (const folder of ["testkit", "tests", "tools"]) {
    assert.notDeepEqual(edgesBetween(new RegExp(`^${folder}/`), /^src\//), [], `${folder} imports src/`);
  }
  assert.notDeepEqual(edgesBetween(/^src\/.*_test\.ts$/, /^testkit\//), [], "tests beside sources are read");
  assert.notDeepEqual(
    edgesBetween(/^tests\/.*upgrade_test\.ts$/, /serve_next_release\.ts$/),
    [],
    "URLs are read",
  );
});

Deno.test("every folder of src/ has a place in the import order", () => {
  for (const { from, to } of edges) {
    for (const folder of [folderOf(from), folderOf(to)]) {
      assert.ok(folder === undefined || folder in mayImport, `src/${folder} has no place in the order`);
    }
  }
});

Deno.test("folders import only folders below them", () => {
  const violations = edges.filter((edge) => {
    const [from, to] = [folderOf(edge.from), folderOf(edge.to)];
    return from && to && from !== to && !mayImport[from].includes(to);
  });
  assert.deepEqual(violations, []);
});

Deno.test("no import cycle exists, type imports included", () => {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (from.startsWith("src/") && to.startsWith("src/")) targets.set(from, [...targets.get(from) ?? [], to]);
  }
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(" > "));
    if (visited.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    visited.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  assert.deepEqual(cycles, []);
});

Deno.test("only the app's own files import src/app/", () => {
  assert.deepEqual(edges.filter(({ from, to }) => folderOf(to) === "app" && folderOf(from) !== "app"), []);
});

Deno.test("the app's views, flows and texts do no I/O and import no adapter", () => {
  const layers = /^src\/app\/(views|flows|text)\//;
  const violations = edges.filter(({ from, to }) =>
    layers.test(from) && /^src\/app\/(browser|wallet|boot|main|service_worker|vault_worker)\b/.test(to)
  );
  assert.deepEqual(violations, []);
  const flowsOfViews = edges.filter(({ from, to }) =>
    /^src\/app\/(flows|text)\//.test(from) && /^src\/app\/views\//.test(to)
  );
  assert.deepEqual(flowsOfViews, [], "flows and texts know no screens");
});

Deno.test("nothing imports the entry points", () => {
  assert.deepEqual(edges.filter(({ to }) => to === "main.ts" || to === "src/mod.ts"), []);
});

Deno.test("the library's entry exports of the protocol, client, prover and chain only", () => {
  const folders = new Set(edges.filter(({ from }) => from === "src/mod.ts").map(({ to }) => folderOf(to)));
  assert.deepEqual([...folders].sort(), ["client", "core", "prover", "ton"]);
});

Deno.test("only the composition root and the library's entry build adapters", () => {
  const violations = edges.filter(({ from, to }) =>
    adapters.some((adapter) => adapter.test(to) && !adapter.test(from)) && !mayBuildAdapters.includes(from)
  );
  assert.deepEqual(violations, []);
});

Deno.test("WASM packages and artifacts are imported by their owners only", () => {
  const violations = edges.filter(({ from, to }) => {
    const owners = outside[to.split("/")[0]];
    return owners && from.startsWith("src/") && !owners.includes(folderOf(from) ?? "");
  });
  assert.deepEqual(violations, []);
});

Deno.test("no command imports another command", () => {
  const violations = edges.filter(({ from, to }) =>
    commandOf(from) !== undefined && commandOf(to) !== undefined && commandOf(from) !== commandOf(to)
  );
  assert.deepEqual(violations, []);
});

Deno.test("inside src/relay, wallet/ imports nothing of withdrawals/ but the policy", () => {
  const imported = edgesBetween(/^src\/relay\/wallet\/(?!.*_test\.ts)/, /^src\/relay\/withdrawals\//);
  assert.deepEqual(imported.filter(({ to }) => !to.endsWith("/policy.ts")), []);
});

Deno.test("product code imports nothing of tests, tools, docs or GPL packages", () => {
  const violations = edges.filter(({ from, to }) =>
    /^(src|main)/.test(from) && /^(tests|testkit|tools|docs|circuits|contracts)\//.test(to)
  );
  assert.deepEqual(violations, []);
});

Deno.test("nothing in tools/ imports tests/", () => {
  assert.deepEqual(edgesBetween(/^tools\//, /^tests\//), []);
});

Deno.test("nothing in tests/, testkit/ or src/ imports tools/", () => {
  assert.deepEqual(edgesBetween(/^(src|testkit|tests)\//, /^tools\//), []);
});

Deno.test("testkit/ imports no tests/", () => {
  assert.deepEqual(edgesBetween(/^testkit\//, /^tests\//), []);
});

Deno.test("nothing that ships imports snarkjs, circom2 or ffjavascript", async () => {
  for (const file of ["main.ts", "src/mod.ts"]) {
    const { stdout } = await runCommand(Deno.execPath(), ["info", "--json", file], { cwd: root });
    const { npmPackages, modules } = JSON.parse(stdout);
    const reached = new Set<string>();
    const reach = (name: string) => {
      if (reached.has(name)) return;
      reached.add(name);
      npmPackages[name].dependencies.forEach(reach);
    };
    for (const { npmPackage } of modules) if (npmPackage) reach(npmPackage);
    const names = [...reached];
    assert.ok(names.some((name) => name.startsWith("@ton/core@")), `the packages of ${file} are listed`);
    assert.deepEqual(
      names.filter((name) => /^(snarkjs|circom2|ffjavascript|circom_runtime|fast-check)@/.test(name)),
      [],
    );
  }
});
