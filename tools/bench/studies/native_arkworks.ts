/**
 * Measures native arkworks, the limit of what WebAssembly can reach: a proof's sums and transforms, without witness
 * and pairing.
 */
import { fileURLToPath } from "node:url";
import { type CircuitName, circuitsOfVersion } from "../../../src/core/crypto/groth16.ts";
import { createProver } from "../../../src/prover/prover.ts";
import { median } from "../comparison.ts";
import { artifactPath, type Figure, figure, type Outcome, type Study } from "../study.ts";
import { prove } from "./proof.ts";
import { commandOutput } from "../../shared/command.ts";

const ROUNDS = 3;
const crate = fileURLToPath(new URL("../../../prover-wasm/", import.meta.url));

/** Returns the milliseconds of one round after a warm-up round. cargo builds the program if necessary. */
async function runNativeArkworks(circuit: CircuitName): Promise<number> {
  const example = ["run", "--release", "--locked", "--quiet", "--example", "native_bound"];
  const output = await commandOutput("cargo", [...example, "--", artifactPath(`${circuit}.zkey`), "2"], {
    cwd: crate,
  });
  return Number(output.split("\n").at(-1));
}

async function measureNative(): Promise<Outcome> {
  const prover = await createProver({ maxWorkers: 1 });
  const figures: Figure[] = [];
  for (const circuit of circuitsOfVersion[1]) {
    await prove[circuit](prover);
    await runNativeArkworks(circuit);
    const rounds: { ours: number; native: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await prove[circuit](prover);
      rounds.push({ ours: performance.now() - start, native: await runNativeArkworks(circuit) });
    }
    figures.push(
      figure(`${circuit}: ours, one thread`, rounds.map(({ ours }) => ours), "ms a proof"),
      figure(`${circuit}: arkworks natively, one thread`, rounds.map(({ native }) => native), "ms a proof", {
        ratio: median(rounds.map(({ ours, native }) => native / ours)),
      }),
    );
  }
  prover.close();
  return { figures };
}

export const nativeStudy: Study = {
  id: "native",
  title: "A proof compared with native arkworks",
  about:
    "Ours is the whole proof in WebAssembly. arkworks is compiled for this machine, without its hand-written assembly, and computes only the proof's sums and transforms.",
  builds: ["plain", "wide"],
  run: measureNative,
};
