/** One prover for all relayers and commands of a test file: the start of a prover's worker takes a quarter of a second. */
import { createProver, type Prover } from "../../../src/prover/prover.ts";

let prover: Promise<Prover> | undefined;

/** Returns the prover of this file. Its worker ends with the file. */
export async function sharedProver(): Promise<Prover> {
  prover ??= createProver({ maxWorkers: 1 });
  return { ...await prover, close: () => {} };
}
