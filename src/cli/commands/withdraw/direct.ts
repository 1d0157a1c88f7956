/** Withdrawals from the user's own wallet (`--self`), which link the note to that wallet in public. */
import { commitmentsFromChain, syncTree } from "../../../client/tree_sync.ts";
import type { NotePayment } from "../../../client/notes/note_payment.ts";
import { withdrawStoredSelf } from "../../../client/withdrawal/stored/stored_withdrawal.ts";
import type { Prover } from "../../../prover/prover.ts";
import { openPayerWallet } from "../../options/payer_options.ts";
import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { usageError } from "../../options/usage_error.ts";
import { confirmWithdrawal, type WithdrawalRun } from "./run.ts";

export async function submitDirectly(run: WithdrawalRun, prover: Prover): Promise<NotePayment> {
  const { context, options, chain, pool, note, recipient, view, signal, jetton } = run;
  const wallet = await openPayerWallet(context, options, chain);
  if (!wallet) throw usageError("--mnemonic-file", "is required with --self: the wallet that pays the gas");
  const source = commitmentsFromChain(chain, pool.address, note.version);
  const tree = await syncTree(pool, source, undefined, ({ leafCount }) => view.showLeavesRead(leafCount));
  await confirmWithdrawal(run, { fee: 0n, tree, through: wallet.format() });
  return await withdrawStoredSelf(run, {
    chain,
    network: options.network,
    jetton,
    recipient,
    prover,
    blockedRecipients: run.unrecoverable,
    wallet,
    source,
    tree,
    pollIntervalMs: POLL_INTERVALS_MS[options.network],
  }, { signal, onProgress: view.showProving });
}
