/** Deposits into version 2 pools: a plain transfer of the exact amount with the commitment, from any wallet. */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { type Note, placeNote } from "../../core/protocol/note.ts";
import { depositComment } from "../../core/protocol/v2/messages.ts";
import { type Clock, systemClock } from "../../core/time.ts";
import type { Chain } from "../../ton/chain.ts";
import { fetchNoteHistory } from "../../ton/pool/history/note_history.ts";
import type { DepositEvent } from "../../ton/pool/history/pool_events.ts";
import type { V2Pool } from "../../ton/pool/v2/pool.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import { assertNoteMatchesPool } from "../notes/pool_match.ts";
import { refusalReason, waitForPoolEvent } from "../pool_watch.ts";
import { type Payer, type PaymentRequest, requestAndWait } from "./payer.ts";
import { type DepositResult, toDepositResult } from "./deposit_events.ts";

export interface TransferDepositRequest {
  readonly chain: Chain;
  readonly pool: V2Pool;
  readonly network: Network;
  /** A version 2 note. Store it first: once paid, it is the money. */
  readonly note: Note;
  /** Pays. Without wallet and payer, the `payment` step says what to pay, and a payment from any wallet counts. */
  readonly wallet?: Wallet | undefined;
  /** Pays, instead of `wallet`. A payment from any wallet counts here as well. */
  readonly payer?: Payer | undefined;
  /** Seconds of chain time that `payer` has. Default: 300. */
  readonly validForSeconds?: number;
  readonly pollIntervalMs?: number;
  /** How long to wait for a payment by another wallet. Default: half an hour. */
  readonly timeoutMs?: number;
  readonly onStep?: (step: TransferDepositStep) => void;
  readonly clock?: Clock;
}

/** A payment that never expires. Any other amount comes back to the wallet that sent it. */
export interface DepositPayment {
  /** `ton://transfer/...`, with address, amount and comment. */
  readonly url: string;
  readonly to: Address;
  /** In nano, exactly. */
  readonly amount: bigint;
  /** The text to send with it. */
  readonly comment: string;
}

/** `refused`: the pool returned a payment with this note's commitment to its sender. */
export type TransferDepositStep =
  | { readonly step: "syncing" | "sending" | "waiting" }
  | { readonly step: "payment"; readonly payment: DepositPayment }
  | { readonly step: "refused"; readonly reason: string; readonly sender: Address };

/** Blocks up to `validUntil` are visible at the endpoint after this many seconds. */
const EXPIRY_GRACE_SECONDS = 15;

/**
 * Deposits a version 2 note, or finds its earlier deposit. Returns when the pool has queued it; it can be withdrawn once
 * it is settled.
 * @throws {Problem} `wrong_pool`; `nullifier_already_used` if the note is spent; `contract_refused` if the pool returned
 *   the wallet's payment; `payment_timeout` if no payment arrived in time; `cancelled`
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
  const { chain, pool, note, network, wallet, payer, validForSeconds = 300, onStep = () => {} } = request;
  const { denomination } = await assertNoteMatchesPool(pool, note, network);
  onStep({ step: "syncing" });
  const after = (await chain.account(pool.address, { signal })).last;
  const known = await findDeposit(request, signal);
  if (known !== undefined) return { ...toDepositResult(known), attempts: 1 };
  const { commitment } = note;
  const wait = { ...request, onStep };
  const finish = async (event: Promise<DepositEvent>) => ({ ...toDepositResult(await event), attempts: 1 });
  if (wallet !== undefined) {
    onStep({ step: "sending" });
    const message = pool.buildDepositMessage({ commitment, value: denomination });
    const { validUntil } = await wallet.send([message]);
    onStep({ step: "waiting" });
    return await finish(waitForPayment(wait, { after, validUntil }, signal));
  }
  if (payer !== undefined) {
    onStep({ step: "sending" });
    const { to, value: amount, body } = pool.buildCommentDepositMessage({ commitment, value: denomination });
    const { syncUtime } = await chain.account(pool.address, { signal }); // a device's clock may be wrong
    const validUntil = syncUtime + validForSeconds;
    return await finish(requestAndWait(payer, { to, amount, body }, {
      ...{ validUntil, signal },
      wait: (asked, signal) => waitForPayment(wait, { after, validUntil, asked }, signal),
    }));
  }
  onStep({ step: "payment", payment: buildPayment(pool.address, denomination, note) });
  return await finish(waitForPayment(wait, { after, validUntil: Infinity }, signal));
}

/** Returns what to pay for a note. It stays right for ever. */
export function buildPayment(to: Address, amount: bigint, { commitment, network }: Note): DepositPayment {
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
  readonly asked?: PaymentRequest;
}

async function waitForPayment(
  request: TransferDepositRequest & Required<Pick<TransferDepositRequest, "onStep">>,
  { after, validUntil, asked }: AwaitedTransfer,
  signal: AbortSignal | undefined,
): Promise<DepositEvent> {
  const { chain, pool, note, wallet, pollIntervalMs = 2_000, timeoutMs = 1_800_000, onStep } = request;
  const { clock = systemClock } = request;
  const sender = wallet?.address ?? request.payer?.address;
  const expires = Number.isFinite(validUntil);
  const readChainTime = async () =>
    wallet === undefined
      ? (await chain.account(pool.address, { signal })).syncUtime
      : (await wallet.state()).now;
  const deadline = clock.now() + timeoutMs;
  let chainTime = 0;
  const event = await waitForPoolEvent<DepositEvent>(chain, pool.address, {
    ...{ after, pollIntervalMs, signal, clock },
    beforeScan: async () => void (chainTime = expires ? await readChainTime() : 0),
    match(event) {
      if (event.kind === "deposit" && event.commitment === note.commitment) return event;
      if (event.kind !== "refused" || event.commitment !== note.commitment) return undefined;
      const reason = refusalReason(event.exitCode);
      if (sender?.equals(event.sender)) {
        throw new Problem("contract_refused", `the pool returned the payment: ${reason}`);
      }
      onStep({ step: "refused", reason, sender: event.sender });
      return undefined;
    },
    afterScan: () => expires ? chainTime > validUntil + EXPIRY_GRACE_SECONDS : clock.now() > deadline,
  });
  if (event !== undefined) return event;
  throw asked?.fault ?? new Problem(
    "payment_timeout",
    expires
      ? "the wallet's transfer was not included in a block in time"
      : "no payment arrived in time; one that arrives later is not lost",
  );
}
