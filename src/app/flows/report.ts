/** Creates compliance reports for withdrawn notes of the store, and checks reports against the chain. */
import { purposeError } from "../../core/protocol/compliance.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { CheckResult } from "../../core/errors/check_result.ts";
import type { Machine } from "./machine.ts";

export interface ReportFacts {
  readonly purpose: string;
  readonly amount: string;
  readonly depositor: string;
  readonly recipient: string;
  readonly depositedAt: number; // Unix seconds
  readonly withdrawnAt: number;
}

export type ReportState =
  | { readonly step: "choose"; readonly problem?: Problem }
  | { readonly step: "purpose"; readonly id: string; readonly purpose: string; readonly problem?: Problem }
  | { readonly step: "making"; readonly id: string; readonly purpose: string; readonly fraction: number }
  | {
    readonly step: "made";
    readonly id: string;
    readonly name: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  }
  | { readonly step: "checking"; readonly bytes: Uint8Array }
  | { readonly step: "checked"; readonly facts: ReportFacts; readonly checks: readonly CheckResult[] };

export type ReportEvent =
  | { readonly type: "make"; readonly id: string }
  | { readonly type: "purpose"; readonly purpose: string }
  | { readonly type: "progress"; readonly fraction: number }
  | { readonly type: "made"; readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: "check"; readonly bytes: Uint8Array }
  | { readonly type: "checked"; readonly facts: ReportFacts; readonly checks: readonly CheckResult[] }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "back" };

export interface ReportServices {
  make(
    id: string,
    purpose: string,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<{ readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }>;
  check(
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly facts: ReportFacts; readonly checks: readonly CheckResult[] }>;
}

export function reportMachine(services: ReportServices): Machine<ReportState, ReportEvent> {
  return {
    next: nextReport,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
      if (state.step === "making") {
        const { id, purpose } = state;
        return {
          make: async (signal, send) => {
            const onProgress = (fraction: number) => send({ type: "progress", fraction });
            send({ type: "made", ...await services.make(id, purpose, signal, onProgress) });
          },
        };
      }
      if (state.step !== "checking") return {};
      return {
        check: async (signal, send) =>
          send({ type: "checked", ...await services.check(state.bytes, signal) }),
      };
    },
  };
}

export function nextReport(state: ReportState, event: ReportEvent): ReportState {
  if (event.type === "back") return { step: "choose" };
  switch (state.step) {
    case "choose":
      if (event.type === "make") return { step: "purpose", id: event.id, purpose: "" };
      return event.type === "check" ? { step: "checking", bytes: event.bytes } : state;
    case "purpose": {
      if (event.type !== "purpose") return state;
      const { id } = state;
      const purpose = event.purpose.trim();
      const fault = purposeError(purpose);
      if (fault) return { step: "purpose", id, purpose, problem: new Problem("invalid_report", fault) };
      return { step: "making", id, purpose, fraction: 0 };
    }
    case "making":
      if (event.type === "progress") return { ...state, fraction: event.fraction };
      if (event.type === "made") return { step: "made", id: state.id, name: event.name, bytes: event.bytes };
      if (event.type !== "failed") return state;
      return { step: "purpose", id: state.id, purpose: state.purpose, problem: event.problem };
    case "checking":
      if (event.type === "checked") return { step: "checked", facts: event.facts, checks: event.checks };
      return event.type === "failed" ? { step: "choose", problem: event.problem } : state;
    default:
      return event.type === "check" ? { step: "checking", bytes: event.bytes } : state;
  }
}
