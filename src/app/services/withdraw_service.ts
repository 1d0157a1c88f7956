/** Withdraws through relayers: checks recipient and relayers, and journals every proof before submitting it. */
import { Address } from "@ton/core";
import type { NotePayment } from "../../client/notes/note_payment.ts";
import { allAttempts, findPayableAttempts, wasSentTo } from "../../client/notes/withdrawal_attempts.ts";
import { findNote } from "../../client/notes/note_store.ts";
import { quoteRelayers } from "../../client/relayer/relayer_quotes.ts";
import { assertPayableAddress, unrecoverableAddresses } from "../../client/withdrawal/recipient_check.ts";
import {
  recordPaid,
  resumeStored,
  withdrawStored,
} from "../../client/withdrawal/stored/stored_withdrawal.ts";
import { countLaterStrangers } from "../../client/withdrawal/warnings/later_deposits.ts";
import {
  JETTON_REFUND_NANO,
  type WithdrawalFacts,
} from "../../client/withdrawal/warnings/withdrawal_facts.ts";
import { Problem } from "../../core/errors/problem.ts";
import {
  FAILOVER_TIMEOUT_MS,
  remainingFailoverMs,
  type WithdrawalWaitOptions,
} from "../../client/withdrawal/withdrawal_wait.ts";
import type { Deployment } from "../../core/protocol/deployments.ts";
import { formatAmount } from "../../core/protocol/units.ts";
import type { CheckingState, WithdrawEvent, WithdrawServices } from "../flows/withdraw/withdraw_state.ts";
import {
  isHighFee,
  type ReviewedOffer,
  type WithdrawalProgress,
  type WithdrawalReceipt,
} from "../flows/withdraw/withdrawal_facts.ts";
import {
  type AppContext,
  findStoredNote,
  locked,
  relayerOf,
  type Session,
  type StoredNote,
  withdrawalChain,
} from "./context.ts";
import { readTree } from "./pages/pool_pages.ts";
import { findUnderway, relayersWithProof } from "./withdrawal/earlier_attempts.ts";
import { depositOf, findOwnLeaves, loggedDeposit } from "./withdrawal/note_log.ts";
import { placeAttempted, placeNoteByPages } from "./withdrawal/placed_note.ts";
import { parseRecipient } from "./withdrawal/recipient.ts";
import { findWarnings } from "./withdrawal/withdrawal_warnings.ts";

export function withdrawServices(context: AppContext, session: Session): WithdrawServices {
  return {
    review: (checking, signal) => review(context, session, checking, signal),
    async waitForFailover(id, signal) {
      const { withdrawal } = findNote(await session.store.list(), id);
      if (withdrawal === undefined) return;
      await context.clock.sleep(remainingFailoverMs(context.clock.now() - withdrawal.at), signal);
    },
    withdraw: (id, recipient, offers, signal, send) =>
      locked(session, () => withdraw(context, session, { id, recipient, offers }, signal, send)),
    resume: (id, signal, send) => locked(session, () => resume(context, session, id, signal, send)),
  };
}

async function resume(
  context: AppContext,
  session: Session,
  id: string,
  signal: AbortSignal,
  send: Send,
): ReturnType<WithdrawServices["resume"]> {
  const stored = await findStoredNote(context, session, id, withdrawalChain(context));
  const { record, pool, deployment } = stored;
  const { withdrawal: attempt } = record;
  if (attempt?.relayer !== undefined) {
    send({ type: "progress", progress: { stage: "confirming" } });
    const withdrawal = await placeAttempted(context, session, stored, signal);
    const payment = await resumeStored(withdrawal, relayerOf(attempt.relayer, signal), attempt, {
      signal,
      pollIntervalMs: context.pollIntervalMs,
      ...statusCallbacks(send),
    });
    if (payment) return toPaid(context, deployment, payment, Address.parse(attempt.recipient));
  }
  // A relayer's report that a withdrawal failed proves nothing: it can still send a proof with a known root.
  const payable = await findPayableAttempts(pool, allAttempts(record), { signal });
  return { type: "prove_again", isSubmitted: payable.length > 0 };
}

