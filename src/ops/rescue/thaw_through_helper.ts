/** Fills the helper contract with a frozen pool's state and lets it thaw the pool. A stopped run can be repeated. */
import type { Address, Cell } from "@ton/core";
import { Problem } from "../../core/errors/problem.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { pollUntil } from "../../core/time/deadline.ts";
import type { Chain } from "../../ton/chain.ts";
import type { SignedTransfer, Wallet } from "../../ton/wallet/wallet.ts";
import {
  PIECE_VALUE_NANO,
  rescueHelperAddress,
  rescueHelperInit,
  splitState,
  storedPieces,
  storePieceBody,
  thawBody,
} from "./thaw_helper.ts";

const ARRIVAL_TIMEOUT_MS = 120_000;

/** `count` messages fill the helper; `index` counts from 0. */
export type ThawStep =
  | { readonly step: "piece"; readonly index: number; readonly count: number }
  | { readonly step: "thaw" };

/**
 * Sends the pieces that the helper lacks, then the message that thaws the pool, whose transfer it returns. `value`: nano
 * for the pool, including the transfer's fees. Throws `payment_timeout` if a piece does not arrive.
 */
export async function thawThroughHelper(
  { chain, wallet, pool, state, value }: {
    readonly chain: Chain;
    readonly wallet: Wallet;
    readonly pool: Address;
    readonly state: Cell;
    readonly value: bigint;
  },
  { pollIntervalMs, clock = systemClock, signal, onStep = () => {} }: {
    readonly pollIntervalMs: number;
    readonly clock?: Clock;
    readonly signal?: AbortSignal;
    readonly onStep?: (step: ThawStep) => void;
  },
): Promise<SignedTransfer> {
  const to = rescueHelperAddress(wallet.address, pool);
  const { pieces, plan } = splitState(state);
  for (const [index, piece] of pieces.entries()) {
    const isStored = async () => {
      const { state, data } = await chain.account(to, { signal });
      const stored = state === "active" && data ? storedPieces(data).get(index) : undefined;
      return stored !== undefined && stored.equals(piece);
    };
    if (await isStored()) continue;
    onStep({ step: "piece", index, count: pieces.length });
    const init = rescueHelperInit(wallet.address, pool);
    const body = storePieceBody(index, piece);
    await wallet.send([{ to, value: PIECE_VALUE_NANO, bounce: true, body, init }]);
    if (
      await pollUntil(isStored, { intervalMs: pollIntervalMs, timeoutMs: ARRIVAL_TIMEOUT_MS, signal, clock })
    ) {
      continue;
    }
    throw new Problem("payment_timeout", `piece ${index + 1} of the state was sent and has not arrived yet`, {
      hint: "Run the command again: pieces that have arrived are not sent twice.",
    });
  }
  onStep({ step: "thaw" });
  return await wallet.send([{ to, value, bounce: true, body: thawBody(plan) }]);
}
