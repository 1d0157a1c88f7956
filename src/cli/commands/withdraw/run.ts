import type { Address } from "@ton/core";
import type { NotePayment } from "../../../client/notes/note_payment.ts";
import { attemptsFor, findPayableAttempts } from "../../../client/notes/withdrawal_attempts.ts";
import { findNote, type NoteRecord, type NoteStore } from "../../../client/notes/note_store.ts";
import type { StoredWithdrawal } from "../../../client/withdrawal/stored/stored_withdrawal.ts";
import type { PoolJetton } from "../../../client/notes/pool_match.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import type { MerkleTree } from "../../../core/tree/merkle_tree.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { CliContext } from "../../context.ts";
import { formatChainFlags } from "../../options/chain_options.ts";
import { assertCanConfirm, formatPayerFlags } from "../../options/payer_options.ts";
import type { WithdrawOptions } from "../../options/withdraw_options.ts";
import type { WithdrawView } from "../../output/withdraw_view.ts";
import { findLinkWarnings } from "./recipient_checks.ts";

export interface WithdrawalRun extends StoredWithdrawal {
  readonly context: CliContext;
  readonly options: WithdrawOptions;
  readonly chain: Chain;
  readonly chainTime: number; // Unix seconds, when the run began
  readonly endpointLabel: string; // without credentials
  readonly deployment: Deployment;
  readonly jetton?: PoolJetton;
  readonly store: NoteStore;
  readonly record: NoteRecord;
  readonly recipient: Address;
  /** Contracts that could not return the money; never accepted as recipients. */
  readonly unrecoverable: readonly Address[];
  readonly view: WithdrawView;
  readonly signal: AbortSignal;
}

/** Throws `commitment_not_found` if the tree lacks the note, and `confirmation_required`. */
export async function confirmWithdrawal(
  run: WithdrawalRun,
  offer: { readonly fee: bigint; readonly tree?: MerkleTree; readonly through: string },
): Promise<void> {
  const { commitment } = run.record.note.reveal();
  if (offer.tree && offer.tree.indexOf(commitment) < 0) {
    throw new Problem("commitment_not_found", "the note's deposit is not in the pool", {
      hint: `\`tonado deposit --note ${run.record.id} ${
        [formatChainFlags(run.options), formatPayerFlags(run.options)].filter(Boolean).join(" ")
      }\` fills it, if nothing was paid yet.`,
    });
  }
  assertCanConfirm(run.context, run.options);
  if (run.options.recipientCheck) run.view.announceRecipientCheck(run.endpointLabel);
  for (const { name, text } of await findLinkWarnings(run, offer.tree)) run.view.warn(name, text);
  const attempts = attemptsFor(findNote(await run.store.list(), run.id), run.note.nullifierHash);
  run.view.warnOfEarlierAttempts(
    await findPayableAttempts(run.pool, attempts, { signal: run.signal }),
    run.recipient,
  );
  await run.view.confirm(run.recipient, offer);
}

/** Throws `note_paid_elsewhere` if the pool paid another recipient. */
export function showPayment({ recipient, view }: WithdrawalRun, payment: NotePayment): void {
  if (!payment.recipient.equals(recipient)) throw view.paidElsewhereError(payment);
  view.showWithdrawn(payment);
}
