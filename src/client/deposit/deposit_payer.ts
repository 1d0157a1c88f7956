/** Deposits into a version 1 pool through a payer: a proof for the next free leaf, a payment, the log. */
import type { Address } from "@ton/core";
import { exitCodes, Problem } from "../../core/errors/problem.ts";
import { MerkleTree } from "../../core/tree/merkle_tree.ts";
import { systemClock } from "../../core/time/clock.ts";
import type { ProveOptions } from "../../prover/prover.ts";
import type { TransactionId } from "../../ton/chain.ts";
import type { DepositEvent, RefusedEvent } from "../../ton/pool/history/pool_events.ts";
import type { OutgoingMessage } from "../../ton/wallet/wallet.ts";
import type { PoolDepositArgs } from "../../ton/pool/pool.ts";
import { assertNoteMatchesPool, type MatchedPool, type PoolJetton } from "../notes/pool_match.ts";
import { EXPIRY_GRACE_SECONDS, refusalReason, waitForPoolEvent } from "../../ton/pool/history/pool_watch.ts";
import { commitmentsFromChain, syncWholeTree } from "../tree_sync.ts";
import type { DepositRequest } from "./deposit_attempts.ts";
import {
  type DepositResult,
  findUnspentDeposit,
  proveNextLeaf,
  refusedPayer,
  toDepositResult,
} from "./deposit_events.ts";
import { prepareJettonTransfer } from "./deposit_jetton.ts";
import { assertOpen } from "./checks/pool_checks.ts";
import {
  openPayer,
  type Payer,
  type PayerSource,
  type PaymentRequest,
  type PayMessage,
  requestAndWait,
} from "./payer.ts";

/** A deposit through a payer. */
export interface PayerDepositRequest
  extends Omit<DepositRequest, "wallet" | "maxAttempts" | "random" | "onStep"> {
  /** The payer. For jettons it must have an address. */
  readonly payer: PayerSource;
  readonly jetton?: PoolJetton | undefined;
  /** Seconds of chain time that the payer has for each payment. Default: 180. */
  readonly validForSeconds?: number;
  /** Milliseconds for the whole deposit. Default: half an hour. */
  readonly timeoutMs?: number;
  readonly onStep?: (step: PayerDepositStep) => void;
}

/** `stale`: another deposit took the leaf. `refused`: the pool returned anyone's payment for this commitment. */
export type PayerDepositStep =
  | { readonly step: "syncing" | "proving" | "stale" }
  | { readonly step: "paying"; readonly leafIndex: number; readonly message: PayMessage }
  | { readonly step: "refused"; readonly reason: string };

/**
 * Deposits a version 1 note through a payer, or finds its earlier deposit. The payer gets a new request only after its
 * last payment has returned or expired.
 * @throws {Problem} as {@linkcode depositNative} does; the payer's problem if nothing was sent; `payment_timeout`
 *   if no payment arrived in time
 * @example
 * ```ts
 * await depositByPayer({ chain, pool, network: "testnet", note, prover, payer });
 * ```
 */
export async function depositByPayer(
  request: PayerDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, prover, treeTimeoutMs, clock = systemClock, onStep = () => {} } = request;
  const { validForSeconds = 180, timeoutMs = 1_800_000 } = request;
  const { signal } = options;
  const matched = await assertNoteMatchesPool(pool, note, request.network, request.jetton);
  const source = request.source ?? commitmentsFromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();
  const deadline = clock.now() + timeoutMs;
  let prepared: PreparedPayer | undefined;
  for (let attempts = 1;; attempts++) {
    onStep({ step: "syncing" });
    const account = await chain.account(pool.address, { signal });
    const { last: after } = account;
    // In a tree that lacks a deposit, the next free leaf would already be taken.
    await syncWholeTree(pool, source, tree, { treeTimeoutMs, signal, clock });
    if (tree.indexOf(note.commitment) >= 0) {
      return { ...toDepositResult(await findUnspentDeposit(chain, pool, note, signal)), attempts };
    }
    await assertOpen(pool, { account, signal });
    const { payer, poolWallet, buildMessage } = prepared ??= await preparePayer(request, matched);
    onStep({ step: "proving" });
    const deposit = await proveNextLeaf(prover, tree, note.commitment, options);
    const { leafIndex } = deposit;
    const { to, value: amount, body } = buildMessage(deposit);
    const message = { to, amount, body };
    const { syncUtime } = await chain.account(pool.address, { signal }); // a device's clock may be wrong
    const validUntil = syncUtime + validForSeconds;
    onStep({ step: "paying", leafIndex, message });
    const event = await requestAndWait(payer, message, {
      validUntil,
      signal,
      wait: (paymentRequest, signal) =>
        waitForPayment(
          { ...request, payer, poolWallet },
          { leafIndex, after, deadline, validUntil, paymentRequest },
          signal,
        ),
    });
    if (event !== "stale") return { ...toDepositResult(event), attempts };
  }
}

