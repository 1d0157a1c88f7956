/** Checks all notes in the pools' whole histories, and finds notes of the seed that the store lacks. */
import type { Problem } from "../../core/errors/problem.ts";
import type { Machine, Work } from "./machine.ts";

export interface NoteFacts {
  readonly state: "absent" | "waiting" | "deposited" | "withdrawn";
  /** Deposits of others after this one, if the pool has it. */
  readonly later?: number;
  /** Deposits of this note that are not withdrawn, if it was paid more than once. */
  readonly unspentDeposits?: number;
  readonly depositedAt?: number; // Unix seconds
}

export interface CheckResultView {
  readonly facts: ReadonlyMap<string, NoteFacts>;
  readonly recovered: number;
  readonly unread: readonly { readonly pool: string; readonly problem: Problem }[];
  /** Chain time of the check, Unix seconds. Undefined if the endpoint did not respond. */
  readonly chainTime?: number | undefined;
}

/** The servers of a check: the endpoint for deposits, or the relayers and the endpoint for withdrawals. */
export type CheckSide = "deposit" | "withdrawal";

/** `side`: of the checks that follow by themselves; undefined: none do. */
export type CheckState =
  | { readonly step: "idle"; readonly side?: CheckSide; readonly result?: CheckResultView }
  | {
    readonly step: "reading";
    readonly side: CheckSide;
    readonly pool: string;
    readonly seen: number;
    readonly isBackground: boolean; // changes nothing on the screen
    readonly isAsked?: boolean; // by the user
    readonly problem?: Problem; // of the check before
    readonly result?: CheckResultView;
  }
  | {
    readonly step: "failed";
    readonly side?: CheckSide;
    readonly problem: Problem;
    readonly result?: CheckResultView;
  };

export type CheckEvent =
  /** The visit changes which side may check the notes. A check of another side ends. */
  | { readonly type: "side"; readonly side: CheckSide | undefined }
  | { readonly type: "check"; readonly isBackground?: boolean }
  | { readonly type: "progress"; readonly pool: string; readonly seen: number }
  | { readonly type: "checked"; readonly result: CheckResultView }
  | { readonly type: "failed"; readonly problem: Problem }
  | { readonly type: "cancel" };

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Whether the user asked for this check. It always reads the pools' logs, which prove more than relayers do. */
  readonly isAsked: boolean;
  readonly onProgress: (pool: string, seen: number) => void;
}

export interface CheckServices {
  /** Reads every pool, with or without notes, so that the endpoint does not learn which pools have notes. */
  check(options: CheckOptions): Promise<CheckResultView>;
  /** Reads at the endpoint for deposits which deposits are settled. */
  checkSettlements(signal: AbortSignal): Promise<CheckResultView>;
  /** Returns when the next check is due: at fixed intervals, so that no server learns how long a check took. */
  waitForNext(signal: AbortSignal): Promise<void>;
}

export function checkMachine(services: CheckServices): Machine<CheckState, CheckEvent> {
  return {
    next: nextCheck,
    failed: (problem) => ({ type: "failed", problem }),
    works(state) {
      const { side } = state;
      if (side === undefined) return {};
      if (state.step !== "reading") {
        return {
          [`wait ${side}`]: async (signal, send) => {
            await services.waitForNext(signal);
            send({ type: "check", isBackground: true });
          },
        };
      }
      if (side === "deposit") {
        return {
          checkSettlements: async (signal, send) =>
            send({ type: "checked", result: await services.checkSettlements(signal) }),
        };
      }
      const { isAsked = false } = state;
      const check: Work<CheckEvent> = async (signal, send) => {
        const onProgress = (pool: string, seen: number) => send({ type: "progress", pool, seen });
        send({ type: "checked", result: await services.check({ signal, isAsked, onProgress }) });
      };
      return isAsked ? { askedCheck: check } : { check };
    },
  };
}

export function nextCheck(state: CheckState, event: CheckEvent): CheckState {
  const kept = {
    ...state.side && { side: state.side },
    ...state.result && { result: state.result },
  };
  switch (event.type) {
    case "side":
      return nextOnSide(state, event.side);
    case "check":
      return nextOnCheck(state, event.isBackground === true);
    case "progress":
      return state.step === "reading" ? { ...state, pool: event.pool, seen: event.seen } : state;
    case "checked":
      return state.step === "reading"
        ? { step: "idle", side: state.side, result: addEarlier(state, event.result) }
        : state;
    case "failed":
      return state.step === "reading" ? { step: "failed", problem: event.problem, ...kept } : state;
    case "cancel":
      return state.step === "reading" ? { step: "idle", ...kept } : state;
  }
}

/** The first check of a side starts at once, and shows its progress if it reads whole pools. */
function nextOnSide(state: CheckState, side: CheckSide | undefined): CheckState {
  if (side === state.side) return state;
  const kept = state.result && { result: state.result };
  if (side === undefined) return { step: "idle", ...kept };
  return { step: "reading", side, pool: "", seen: 0, isBackground: side === "deposit", ...kept };
}

/**
 * Keeps the number of recovered notes on the screen until the user asks for another check. The endpoint for deposits
 * reports only the notes that wait, so the earlier facts about others stay.
 */
function addEarlier(
  { isBackground, side, result: earlier }: Extract<CheckState, { step: "reading" }>,
  result: CheckResultView,
): CheckResultView {
  const recovered = isBackground && earlier ? earlier.recovered : 0;
  const facts = side === "deposit" && earlier ? new Map([...earlier.facts, ...result.facts]) : result.facts;
  return { ...result, facts, recovered: recovered + result.recovered };
}

/** A check that the user asks for replaces a background check, and asks the withdrawal side. */
function nextOnCheck(state: CheckState, isBackground: boolean): CheckState {
  if (state.step === "reading" && (isBackground || !state.isBackground)) return state;
  const side = isBackground ? state.side : "withdrawal";
  if (side === undefined) return state;
  return {
    step: "reading",
    side,
    pool: "",
    seen: 0,
    isBackground,
    isAsked: !isBackground,
    ...state.result && { result: state.result },
    ...isBackground && state.step === "failed" && { problem: state.problem },
  };
}
