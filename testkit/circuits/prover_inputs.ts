/** Valid inputs in the prover's form. */
import type { DepositInput, WithdrawInput } from "../../src/prover/prover.ts";
import type { SettlementInput } from "../../src/core/tree/settlement.ts";
import { honestDeposit, honestSettlement, honestWithdrawal, honestWithdrawal2 } from "./circuit_inputs.ts";

/** Returns a valid withdrawal of the note at `leafIndex`. */
export function withdrawProverInput(leafIndex = 5n, seed = 1n): WithdrawInput {
  const { pathIndices, ...signals } = honestWithdrawal(leafIndex, seed);
  return { ...signals, pathIndices: pathIndices.map(Number) };
}

/** Returns a valid withdrawal of the note at `leafIndex` from a version 2 pool. */
export function withdraw2ProverInput(leafIndex = 5n, seed = 1n): WithdrawInput {
  const { pathIndices, ...signals } = honestWithdrawal2(leafIndex, seed);
  return { ...signals, pathIndices: pathIndices.map(Number) };
}

/** Returns a valid settlement that fills a whole chunk. */
export function settlementProverInput(seed = 1n): SettlementInput {
  return honestSettlement({ chunk: 5, first: 0, count: 16 }, seed);
}

/** Returns a valid deposit into the empty leaf at `leafIndex`. */
export function depositProverInput(leafIndex = 5n, seed = 1n): DepositInput {
  return { ...honestDeposit(leafIndex, seed), leafIndex: Number(leafIndex) };
}