async function review(
  context: AppContext,
  session: Session,
  { id, recipient: text, isSubmitted, isFailover }: CheckingState,
  signal: AbortSignal,
): ReturnType<WithdrawServices["review"]> {
  const { network } = context.registry;
  const { relayers: urls, isShared } = context.connections();
  const chain = withdrawalChain(context);
  const stored = await findStoredNote(context, session, id, chain);
  const { deployment, pool, record } = stored;
  const recipient = parseRecipient(text, network);
  const assetKind = stored.jetton ? "jetton" : "native";
  assertPayableAddress(recipient, assetKind, unrecoverableAddresses(context.registry));
  const underway = isSubmitted ? undefined : await findUnderway(session, stored, signal);
  if (underway) return { type: "underway", recipient: underway };
  const withProof = isFailover ? await relayersWithProof(session, record) : new Set<string>();
  const relayers = urls.map((url) => relayerOf(url))
    .filter(({ baseUrl }) => !withProof.has(baseUrl));
  const quoting = quoteRelayers(relayers, { network, pool: pool.address }, { clock: context.clock });
  quoting.catch(() => {}); // an endpoint failure is reported first
  // The endpoint learns the recipient, which the withdrawal makes public anyway.
  const [account, treeSize] = await Promise.all([
    chain.account(recipient, { signal }),
    pool.getTreeSize({ signal }),
  ]);
  const deposit = await depositOf(context, session, stored, signal);
  const facts = {
    deposit,
    logged: loggedDeposit(session, id, deposit?.leafIndex),
    later: deposit?.leafIndex === undefined ? undefined : countLaterStrangers(
      treeSize,
      deposit.leafIndex,
      await findOwnLeaves(context, session, deployment),
    ),
    recipient,
    recipientReused: wasSentTo(await session.store.list(), id, recipient),
    account,
    assetKind,
    pathFromRelayer: false,
    selfRelayed: false,
    sameEndpoint: isShared,
    now: Math.min(context.clock.now(), account.syncUtime * 1000),
  } satisfies Omit<WithdrawalFacts, "refund">;
  const { quotes, refused } = await quoting;
  const offers = quotes.filter(({ fee }) => fee < deployment.denomination).map(
    ({ relayer, fee, maxRefund }): ReviewedOffer => {
      const refund = refundOf(stored, maxRefund);
      return {
        url: relayer.baseUrl,
        fee,
        refund,
        feeText: formatAmount(fee, deployment),
        feeShare: Number(fee) / Number(deployment.denomination),
        youGet: formatAmount(deployment.denomination - fee, deployment),
        warnings: findWarnings({ ...facts, refund }),
        isFeeHigh: isHighFee(fee, deployment.denomination),
      };
    },
  );
  if (offers.length === 0) {
    throw new Problem("relayer_unavailable", "every relayer asks for the whole amount as its fee");
  }
  const shown = recipient.toString({ bounceable: false, testOnly: network !== "mainnet" });
  const unavailable = refused.map(({ pointer, detail }) => ({ url: pointer, reason: detail }));
  return { type: "reviewed", review: { recipient: shown, offers, refused: unavailable } };
}

type Send = Parameters<WithdrawServices["resume"]>[2];

function statusCallbacks(send: Send): Required<Pick<WithdrawalWaitOptions, "onAccepted" | "onStatus">> {
  const onAccepted = () => send({ type: "accepted" });
  return {
    onAccepted,
    onStatus({ state }) {
      if (state === "accepted" || state === "broadcast") onAccepted();
      send({ type: "progress", progress: { stage: state === "accepted" ? "sending" : "confirming" } });
    },
  };
}

async function withdraw(
  context: AppContext,
  session: Session,
  { id, recipient: text, offers }: {
    readonly id: string;
    readonly recipient: string;
    readonly offers: readonly ReviewedOffer[];
  },
  signal: AbortSignal,
  send: Parameters<WithdrawServices["withdraw"]>[4],
): ReturnType<WithdrawServices["withdraw"]> {
  const { registry: { network }, pollIntervalMs } = context;
  const chain = withdrawalChain(context);
  const stored = await findStoredNote(context, session, id, chain);
  const { record, deployment, jetton } = stored;
  const recipient = parseRecipient(text, network);
  const underway = await findUnderway(session, stored, signal, recipient);
  if (underway) return { type: "underway", recipient: underway };
  const [{ fee: maxFee, refund }] = offers;
  const onStage = (progress: WithdrawalProgress) => send({ type: "progress", progress });
  onStage({ stage: "tree" });
  const stopDownloads = context.artifacts.subscribe(({ received, total }) =>
    onStage({ stage: "keys", ...total > 0 && { fraction: received / total } })
  );
  try {
    const placed = await placeNoteByPages(
      context,
      deployment,
      (await session.store.reveal(id)).reveal(),
      signal,
    );
    if (placed === undefined) { // another relayer that has a proof may have paid meanwhile
      if ((await relayersWithProof(session, record)).size === 0) {
        throw new Problem("nullifier_already_used", "this note has already been withdrawn");
      }
      const withdrawal = await placeAttempted(context, session, stored, signal);
      return toPaid(context, deployment, await recordPaid(withdrawal, { signal, pollIntervalMs }), recipient);
    }
    const prover = await context.prover();
    const { store } = session;
    const withdrawal = { store, id, pool: stored.pool, note: placed, clock: context.clock };
    const payment = await withdrawStored(withdrawal, offers.map(({ url }) => relayerOf(url, signal)), {
      network,
      jetton,
      recipient,
      refund,
      prover,
      isKnownUnspent: true, // from the pages
      readTree: (relayer) => readTree(context, deployment, relayer, signal),
      maxFee,
      blockedRecipients: unrecoverableAddresses(context.registry),
      onProved: () => Promise.resolve(send({ type: "submitted" })),
    }, {
      signal,
      pollIntervalMs,
      timeoutMs: FAILOVER_TIMEOUT_MS,
      onProgress: ({ fraction }) => onStage({ stage: "proof", fraction }),
      ...statusCallbacks(send),
    });
    return toPaid(context, deployment, payment, recipient);
  } finally {
    stopDownloads();
  }
}

/** Returns the refund of a jetton withdrawal: a fresh address needs coins to move jettons. */
function refundOf({ jetton }: StoredNote, maxRefund: bigint): bigint {
  if (jetton === undefined) return 0n;
  return maxRefund < JETTON_REFUND_NANO ? maxRefund : JETTON_REFUND_NANO;
}

/** @param recipient that the user chose */
function toPaid(
  { registry: { network } }: AppContext,
  deployment: Deployment,
  { recipient: paid, fee, tx }: NotePayment,
  recipient: Address,
): Extract<WithdrawEvent, { type: "paid" }> {
  const receipt: WithdrawalReceipt = {
    recipient: paid.toString({ bounceable: false, testOnly: network !== "mainnet" }),
    fee: formatAmount(fee, deployment),
    paid: formatAmount(deployment.denomination - fee, deployment),
    tx,
    isOurs: paid.equals(recipient),
  };
  return { type: "paid", receipt };
}
