/** Deposits into version 2 pools: a transfer of the exact amount with the commitment, without a proof. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { type Note, placeNote } from "../../core/protocol/note.ts";
import { depositComment } from "../../core/protocol/v2/messages.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import type { Chain, TransactionId } from "../../ton/chain.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import type { DepositEvent } from "../../ton/pool/history/pool_events.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { assertNoteMatchesPool, type PoolJetton } from "../notes/pool_match.ts";
import { refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import { assertJettonDepositFunds, assertNotBounced } from "./deposit_jetton.ts";
import { openPayer, type Payer, type PayerSource, type PaymentRequest, requestAndWait } from "./payer.ts";
import { type DepositResult, toDepositResult } from "./deposit_events.ts";
import { assertOpen } from "./checks/pool_checks.ts";
import { buildTransferMessage, type TransferMessage } from "./transfer_message.ts";

/** A deposit into a version 2 pool. */
export interface TransferDepositRequest {
  readonly chain: Chain;
  readonly pool: V2Pool;
  readonly network: Network;
  /** A version 2 note. Store it first: after the payment, only the note gives access to it. */
  readonly note: Note;
  /** Pays. Without wallet and payer, the `payment` step reports what coins any wallet can pay. */
  readonly wallet?: Wallet | undefined;
  /** Pays, instead of `wallet`. A payment from any other wallet is accepted as well. */
  readonly payer?: PayerSource | undefined;
  /** Required for jettons. */
  readonly jetton?: PoolJetton | undefined;
  /** Seconds of chain time that `payer` has. Default: 300. */
  readonly validForSeconds?: number;
  readonly pollIntervalMs?: number;
  /** How long to wait for a payment by another wallet. Default: half an hour. */
  readonly timeoutMs?: number;
  readonly onStep?: (step: TransferDepositStep) => void;
  readonly clock?: Clock;
}

/**
 * A payment that never expires. Another amount with the comment comes back to the wallet that sent it. Without the
 * comment, only exactly `amount` comes back: the pool keeps any other amount.
 */
export interface DepositPayment {
  /** `ton://transfer/...`, with address, amount and comment. A wallet that drops the comment returns the coins. */
  readonly url: string;
  /** The pool. */
  readonly to: Address;
  /** In nano. Pay exactly this amount. */
  readonly amount: bigint;
  readonly comment: string;
}

/** `refused`: the pool returned a payment with this note's commitment to its sender. */
export type TransferDepositStep =
  | { readonly step: "syncing" | "sending" | "waiting" }
  | { readonly step: "payment"; readonly payment: DepositPayment }
  | { readonly step: "refused"; readonly reason: string; readonly sender: Address };

/**
 * Deposits a version 2 note, or finds its earlier deposit. Returns when the pool has queued it; it can be withdrawn once
 * it is settled.
 * @throws {Problem} `wrong_pool`; `tree_full`; `pool_closed` if the pool accepts no deposit; `nullifier_already_used` if the note is
 *   spent; `contract_refused` if the pool returned the wallet's payment; `payment_timeout` if no payment arrived in time;
 *   `cancelled`
 * @example
 * ```ts
 * const note = createNote({ asset: "native", amount: "10", network: "testnet", version: 2 });
 * // store formatNote(note), encrypted, before the next line
 * const { leafIndex } = await depositByTransfer({ chain, pool, network: "testnet", note, wallet });
 * ```
 */
