/** The states and events of a deposit, see {@linkcode nextDeposit}. */
import type { Problem } from "../../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";

export interface PoolChoice {
  readonly key: string;
  readonly version: 1 | 2;
  readonly asset: string;
  readonly amount: string; // whole units
}

export interface DepositTicket {
  readonly id: string;
  readonly pool: PoolChoice;
  /** Chance from 0 to 1 that no other deposit comes first; version 1 pools only, for notes created in this visit. */
  readonly chance?: number;
  /** The payment for any wallet; only for native version 2 pools. */
  readonly payment?: {
    readonly url: string;
    readonly to: string;
    readonly comment: string;
    readonly message: PayMessage;
  };
}

export interface Question {
  /** Unix seconds of chain time, because this device's clock may be wrong. */
  readonly validUntil: number;
  readonly leafIndex?: number | undefined;
}

/** A request of an earlier visit has no expiry until chain time is known. */
export type OpenQuestion = Partial<Question>;

export type Notice = "declined" | "expired" | "overtaken" | "unanswered" | "unreturned";

export type WalletStep =
  /** `question`: a request that may still be paid. No wallet is connected until it has expired. */
  | { readonly at: "none"; readonly problem?: Problem; readonly question?: OpenQuestion }
  | { readonly at: "connecting"; readonly source: PayerSource; readonly link?: string }
  | { readonly at: "ready"; readonly payer: Payer; readonly notice?: Notice; readonly problem?: Problem }
  | { readonly at: "proving"; readonly payer: Payer; readonly attempt: number; readonly fraction: number }
  | {
    readonly at: "asking";
    readonly payer: Payer;
    readonly message: PayMessage;
    readonly question: Question;
  }
  /** The wallet has answered, or the page was reloaded: the request may still be paid. */
  | {
    readonly at: "waiting";
    readonly payer?: Payer;
    readonly question: OpenQuestion;
    readonly notice?: Notice;
    readonly isLong?: boolean; // longer than a request and its payment take
  }
  | { readonly at: "returning"; readonly payer?: Payer; readonly isOvertaken: boolean };

export interface PayingState {
  readonly step: "paying";
  readonly ticket: DepositTicket;
  readonly wallet: WalletStep;
  readonly attempt: number;
  readonly refused?: string | undefined; // reason for the last payment that the pool returned
  readonly offline?: boolean; // the endpoint does not respond; the flow retries
  /** Whether a payment of a stored note may be in the part of the log that was not read yet. */
  readonly isUnread?: boolean;
}

/** Finds the pool of a new note, or of a stored one, before a payment is shown. */
export type PreparationState =
  | { readonly step: "preparing"; readonly pool: PoolChoice }
  | { readonly step: "opening"; readonly id: string };

/** Whether a proven backup brings a note back. `file_missing`: its seed does, but not this note. */
export type NoteBackup = "proven" | "missing" | "file_missing";

/** A stored note that is to be paid. */
export interface OpenedDeposit {
  readonly ticket: DepositTicket;
  readonly backup: NoteBackup;
  /** Whether an earlier visit may have requested the payment, which may then still be made. */
  readonly wasRequested: boolean;
}

export type DepositState =
  | {
    readonly step: "choosing";
    readonly sizes?: ReadonlyMap<string, number>; // number of deposits by pool key, once known
    readonly fees?: ReadonlyMap<string, string>; // lowest fee of a withdrawal by pool key, in whole units, once known
    readonly problem?: Problem;
  }
  /** `needsFile`: a paper has only the seed, which does not bring the note back. */
  | { readonly step: "backup"; readonly next: PreparationState; readonly needsFile: boolean }
  | PreparationState
  | PayingState
  | { readonly step: "done"; readonly ticket: DepositTicket; readonly leafIndex: number }
  /** `retry`: where a retry continues; of a payment, with any request that the wallet may still pay. */
  | { readonly step: "failed"; readonly problem: Problem; readonly retry?: PayingState | PreparationState }
  | { readonly step: "left" };

export type DepositEvent =
  | { readonly type: "sizes"; readonly sizes: ReadonlyMap<string, number> }
  | { readonly type: "fees"; readonly fees: ReadonlyMap<string, string> }
  | { readonly type: "pool_chosen"; readonly pool: PoolChoice; readonly isBackedUp: boolean }
  | { readonly type: "backup_proven" }
  | { readonly type: "prepared"; readonly ticket: DepositTicket }
  | { readonly type: "opened"; readonly opened: OpenedDeposit }
  | { readonly type: "source_chosen"; readonly source: PayerSource }
  | { readonly type: "link"; readonly link: string }
  | { readonly type: "connected"; readonly payer: Payer }
  | { readonly type: "wallet_left" }
  | { readonly type: "pay" }
  /** The user says that no request was paid: of an earlier visit, or of this one after a long wait. */
  | { readonly type: "not_paid" }
  | { readonly type: "long_wait" }
  | { readonly type: "progress"; readonly fraction: number }
  | { readonly type: "proved"; readonly message: PayMessage; readonly question: Question }
  | { readonly type: "answered" }
  | { readonly type: "seen"; readonly leafIndex: number }
  | {
    readonly type: "refused";
    readonly reason: string;
    readonly isOwn: boolean; // whether it answers the open request
    readonly isOvertaken: boolean;
  }
  | { readonly type: "returned"; readonly isSeen: boolean } // false: not within two minutes
  /** The log was read up to this chain time in Unix seconds; undefined if the endpoint's time is not plausible. */
  | { readonly type: "chain_time"; readonly now: number | undefined }
  | { readonly type: "unreachable" }
  | { readonly type: "failed"; readonly problem: Problem; readonly work: string }
  | { readonly type: "retry" }
  | { readonly type: "leave" };
