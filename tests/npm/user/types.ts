// The types of the packed library, as a user's editor and compiler see them.
import { Address } from "@ton/core";
import { createNote, locate, type Note, Problem, type ProblemCode, RelayerClient, withdrawViaRelayers } from "tonado";
import { type CheckResult, verifyComplianceReport, type ComplianceReport, createComplianceReport, parseComplianceReport } from "tonado";
import type { Prover, RelayedWithdrawalResult } from "tonado";

const note: Note = createNote({ asset: "native", amount: "10", network: "testnet" });
const code: ProblemCode = new Problem("unknown_root").code;
export const fee: Promise<bigint> = new RelayerClient("https://relayer.example").feeFloor("native-10");
export type Way = (prover: Prover, to: Address) => Promise<RelayedWithdrawalResult>;
export const paid: Parameters<typeof withdrawViaRelayers>[1]["note"] = note;
export type Made = Awaited<ReturnType<typeof createComplianceReport>> extends ComplianceReport ? true : never;
export const checked: (against: Parameters<typeof verifyComplianceReport>[1]) => Promise<CheckResult[]> = (against) =>
  verifyComplianceReport(parseComplianceReport({}), against);
// @ts-expect-error: this code does not exist
export const wrong: ProblemCode = code === "unknown_root" ? "unknown_rot" : code;
export const located: void = locate("https://app.example/tonado/");
