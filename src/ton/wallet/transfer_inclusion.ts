/**
 * Finds a sent transfer in the wallet's transactions, which alone prove that the wallet accepted it. An answer to a send
 * can be lost or false, and a higher seqno can come from another transfer or from a false response.
 */
import type { Address } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pollUntil } from "../../core/time/deadline.ts";
import type { Chain, ChainTransaction, TransactionId } from "../chain.ts";
import { readTransactionsBack } from "../transaction_history.ts";
import { normalizedMessageHash, type SignedTransfer, TRANSFER_TTL_SECONDS, type Wallet } from "./wallet.ts";

const PAGE_SIZE = 20;

/** A shard block may be dated this much before the requested masterchain block. */
export const MAX_BLOCK_TIME_SKEW_SECONDS = 15;

/** By this machine's clock. A transfer expires after {@linkcode TRANSFER_TTL_SECONDS} of the chain's. */
const TIMEOUT_MS = 600_000;

interface TransferWait {
  /** Default: 2,000. */
  readonly pollIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the wallet's transaction that accepted a transfer, if it is at `from` or before.
 * @param transfer its normalised hash, and Unix seconds before which no block can contain it
 */
export async function findTransfer(
  chain: Chain,
  wallet: Address,
  { hash, since }: { readonly hash: string; readonly since: number },
  { from, signal }: { readonly from: TransactionId | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ChainTransaction | undefined> {
  if (from === undefined) return undefined;
  for await (const found of readTransactionsBack(chain, wallet, { from, pageSize: PAGE_SIZE, signal })) {
    if (found.now < since - MAX_BLOCK_TIME_SKEW_SECONDS) return undefined;
    const { inMessage } = found.raw;
    if (inMessage?.info.type !== "external-in") continue;
    if (normalizedMessageHash(wallet, inMessage.body) === hash) return found;
  }
  return undefined;
}

/**
 * Waits for a transfer of `wallet.send`. Returns false if it has expired and can no longer be accepted.
 * @throws {Problem} `chain_unavailable` if the endpoint shows neither within ten minutes
 */
export async function isTransferAccepted(
  chain: Chain,
  wallet: Address,
  { hash, validUntil }: SignedTransfer,
  { pollIntervalMs: intervalMs = 2_000, clock, signal }: TransferWait,
): Promise<boolean> {
  const since = validUntil - TRANSFER_TTL_SECONDS;
  let isAccepted = false;
  const isKnown = await pollUntil(async () => {
    // `last` and `syncUtime` are of one block: a transaction that is missing up to `last` can only be in a later one.
    const { last, syncUtime } = await chain.account(wallet, { signal });
    isAccepted = await findTransfer(chain, wallet, { hash, since }, { from: last, signal }) !== undefined;
    return isAccepted || syncUtime > validUntil + MAX_BLOCK_TIME_SKEW_SECONDS;
  }, { intervalMs, timeoutMs: TIMEOUT_MS, clock, signal });
  if (!isKnown) {
    throw new Problem(
      "chain_unavailable",
      "the endpoint shows no new blocks: a transfer may have been sent",
      {
        hint: `Look for ${hash} in an explorer before you run the command again.`,
      },
    );
  }
  return isAccepted;
}

/** Waits until the wallet has accepted a transfer of `wallet.send`. Throws `chain_unavailable` after it has expired. */
export async function confirmTransfer(
  chain: Chain,
  wallet: Pick<Wallet, "address" | "format">,
  transfer: SignedTransfer,
  wait: TransferWait,
): Promise<void> {
  if (await isTransferAccepted(chain, wallet.address, transfer, wait)) return;
  throw new Problem(
    "chain_unavailable",
    `wallet ${wallet.format()} did not accept the transfer before it expired: the endpoint lost it, or another program ` +
      "used the wallet at the same time",
    { hint: "The transfer sent nothing. Run the command again." },
  );
}
