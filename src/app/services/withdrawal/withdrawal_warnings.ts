/** Computes the warnings that the user accepts before a withdrawal. It fetches nothing. */
import { Address } from "@ton/core";
import type { NoteJournal } from "../../../client/notes/note_store.ts";
import { findLinkability } from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import type { AccountInfo } from "../../../ton/chain.ts";
import { isKnownWalletCode } from "../../../ton/wallet/wallet_codes.ts";
import type { ReviewedOffer } from "../../flows/withdraw/withdrawal_facts.ts";

/** Pays a jetton recipient's first transfer. A smaller refund may not. In nano. */
export const JETTON_REFUND_NANO = 50_000_000n;

export interface WithdrawalFacts {
  readonly deposit: NoteJournal["deposit"];
  /** The same deposit in the log of the endpoint for withdrawals, if this visit has read it. The journal's can be false. */
  readonly logged?: NoteJournal["deposit"];
  /** Deposits of others after this one, if known. */
  readonly later?: number | undefined;
  readonly recipient: Address;
  /** Whether another note of the store was sent to the recipient. */
  readonly isRecipientReused: boolean;
  readonly account: Pick<AccountInfo, "balance" | "state" | "code" | "last">; // of the recipient
  readonly isJetton: boolean;
  /** Whether one endpoint serves deposits and withdrawals. */
  readonly isEndpointShared: boolean;
  readonly now: number; // milliseconds since 1970
}

/** Returns the warnings about a withdrawal with this refund in nano, the most severe first. */
export function findWarnings(
  { deposit, logged, later, recipient, isRecipientReused, account, isJetton, isEndpointShared, now }:
    WithdrawalFacts,
  refund: bigint,
): ReviewedOffer["warnings"] {
  const known = [deposit, logged];
  const times = known.flatMap((each) => each?.timestamp ?? []);
  return findLinkability({
    ...later !== undefined && { laterDeposits: later },
    ...times.length > 0 && { depositAgeSeconds: now / 1000 - Math.max(...times) },
    recipientReused: isRecipientReused,
    recipientUsed: account.last !== undefined || account.balance > 0n || account.state !== "uninitialized",
    recipientIsContract: account.code !== undefined && !isKnownWalletCode(account.code),
    recipientWithoutGas: isJetton && account.balance === 0n && refund < JETTON_REFUND_NANO,
    recipientIsDepositor: known.some((each) =>
      each?.from !== undefined && Address.parse(each.from).equals(recipient)
    ),
    pathFromRelayer: false,
    selfRelayed: false,
    sameEndpoint: isEndpointShared,
  }).map((code) => ({
    code,
    ...code === "few_deposits" && later !== undefined && { count: later },
  }));
}
