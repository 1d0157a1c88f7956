/**
 * A process that tries mutants: it loads the contract tests of the pools and exchanges JSON lines with
 * worker_client.ts, which kills it when a test takes too long.
 */
import type { Cell } from "@ton/core";
import { LineStream } from "../../../testkit/programs/line_stream.ts";
import { rescueHelperCode } from "../../../testkit/chain/rescue_helper.ts";
import { trapdoorJettonCode, trapdoorNativeCode } from "../../../testkit/chain/trapdoor_keys.ts";
import { v2TrapdoorCode, v2TrapdoorJettonCode } from "../../../testkit/chain/v2/trapdoor_codes.ts";
import { setSourceFault } from "../../../testkit/chain/compiled_contracts.ts";
import { applyMutant, type Mutant } from "../operators.ts";
import { loadTestFunctions, type TestFunction } from "./contract_tests.ts";
import { type PoolKind, testFiles } from "./pools.ts";

/** Loads a pool's tests, compiles a mutant or the unchanged sources, or runs tests of the compiled code. */
export type WorkerRequest =
  | { readonly do: "load"; readonly pool: PoolKind }
  | { readonly do: "compile"; readonly pool: PoolKind; readonly mutant: Mutant | null }
  | { readonly do: "run"; readonly pool: PoolKind; readonly test: number };

/** The results of the requests. */
export type WorkerResponse =
  | { readonly tests: readonly { file: string; name: string }[] }
  | { readonly hash: string | null }
  | { readonly failure: string | null; readonly milliseconds: number };

const root = new URL("../../../", import.meta.url);
const tests: Partial<Record<PoolKind, TestFunction[]>> = {};

async function handleRequest(request: WorkerRequest): Promise<WorkerResponse> {
  if (request.do === "load") {
    const loaded = tests[request.pool] ??= await loadTestFunctions(root, testFiles(root, request.pool));
    return { tests: loaded.map(({ file, name }) => ({ file, name })) };
  }
  if (request.do === "compile") return { hash: await compile(request.pool, request.mutant) };
  const start = performance.now();
  const failure = await tests[request.pool]![request.test].run().then(
    () => null,
    (error) => String(error).slice(0, 200),
  );
  return { failure, milliseconds: Math.round(performance.now() - start) };
}

const trapdoorCode: Record<PoolKind, () => Promise<Cell>> = {
  "native": trapdoorNativeCode,
  "jetton": trapdoorJettonCode,
  "native-v2": v2TrapdoorCode,
  "jetton-v2": v2TrapdoorJettonCode,
  "rescue": rescueHelperCode,
};

async function compile(pool: PoolKind, mutant: Mutant | null): Promise<string | null> {
  setSourceFault(undefined);
  if (mutant) {
    const original = Deno.readTextFileSync(new URL(mutant.file, root));
    // The verifiers that tests compile have other keys, and otherwise the same text.
    const change = (source: string) => applyMutant(source, mutant, original) ?? source;
    setSourceFault({ file: mutant.file, change });
  }
  try {
    const code = await trapdoorCode[pool]();
    return code.hash().toString("hex");
  } catch {
    return null; // the compiler rejects it
  }
}

/** Keeps compiled WebAssembly: the compiler and the emulator are instantiated hundreds of times from the same bytes. */
function reuseWasmModules(): void {
  const modules = new Map<number, Promise<WebAssembly.Module>>();
  const instantiate = WebAssembly.instantiate;
  Object.assign(WebAssembly, {
    instantiate: async (source: BufferSource | WebAssembly.Module, imports?: WebAssembly.Imports) => {
      if (source instanceof WebAssembly.Module) return await instantiate(source, imports);
      const module = modules.get(source.byteLength) ?? WebAssembly.compile(source);
      modules.set(source.byteLength, module);
      return { module: await module, instance: await instantiate(await module, imports) };
    },
  });
}

reuseWasmModules();
const write = console.log;
for (const level of ["log", "info", "warn", "error", "debug"] as const) console[level] = () => {};
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(new LineStream());
for await (const line of lines) write(JSON.stringify(await handleRequest(JSON.parse(line))));
