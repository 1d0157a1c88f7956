/** The states and events of a deposit, see {@linkcode nextDeposit}. */
import type { Problem } from "../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../ports.ts";

/** A pool as the flow shows it. */
export interface PoolChoice {
  readonly key: string;
  readonly version: 1 | 2;
  readonly asset: string;
  /** In whole units. */
  readonly amount: string;
}

/** A note that is stored and waits for its payment. */
export interface DepositTicket {
  readonly id: string;
  readonly pool: PoolChoice;
  /** From 0 to 1, that no other deposit comes first; for version 1, when the note was made in this visit. */
  readonly chance?: number;
  /** How any wallet pays, for version 2 pools of the native coin. */
  readonly payment?: {
    readonly url: string;
    /** The pool's address, as text. */
    readonly to: string;
    readonly comment: string;
    readonly message: PayMessage;
  };
}

/** What was asked of a wallet, until it can no longer be paid. */
export interface Question {
  /** Unix seconds of the chain: the clock of this device may be wrong. */
  readonly validUntil: number;
  readonly leafIndex?: number;
}

/** The question of an earlier visit has no time until the chain's time is known. */
export type OpenQuestion = Partial<Question>;

export type Notice = "declined" | "expired" | "overtaken" | "returned" | "unanswered";

export type WalletStep =
  | { readonly at: "none"; readonly problem?: Problem }
  | { readonly at: "connecting"; readonly source: PayerSource; readonly link?: string }
  | { readonly at: "ready"; readonly payer: Payer; readonly notice?: Notice; readonly problem?: Problem }
  | { readonly at: "proving"; readonly payer: Payer; readonly attempt: number; readonly fraction: number }
  | {
    readonly at: "asking";
    readonly payer: Payer;
    readonly message: PayMessage;
    readonly question: Question;
  }
  /** The wallet has answered, or the page was loaded again: the question may still be paid. */
  | {
    readonly at: "waiting";
    readonly payer?: Payer;
    readonly question: OpenQuestion;
    readonly notice?: Notice;
  }
  | { readonly at: "returning"; readonly payer?: Payer; readonly isOvertaken: boolean };

export type DepositState =
  | {
    readonly step: "choosing";
    /** Deposits of each pool, by its key, once they are read. */
    readonly sizes?: ReadonlyMap<string, number>;
    readonly problem?: Problem;
  }
  | { readonly step: "backup"; readonly pool: PoolChoice }
  | { readonly step: "preparing"; readonly pool: PoolChoice }
  | {
    readonly step: "paying";
    readonly ticket: DepositTicket;
    readonly wallet: WalletStep;
    readonly attempt: number;
    /** The newest reason why the pool returned a payment. */
    readonly refused?: string;
    /** The endpoint does not answer; the flow asks again. */
    readonly offline?: boolean;
  }
  /** The wallet that was connected is disconnected: it must not meet a withdrawal. */
  | {
    readonly step: "done";
    readonly ticket: DepositTicket;
    readonly leafIndex: number;
    readonly payer?: Payer;
  }
  | { readonly step: "failed"; readonly problem: Problem; readonly ticket?: DepositTicket }
  | { readonly step: "left" };

export type DepositEvent =
  | { readonly type: "sizes"; readonly sizes: ReadonlyMap<string, number> }
  | { readonly type: "pool_chosen"; readonly pool: PoolChoice; readonly isBackedUp: boolean }
  | { readonly type: "backup_proven" }
  | { readonly type: "prepared"; readonly ticket: DepositTicket }
  | { readonly type: "source_chosen"; readonly source: PayerSource }
  | { readonly type: "link"; readonly link: string }
  | { readonly type: "connected"; readonly payer: Payer }
  | { readonly type: "wallet_left" }
  | { readonly type: "pay" }
  | { readonly type: "progress"; readonly fraction: number }
  | { readonly type: "proved"; readonly message: PayMessage; readonly question: Question }
  | { readonly type: "answered" }
  | { readonly type: "seen"; readonly leafIndex: number }
  | {
    readonly type: "refused";
    readonly reason: string;
    /** Whether it answers the question that is open. */
    readonly isOwn: boolean;
    readonly isOvertaken: boolean;
  }
  | { readonly type: "returned" }
  /** The chain's time, Unix seconds, of a log that was read up to then. */
  | { readonly type: "chain_time"; readonly now: number }
  | { readonly type: "unreachable" }
  | { readonly type: "failed"; readonly problem: Problem; readonly work: string }
  | { readonly type: "retry" }
  | { readonly type: "leave" };