interface AwaitedPayment {
  readonly leafIndex: number;
  readonly after: TransactionId | undefined;
  readonly deadline: number;
  readonly validUntil: number;
  readonly paymentRequest: PaymentRequest;
}

async function waitForPayment(
  request: Omit<PayerDepositRequest, "payer"> & {
    readonly payer: Payer;
    readonly poolWallet: Address | undefined;
  },
  { leafIndex, after, deadline, validUntil, paymentRequest }: AwaitedPayment,
  signal: AbortSignal,
): Promise<DepositEvent | "stale"> {
  const { chain, pool, note, payer, poolWallet, pollIntervalMs = 2_000, clock = systemClock } = request;
  const { onStep = () => {} } = request;
  const grace = EXPIRY_GRACE_SECONDS[note.asset === "native" ? "native" : "jetton"];
  let [chainTime, stale, returned] = [0, false, false];
  const refuse = (event: RefusedEvent) => {
    const reason = refusalReason(event.exitCode);
    onStep({ step: "refused", reason });
    // Only a refusal for this leaf counts: a late payment for an earlier leaf may be refused as well. The deposit that
    // took the leaf may come before the cursor, if the endpoint's nodes are not equally far.
    if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT) {
      if (event.leafIndex === leafIndex) [stale, returned] = [true, true];
    } else if (payer.address && refusedPayer(event, poolWallet)?.equals(payer.address)) {
      throw new Problem("contract_refused", `the pool returned the payment: ${reason}`);
    }
  };
  const deposit = await waitForPoolEvent<DepositEvent>(chain, pool.address, {
    after,
    pollIntervalMs,
    signal,
    clock,
    beforeScan: async () => {
      chainTime = (await chain.account(pool.address, { signal })).syncUtime;
    },
    match(event) {
      if (event.kind !== "deposit" && event.kind !== "refused") return undefined;
      const isOurs = event.commitment === note.commitment;
      if (event.kind === "refused") {
        if (isOurs) refuse(event);
        return undefined;
      }
      if (isOurs) return event;
      if (event.leafIndex >= leafIndex && !stale) {
        stale = true;
        paymentRequest.cancel();
      }
      return undefined;
    },
    // Requests a payment again only when the last one can no longer arrive.
    afterScan: () => clock.now() > deadline || returned || chainTime > validUntil + grace,
  });
  if (deposit !== undefined) return deposit;
  if (stale && clock.now() <= deadline) {
    onStep({ step: "stale" });
    return "stale";
  }
  throw paymentRequest.fault ?? new Problem(
    "payment_timeout",
    "no payment arrived in time; a payment that arrives later is not lost",
  );
}

interface PreparedPayer extends PreparedPayment {
  readonly payer: Payer;
}

async function preparePayer(request: PayerDepositRequest, matched: MatchedPool): Promise<PreparedPayer> {
  const payer = await openPayer(request.payer);
  return { payer, ...await preparePayment(request, matched, payer.address) };
}

interface PreparedPayment {
  /** Of a jetton pool. */
  readonly poolWallet?: Address;
  buildMessage(deposit: PoolDepositArgs): Required<Pick<OutgoingMessage, "to" | "value" | "body">>;
}

/** Prepares the payment of a version 1 deposit by `owner`. Throws as {@linkcode prepareJettonTransfer} does. */
export async function preparePayment(
  { chain, pool, jetton }: Pick<PayerDepositRequest, "chain" | "pool" | "jetton">,
  matched: MatchedPool,
  owner: Address | undefined,
): Promise<PreparedPayment> {
  const { info, denomination: value } = matched;
  if (info.assetKind === "native") {
    return { buildMessage: (deposit) => pool.buildDepositMessage({ ...deposit, value }) };
  }
  const { poolWallet, transfer } = await prepareJettonTransfer(
    { chain, pool, jetton: jetton! },
    matched,
    owner,
  );
  return {
    poolWallet,
    buildMessage: (deposit) => pool.buildJettonDepositMessage({ ...deposit, ...transfer }),
  };
}
