/** Honest inputs in the shape that the prover takes. */
import type { DepositInput, WithdrawInput } from "../../src/prover/prover.ts";
import { honestDeposit, honestWithdrawal } from "./circuit_inputs.ts";

/** A true withdrawal of the note at `leafIndex`. */
export function withdrawInput(leafIndex = 5n, seed = 1n): WithdrawInput {
  const { pathIndices, ...signals } = honestWithdrawal(leafIndex, seed);
  return { ...signals, pathIndices: pathIndices.map(Number) };
}

/** A true deposit into the empty leaf at `leafIndex`. */
export function depositInput(leafIndex = 5n, seed = 1n): DepositInput {
  return { ...honestDeposit(leafIndex, seed), leafIndex: Number(leafIndex) };
}
