/**
 * Measures native arkworks, the limit of what WebAssembly can reach: a proof's sums and transforms, without witness
 * and pairing.
 */
import { fileURLToPath } from "node:url";
import { type CircuitName, circuitNames } from "../../../src/core/crypto/groth16.ts";
import { createProver, type Prover } from "../../../src/prover/prover.ts";
import { depositProverInput, withdrawProverInput } from "../../../testkit/circuits/prover_inputs.ts";
import { median } from "../comparison.ts";
import type { Figure, Outcome, Study } from "../study.ts";

const ROUNDS = 3;
const crate = fileURLToPath(new URL("../../../prover-wasm/", import.meta.url));

/** Returns the milliseconds of one round after a warm-up round. cargo builds the program if necessary. */
async function runNativeArkworks(circuit: CircuitName): Promise<number> {
  const zkey = fileURLToPath(new URL(`../../../artifacts/${circuit}.zkey`, import.meta.url));
  const { success, stdout } = await new Deno.Command("cargo", {
    args: ["run", "--release", "--locked", "--quiet", "--example", "native_bound", "--", zkey, "2"],
    cwd: crate,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("cargo could not run native_bound");
  return Number(new TextDecoder().decode(stdout).trim().split("\n").at(-1));
}

const prove = {
  withdraw: (prover: Prover) => prover.proveWithdraw(withdrawProverInput()),
  deposit: (prover: Prover) => prover.proveDeposit(depositProverInput()),
};

async function measureNative(): Promise<Outcome> {
  const prover = await createProver({ maxWorkers: 1 });
  const figures: Figure[] = [];
  for (const circuit of circuitNames) {
    await prove[circuit](prover);
    await runNativeArkworks(circuit);
    const rounds: { ours: number; native: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await prove[circuit](prover);
      rounds.push({ ours: performance.now() - start, native: await runNativeArkworks(circuit) });
    }
    figures.push(
      {
        name: `${circuit}: ours, one thread`,
        value: median(rounds.map(({ ours }) => ours)),
        unit: "ms a proof",
      },
      {
        name: `${circuit}: arkworks natively, one thread`,
        value: median(rounds.map(({ native }) => native)),
        unit: "ms a proof",
        ratio: median(rounds.map(({ ours, native }) => native / ours)),
      },
    );
  }
  prover.close();
  return { figures };
}

export const nativeStudy: Study = {
  id: "native",
  title: "A proof beside native arkworks",
  about:
    "Ours is the whole proof in WebAssembly; arkworks, compiled for this machine, makes its sums and transforms only, without assembly of its own.",
  builds: ["plain", "wide"],
  run: measureNative,
};