export async function depositByTransfer(
  request: TransferDepositRequest,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<DepositResult> {
  const { chain, pool, note, network, wallet, validForSeconds = 300, onStep = () => {} } = request;
  const { jetton } = request;
  const matched = await assertNoteMatchesPool(pool, note, network, jetton);
  onStep({ step: "syncing" });
  const account = await chain.account(pool.address, { signal });
  const { last: after } = account;
  const known = await findDeposit(request, signal);
  if (known !== undefined) return { ...toDepositResult(known), attempts: 1 };
  await assertOpen(pool, { account, signal });
  const payer = request.payer && await openPayer(request.payer);
  const owner = wallet?.address ?? payer?.address;
  const asComment = wallet === undefined;
  const transfer = await buildTransferMessage({ pool, note, matched, jetton, owner, asComment });
  const { to, value: amount, body } = transfer.message;
  const wait = { ...request, payer, onStep, transfer };
  const finish = async (event: Promise<DepositEvent>) => ({ ...toDepositResult(await event), attempts: 1 });
  if (wallet !== undefined) {
    onStep({ step: "sending" });
    if (jetton) {
      const funds = { chain, wallet, jetton };
      await assertJettonDepositFunds(funds, matched, transfer.jettonWallet!, await pool.getDepositValue());
    }
    const walletAfter = jetton && (await chain.account(wallet.address, { signal })).last;
    const { validUntil } = await wallet.send([transfer.message]);
    onStep({ step: "waiting" });
    return await finish(waitForPayment(wait, { after, validUntil, walletAfter }, signal));
  }
  if (payer !== undefined) {
    onStep({ step: "sending" });
    const { syncUtime } = await chain.account(pool.address, { signal }); // a device's clock may be wrong
    const validUntil = syncUtime + validForSeconds;
    return await finish(requestAndWait(payer, { to, amount, body }, {
      validUntil,
      signal,
      wait: (paymentRequest, signal) => waitForPayment(wait, { after, validUntil, paymentRequest }, signal),
    }));
  }
  onStep({ step: "payment", payment: buildPayment(to, amount, note) });
  return await finish(waitForPayment(wait, { after, validUntil: Infinity }, signal));
}

/**
 * Returns the payment for a note of the native coin. It never expires.
 * @param amount the pool's denomination, in nano
 * @example
 * ```ts
 * const { url, comment } = buildPayment(pool.address, denomination, note);
 * ```
 */
export function buildPayment(
  to: Address,
  amount: bigint,
  { commitment, network }: Pick<Note, "commitment" | "network">,
): DepositPayment {
  const comment = depositComment(commitment);
  const addressText = to.toString({ bounceable: true, testOnly: network !== "mainnet" });
  const url = `ton://transfer/${addressText}?amount=${amount}&text=${encodeURIComponent(comment)}`;
  return { url, to, amount, comment };
}

/** Throws `nullifier_already_used` if all of the note's leaves are spent. */
async function findDeposit(
  { chain, pool, note }: TransferDepositRequest,
  signal: AbortSignal | undefined,
): Promise<DepositEvent | undefined> {
  const log = await pool.readLog({ signal });
  const leaves = log.leavesOf(note.commitment);
  if (leaves.length === 0) return undefined;
  if (leaves.every((leafIndex) => log.isSpent(placeNote(note, leafIndex).nullifierHash))) {
    throw new Problem("nullifier_already_used", `the note was deposited and withdrawn; nothing was sent`, {
      hint: "Create a new note for another deposit.",
    });
  }
  const placed = placeNote(note, leaves[0]);
  return (await fetchNoteHistory(chain, pool.address, placed, { signal })).deposit;
}

interface AwaitedTransfer {
  readonly after: DepositEvent["tx"] | undefined;
  /** Chain time in Unix seconds; Infinity: any wallet pays, within the request's timeout. */
  readonly validUntil: number;
  readonly paymentRequest?: PaymentRequest;
  /** The wallet's last transaction before it sent jettons. */
  readonly walletAfter?: TransactionId | undefined;
}

type WaitRequest = TransferDepositRequest & Required<Pick<TransferDepositRequest, "onStep">> & {
  readonly payer: Payer | undefined;
  readonly transfer: TransferMessage;
};

async function waitForPayment(
  request: WaitRequest,
  { after, validUntil, paymentRequest, walletAfter }: AwaitedTransfer,
  signal: AbortSignal | undefined,
): Promise<DepositEvent> {
  const { chain, pool, note, wallet, pollIntervalMs = 2_000, timeoutMs = 1_800_000, onStep, transfer } =
    request;
  const { clock = systemClock } = request;
  const sender = wallet?.address ?? request.payer?.address;
  const expires = Number.isFinite(validUntil);
  const readChainTime = async () =>
    wallet === undefined
      ? (await chain.account(pool.address, { signal })).syncUtime
      : (await wallet.state()).now;
  const deadline = clock.now() + timeoutMs;
  let chainTime = 0;
  let unreadablePayer: Address | undefined;
  const event = await waitForPoolEvent<DepositEvent>(chain, pool.address, {
    after,
    pollIntervalMs,
    signal,
    clock,
    beforeScan: async () => {
      chainTime = expires ? await readChainTime() : 0;
      if (!wallet || !transfer.jettonWallet) return;
      await assertNotBounced({ chain, wallet }, transfer.jettonWallet, walletAfter, signal);
    },
    match(event) {
      if (event.kind === "deposit" && event.commitment === note.commitment) return event;
      if (event.kind !== "refused" || event.op !== "deposit") return undefined;
      if (event.commitment === undefined) unreadablePayer ??= transfer.refusedPayer(event);
      if (event.commitment !== note.commitment) return undefined;
      const payer = transfer.refusedPayer(event);
      if (payer === undefined) return undefined;
      const reason = refusalReason(event.exitCode);
      if (sender?.equals(payer)) {
        throw new Problem("contract_refused", `the pool returned the payment: ${reason}`);
      }
      onStep({ step: "refused", reason, sender: payer });
      return undefined;
    },
    afterScan: () => expires ? chainTime > validUntil + transfer.expiryGraceSeconds : clock.now() > deadline,
  });
  if (event !== undefined) return event;
  const payerText = unreadablePayer?.toString({ bounceable: false, testOnly: request.network !== "mainnet" });
  throw paymentRequest?.fault ?? new Problem(
    "payment_timeout",
    expires
      ? "the wallet's transfer was not included in a block in time"
      : "no payment with the note's commitment arrived in time; one that arrives later is accepted",
    expires || payerText === undefined ? {} : {
      hint: `Meanwhile the pool returned a payment to ${payerText}, ` +
        "because it could not read the commitment in it. If that was your wallet, run the command again and " +
        "send exactly the comment that it shows, not encrypted.",
    },
  );
}
