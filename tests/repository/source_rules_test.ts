/** Rules on the text of the sources: timers, replaced methods, the I/O of the app, and programs that are started. */
import assert from "node:assert/strict";
import { listRepositoryFiles } from "../support/docs/repository_files.ts";

const root = new URL("../../", import.meta.url);
const all = [...await listRepositoryFiles(".ts"), ...await listRepositoryFiles(".tsx")];
const product = all.filter((path) => /^(main\.ts$|src\/)/.test(path) && !/_test\.tsx?$/.test(path));

/** Returns the files whose code matches, without comments. */
async function findFiles(pattern: RegExp, among = /./, files = product): Promise<string[]> {
  const found: string[] = [];
  for (const path of files.filter((path) => among.test(path))) {
    const code = (await Deno.readTextFile(new URL(path, root)))
      .replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
    if (pattern.test(code)) found.push(path);
  }
  return found.sort();
}

/** The files that set a timer themselves. All others wait with the clock of core/time/clock.ts. */
const mayUseTimers: Record<string, string> = {
  "main.ts": "flushes the summaries of repeated warnings until the relayer stops",
  "src/app/shell/app.tsx": "an effect whose cleanup ends the interval",
  "src/app/views/parts.tsx": "an effect that moves the focus after the browser's layout",
  "src/core/event_loop_yield.ts": "lets other tasks run, and waits for no time",
  "src/core/time/clock.ts": "the clock",
  "src/localnet/block_producer.ts": "closes the blocks of a local network at real intervals",
  "src/telemetry/event_loop_lag.ts": "measures how late the runtime's own timers are",
};

Deno.test("only the listed files set timers", async () => {
  assert.deepEqual(await findFiles(/\bset(Timeout|Interval)\(/), Object.keys(mayUseTimers));
});

Deno.test("no variable of `using` is read only in the next statement, where the bundler of the binary puts its value and never disposes of it", async () => {
  for (const path of product) {
    const code = await Deno.readTextFile(new URL(path, root));
    for (const { index, 0: declared, 1: name } of code.matchAll(/\busing ([a-z]\w*) = [^;]+;\n/g)) {
      const [next, ...rest] = code.slice(index + declared.length).split("\n}\n")[0].split("\n");
      const reads = (text: string) => new RegExp(`\\b${name}\\b`).test(text);
      assert.ok(!reads(next) || reads(rest.join("\n")), `${path}: ${name}`);
    }
  }
});

/**
 * Applies to the product. Tests and tools may replace methods to inject a fault or to run one part: relayer_harness.ts
 * and testkit/simulation wrap the store and the chain in a Proxy, tests of the ceremony observe `Uint8Array.prototype`,
 * and tools/mutants replaces `Deno.test` and `WebAssembly.instantiate`.
 */
Deno.test("the product uses no Proxy and replaces no method of an object that it does not own", async () => {
  const patch =
    /\bnew Proxy\(|\.prototype\.\w+ = |\bObject\.assign\(console\b|\.fetch = |\bglobalThis\.\w+ = |\bWebAssembly\.\w+ = /;
  const reason = "dependencies write to the console, which serve_log.ts makes part of the log";
  assert.deepEqual(await findFiles(patch), ["src/cli/output/serve_log.ts"], reason);
});

Deno.test("the app's flows and views name no global of the browser that does I/O", async () => {
  const io =
    /\b(fetch|indexedDB|localStorage|sessionStorage|navigator|caches|WebSocket|EventSource|Worker)\s*[.(]/;
  assert.deepEqual(await findFiles(io, /^src\/app\/(views|flows|text)\//), []);
  assert.deepEqual(await findFiles(/\b(document|window)\s*\./, /^src\/app\/flows\//), []);
});

Deno.test("only lock files name the host of a package registry, so that a mirror in the machine's settings is used", async () => {
  const host =
    /\b(registry\.npmjs\.org|(deb|security)\.debian\.org|pypi\.org|(static\.|index\.)?crates\.io)\b/;
  const named: string[] = [];
  for (const path of await listRepositoryFiles("")) {
    if (/(^|\/)(deno|Cargo)\.lock$|\.(png|zkey|wasm|r1cs|gz)$/.test(path)) continue;
    if (host.test(await Deno.readTextFile(new URL(path, root)))) named.push(path);
  }
  assert.deepEqual(named, []);
});

/** The files that start programs by themselves. All others call childCommand, so that no program outlives them. */
const mayStartPrograms: Record<string, string> = {
  "src/config/files/file_lock_test.ts": "code of a worker, whose programs end at once",
  "testkit/programs/browser.ts": "puppeteer starts the browser, by the script next to it",
  "testkit/programs/child_command.ts": "childCommand",
  "testkit/servers/local_servers.ts": "a shell ends the server, and removes its directory",
};

Deno.test("only the listed files start programs by themselves", async () => {
  const starts = /\bnew Deno\.Command\(|\bpuppeteer\.launch\(|"node:child[_]process"/;
  assert.deepEqual(await findFiles(starts, /./, all), Object.keys(mayStartPrograms));
});
