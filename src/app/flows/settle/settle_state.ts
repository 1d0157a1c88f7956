/** The states and events of a settlement by the depositor, see {@linkcode nextSettle}. */
import type { Problem } from "../../../core/errors/problem.ts";
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";

/** The next settlement of the note's pool. Amounts in nano. */
export interface Offer {
  /** The leaf of the note's deposit. */
  readonly leafIndex: number;
  /** Number of settled deposits: the settlement begins with this leaf. */
  readonly first: number;
  /** Number of deposits that it settles. */
  readonly count: number;
  /** Number of settlements until the note's deposit is in the tree. */
  readonly rounds: number;
  /** What the wallet sends. The pool returns the rest with the reward. */
  readonly value: bigint;
  /** Upper estimate of the fees. */
  readonly cost: bigint;
  readonly reward: bigint;
}

/** `pause`: the pool accepts at most one settlement in 30 s that does not fill 16 leaves. */
export type SettleProgress =
  | { readonly stage: "keys" | "proof"; readonly fraction?: number }
  | { readonly stage: "pause" };

/** `next`: the user's settlement was accepted, and the note's deposit needs another one. */
export type SettleNotice = "declined" | "expired" | "unanswered" | "overtaken" | "next";

export type SettleWallet =
  | { readonly at: "none"; readonly problem?: Problem }
  | { readonly at: "connecting"; readonly source: PayerSource; readonly link?: string }
  | { readonly at: "ready"; readonly payer: Payer; readonly problem?: Problem }
  | { readonly at: "proving"; readonly payer: Payer; readonly progress: SettleProgress }
  /** `validUntil`: Unix seconds of chain time. */
  | {
    readonly at: "asking";
    readonly payer: Payer;
    readonly message: PayMessage;
    readonly validUntil: number;
  }
  /** The wallet has answered, or gave no clear answer: it may have sent the settlement. */
  | { readonly at: "waiting"; readonly payer: Payer; readonly validUntil: number };

export interface SettlingState {
  readonly step: "settling";
  /** Of the note. */
  readonly id: string;
  /** Undefined while the pool's log is read. */
  readonly offer?: Offer | undefined;
  /** Number of transactions that were read. */
  readonly seen: number;
  readonly wallet: SettleWallet;
  /** Numbers the reads and the settlements. */
  readonly attempt: number;
  readonly notice?: SettleNotice | undefined;
  readonly offline?: boolean; // the endpoint does not respond; the flow retries
}

export type SettleState =
  | SettlingState
  /** `mayStillSend`: the wallet has a request that the pool would refuse now. */
  | {
    readonly step: "done";
    readonly by: "user" | "other";
    readonly mayStillSend: boolean;
  }
  | { readonly step: "failed"; readonly id: string; readonly problem: Problem };

export type SettleEvent =
  | { readonly type: "seen"; readonly transactions: number }
  | { readonly type: "offered"; readonly offer: Offer }
  /** The note's deposit was settled before the offer was made. */
  | { readonly type: "found_settled" }
  | { readonly type: "source_chosen"; readonly source: PayerSource }
  | { readonly type: "link"; readonly link: string }
  | { readonly type: "connected"; readonly payer: Payer }
  | { readonly type: "wallet_left" }
  | { readonly type: "settle" }
  | { readonly type: "progress"; readonly progress: SettleProgress }
  | { readonly type: "proved"; readonly message: PayMessage; readonly validUntil: number }
  /** The pool has settled more than the offer says. */
  | { readonly type: "overtaken" }
  | { readonly type: "answered" }
  | { readonly type: "settled"; readonly end: number; readonly isOwn: boolean }
  | { readonly type: "refused"; readonly isOvertaken: boolean } // of the connected wallet
  /** The log was read up to this chain time in Unix seconds; undefined if the endpoint's time is not plausible. */
  | { readonly type: "chain_time"; readonly now: number | undefined }
  | { readonly type: "unreachable" }
  | { readonly type: "failed"; readonly problem: Problem; readonly work: string }
  | { readonly type: "retry" };
