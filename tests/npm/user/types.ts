// What a user's editor and compiler see of the packed library.
import { Address } from "@ton/core";
import { createNote, locate, type Note, Problem, type ProblemCode, RelayerClient, withdrawThrough } from "tonado";
import { type Check, checkReport, type ComplianceReport, makeReport, parseReport } from "tonado";
import type { Prover, RelayedWithdrawal } from "tonado";

const note: Note = createNote({ asset: "native", amount: "10", network: "testnet" });
const code: ProblemCode = new Problem("unknown_root").code;
export const fee: Promise<bigint> = new RelayerClient("https://relayer.example").feeFloor("native-10");
export type Way = (prover: Prover, to: Address) => Promise<RelayedWithdrawal>;
export const paid: Parameters<typeof withdrawThrough>[1]["note"] = note;
export type Made = Awaited<ReturnType<typeof makeReport>> extends ComplianceReport ? true : never;
export const checked: (against: Parameters<typeof checkReport>[1]) => Promise<Check[]> = (against) =>
  checkReport(parseReport({}), against);
// @ts-expect-error: a code that there is not
export const wrong: ProblemCode = code === "unknown_root" ? "unknown_rot" : code;
export const located: void = locate("https://app.example/tonado/");
