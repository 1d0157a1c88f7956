/**
 * One process that tries mutants: it holds the contract tests of both pools in memory. Speaks JSON lines: see `Order` and
 * `Report`. tools/mutants.ts starts it, and kills it when a claim takes too long.
 */
import { TextLineStream } from "../../tests/support/text_lines.ts";
import { trapdoorJettonCode } from "../../tests/support/jetton_sandbox.ts";
import { trapdoorCode } from "../../tests/support/pool_sandbox.ts";
import { setFault } from "../../tests/support/contract_code.ts";
import { applyMutant, type Mutant } from "./operators.ts";
import { type Claim, loadClaims, type Pool, testFiles } from "./suite.ts";

/** What to do: load a pool's tests, compile a mutant (or the sources as they are), or run claims of what was compiled. */
export type Order =
  | { readonly do: "load"; readonly pool: Pool }
  | { readonly do: "compile"; readonly pool: Pool; readonly mutant: Mutant | null }
  | { readonly do: "run"; readonly pool: Pool; readonly claim: number };

/** What came of it. */
export type Report =
  | { readonly claims: readonly { file: string; name: string }[] }
  | { readonly hash: string | null }
  | { readonly failure: string | null; readonly milliseconds: number };

const root = new URL("../../", import.meta.url);
const claims: Partial<Record<Pool, Claim[]>> = {};

async function obey(order: Order): Promise<Report> {
  if (order.do === "load") {
    const loaded = claims[order.pool] ??= await loadClaims(root, testFiles(root, order.pool));
    return { claims: loaded.map(({ file, name }) => ({ file, name })) };
  }
  if (order.do === "compile") return { hash: await compile(order.pool, order.mutant) };
  const start = performance.now();
  const failure = await claims[order.pool]![order.claim].run().then(
    () => null,
    (error) => String(error).slice(0, 200),
  );
  return { failure, milliseconds: Math.round(performance.now() - start) };
}

async function compile(pool: Pool, mutant: Mutant | null): Promise<string | null> {
  setFault(undefined);
  if (mutant) {
    const original = Deno.readTextFileSync(new URL(mutant.file, root));
    // The verifiers that tests compile have other keys, and the same text but for them.
    const change = (source: string) => applyMutant(source, mutant, original) ?? source;
    setFault({ file: mutant.file, change });
  }
  try {
    const code = await (pool === "native" ? trapdoorCode() : trapdoorJettonCode());
    return code.hash().toString("hex");
  } catch {
    return null; // the compiler refuses it
  }
}

const write = console.log;
for (const level of ["log", "info", "warn", "error", "debug"] as const) console[level] = () => {};
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
for await (const line of lines) write(JSON.stringify(await obey(JSON.parse(line))));
