import type { Address } from "@ton/core";
import { pollUntil } from "../../../core/time/deadline.ts";
import type { Chain, TransactionId } from "../../../ton/chain.ts";
import { fetchJettonWalletAddress } from "../../../ton/jetton/jetton.ts";
import { incomingMessagesSince } from "../../../ton/wallet/incoming_messages.ts";
import type { DepositTicket } from "../../flows/deposit/deposit_state.ts";
import type { Payer } from "../../ports.ts";
import { type AppContext, depositChain, findStoredNote, type Session } from "../context.ts";

const RETURN_TIMEOUT_MS = 120_000;

/**
 * Waits for the return of a refused payment, for at most two minutes. Returns whether it came.
 * @param after the wallet's newest transaction before the payment, see {@linkcode newestTransaction}
 */
export async function waitForReturn(
  context: AppContext,
  session: Session,
  { ticket, payer, after }: {
    readonly ticket: DepositTicket;
    readonly payer: Payer | undefined;
    readonly after: TransactionId | undefined;
  },
  signal: AbortSignal,
): Promise<boolean> {
  if (payer === undefined) return false;
  const chain = depositChain(context);
  const { pool, jetton } = await findStoredNote(context, session, ticket.id, chain);
  const sender = jetton
    ? await fetchJettonWalletAddress(chain, jetton.jettonMaster, payer.address)
    : pool.address;
  return await pollUntil(async () => {
    const messages = await incomingMessagesSince(chain, payer.address, after, { signal });
    return messages.some(({ info }) => info.type === "internal" && sender.equals(info.src));
  }, {
    signal,
    intervalMs: context.pollIntervalMs,
    clock: context.clock,
    timeoutMs: RETURN_TIMEOUT_MS,
  });
}

export async function newestTransaction(chain: Chain, address: Address): Promise<TransactionId | undefined> {
  return (await chain.account(address)).last;
}
