/** Valid inputs in the prover's form. */
import type { DepositInput, WithdrawInput } from "../../src/prover/prover.ts";
import { honestDeposit, honestWithdrawal } from "./circuit_inputs.ts";

/** Returns a valid withdrawal of the note at `leafIndex`. */
export function withdrawProverInput(leafIndex = 5n, seed = 1n): WithdrawInput {
  const { pathIndices, ...signals } = honestWithdrawal(leafIndex, seed);
  return { ...signals, pathIndices: pathIndices.map(Number) };
}

/** Returns a valid deposit into the empty leaf at `leafIndex`. */
export function depositProverInput(leafIndex = 5n, seed = 1n): DepositInput {
  return { ...honestDeposit(leafIndex, seed), leafIndex: Number(leafIndex) };
}
