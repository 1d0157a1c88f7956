import { RelayerClient } from "../../../client/relayer/relayer_client.ts";
import { quoteRelayers, type RelayerQuote } from "../../../client/relayer/relayer_quotes.ts";
import {
  defaultMaxFee,
  type RelayedWithdrawalRequest,
} from "../../../client/withdrawal/relayed_withdrawal.ts";
import { resumeStored, withdrawStored } from "../../../client/withdrawal/stored/stored_withdrawal.ts";
import { remainingFailoverMs } from "../../../client/withdrawal/withdrawal_wait.ts";
import type { NotePayment } from "../../../client/notes/note_payment.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Deployment } from "../../../core/protocol/deployments.ts";
import {
  formatAmount,
  formatNative,
  formatUnits,
  NATIVE_DECIMALS,
  parseUnits,
} from "../../../core/protocol/units.ts";
import type { Prover } from "../../../prover/prover.ts";

import { POLL_INTERVALS_MS } from "../../options/polling_intervals.ts";
import { MISSING_RELAYER, relayerWalletWarning } from "./recipient_checks.ts";
import type { WithdrawOptions } from "../../options/withdraw_options.ts";
import { confirmWithdrawal, type WithdrawalRun } from "./run.ts";

/** Returns undefined if the note is unspent and a new proof is needed. */
export async function resumeInterrupted(run: WithdrawalRun): Promise<NotePayment | undefined> {
  const { record, options, view, signal } = run;
  const attempt = record.state === "withdrawing" && !options.restart ? record.withdrawal : undefined;
  if (!attempt?.relayer) return undefined;
  view.showResuming(attempt.relayer);
  const others = options.relayer?.some((url) => url !== attempt.relayer);
  try {
    return await resumeStored(run, new RelayerClient(attempt.relayer, { signal }), attempt, {
      signal,
      pollIntervalMs: POLL_INTERVALS_MS[options.network],
      onStatus: view.showStatus,
      ...others && { timeoutMs: remainingFailoverMs(run.clock.now() - attempt.at) },
    });
  } catch (error) {
    // Another relayer may pay: the recipient is the same.
    if (!(error instanceof Problem) || error.code === "cancelled" || !options.relayer) throw error;
    view.warn("resume", `${attempt.relayer}: ${error.message}`);
    return undefined;
  }
}

export async function submitThroughRelayer(run: WithdrawalRun, prover: Prover): Promise<NotePayment> {
  const { options, pool, deployment, record, recipient, unrecoverable, view, signal } = run;
  const urls = options.relayer ?? (record.withdrawal?.relayer ? [record.withdrawal.relayer] : []);
  if (urls.length === 0) throw new Problem("invalid_config", undefined, { errors: [MISSING_RELAYER] });
  const { network } = options;
  const refund = parseUnits(options.refund);
  const maxFee = maxFeeOf(deployment, options);
  const { quotes, refused } = await quoteRelayers(
    [...new Set(urls)].map((url) => new RelayerClient(url, { signal })),
    { network, pool: pool.address },
    { onWaiting: view.showWaiting },
  );
  view.showQuotes(quotes, refused);
  const candidates = selectQuotesByRefund(quotes, refund);
  assertFeeWithinLimit(candidates, maxFee, deployment);
  return await withdrawStored(run, candidates, {
    network,
    jetton: run.jetton,
    recipient,
    refund,
    maxFee,
    prover,
    blockedRecipients: unrecoverable,
    useRelayerPath: options.fast,
    treeTimeoutMs: run.context.treeTimeoutMs,
    approve: confirmEachRelayer(run),
    onRelayer: view.showAsking,
    onFailover: ({ baseUrl }, reason) =>
      view.warn(
        "unfinished",
        `${baseUrl} has the proof but did not finish; trying the next relayer: ${reason}`,
      ),
  }, {
    signal,
    pollIntervalMs: POLL_INTERVALS_MS[network],
    onStatus: view.showStatus,
    onProgress: view.showProving,
  });
}

/** Asks again only if the next relayer costs more or would learn more. */
function confirmEachRelayer(run: WithdrawalRun): RelayedWithdrawalRequest["approve"] {
  let confirmedFee = -1n;
  const pathRelayers = new Set<RelayerClient>();
  return async ({ relayer, relayerAddress, fee, tree }) => {
    const learnsDeposit = run.options.fast && !pathRelayers.has(relayer);
    const isRecipient = relayerAddress.equals(run.recipient);
    if (fee <= confirmedFee && !learnsDeposit && !isRecipient) return;
    if (isRecipient) run.view.warn(...relayerWalletWarning(relayer.baseUrl));
    await confirmWithdrawal(run, { fee, tree, through: relayer.baseUrl });
    pathRelayers.add(relayer);
    confirmedFee = fee;
  };
}

/** Throws `refund_above_limit` with the maximum of each relayer. */
function selectQuotesByRefund(quotes: readonly RelayerQuote[], refund: bigint): RelayerQuote[] {
  const candidates = quotes.filter(({ maxRefund }) => maxRefund >= refund);
  if (candidates.length > 0) return candidates;
  const highest = quotes.reduce((max, { maxRefund }) => maxRefund > max ? maxRefund : max, 0n);
  throw new Problem("refund_above_limit", undefined, {
    errors: quotes.map(({ relayer, maxRefund }) => ({
      pointer: relayer.baseUrl,
      detail: `pays ${formatNative(maxRefund)} at most`,
    })),
    hint: highest > 0n
      ? `Run it again with \`--refund ${
        formatUnits(highest, NATIVE_DECIMALS)
      }\` or less, or use another relayer; nothing was submitted.`
      : "Run it again without --refund, or use another relayer; nothing was submitted.",
  });
}

/** Without `--yes` any fee is allowed, because the user confirms each one. */
function maxFeeOf({ denomination, decimals }: Deployment, { maxFee, yes }: WithdrawOptions): bigint {
  if (maxFee !== undefined) return parseUnits(maxFee, decimals);
  return yes ? defaultMaxFee(denomination) : denomination;
}

function assertFeeWithinLimit(quotes: readonly RelayerQuote[], maxFee: bigint, deployment: Deployment): void {
  const [cheapest] = quotes;
  if (cheapest.fee <= maxFee) return;
  const cheapestFee = formatUnits(cheapest.fee, deployment.decimals);
  throw new Problem("fee_above_limit", undefined, {
    errors: quotes.map(({ relayer, fee }) => ({
      pointer: relayer.baseUrl,
      detail: `charges ${formatAmount(fee, deployment)}, more than the limit of ${
        formatAmount(maxFee, deployment)
      }`,
    })),
    hint: `\`--max-fee ${cheapestFee}\` allows the cheapest of them; nothing was submitted.`,
  });
}
