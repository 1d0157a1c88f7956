/** The port to the payer of a deposit: a connected wallet. */
import type { Address, Cell } from "@ton/core";
import { Problem, type ProblemCode } from "../../core/errors/problem.ts";

/** One message of a transfer. `amount` in nano. */
export interface PayMessage {
  /** A contract. Show its bounceable address, so that a refused payment returns. */
  readonly to: Address;
  readonly amount: bigint;
  readonly body: Cell;
}

/** How long a wallet may pay. */
export interface PayOptions {
  /** Unix seconds of the chain's clock from which the wallet must not send. */
  readonly validUntil: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Pays a message. The library does not trust its answer: only the pool's log proves a deposit.
 * @example
 * ```ts
 * const payer: Payer = { address, pay: async ({ to, amount, body }, { validUntil }) => {
 *   await wallet.sendTransaction({ validUntil, messages: [{ to, amount, payload: body }] });
 * } };
 * ```
 */
export interface Payer {
  /** The wallet that pays and owns the jettons; undefined: any wallet may pay. */
  readonly address?: Address | undefined;
  /**
   * Returns when the payment was sent, or when its owner was given the request for it.
   * @throws {Problem} `wallet_declined`, `wrong_network`, `insufficient_funds` or `chain_inconsistent` if nothing was sent
   *   and nothing will be; `wallet_unavailable` if that is unknown
   */
  pay(message: PayMessage, options: PayOptions): Promise<void>;
}

/** A payer, or what connects it: called only if the note has no earlier deposit. */
export type PayerSource = Payer | (() => Promise<Payer>);

export async function openPayer(source: PayerSource): Promise<Payer> {
  return typeof source === "function" ? await source() : source;
}

/** After any other failure of a payer, its payment may still arrive. */
const UNSENT_CODES: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "wallet_declined",
  "wrong_network",
  "insufficient_funds",
  "chain_inconsistent",
]);

export interface PaymentRequest {
  /** Rejects at once if the payer says that nothing was sent; otherwise never settles. */
  readonly unsent: Promise<never>;
  /** The payer's failure, if its payment may still arrive. */
  readonly fault: unknown;
  cancel(): void;
}

/** Finds the payment in the pool's log, because a wallet may never answer. Ends if nothing was sent. */
export async function requestAndWait<T>(
  payer: Payer,
  message: PayMessage,
  { validUntil, signal, wait }: PayOptions & {
    readonly wait: (request: PaymentRequest, signal: AbortSignal) => Promise<T>;
  },
): Promise<T> {
  const ended = new AbortController();
  const both = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const request = requestPayment(payer, message, { validUntil, signal: both });
  const waiting = wait(request, both);
  waiting.catch(() => {}); // cancelled when the race ends
  try {
    return await Promise.race([waiting, request.unsent]);
  } finally {
    ended.abort();
  }
}

function requestPayment(payer: Payer, message: PayMessage, options: PayOptions): PaymentRequest {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const request = { fault: undefined as unknown, cancel: () => stop.abort() };
  const unsent = new Promise<never>((_resolve, reject) => {
    payer.pay(message, { ...options, signal }).catch((error) => {
      if (error instanceof Problem && UNSENT_CODES.has(error.code)) reject(error);
      else if (!signal.aborted) request.fault = error;
    });
  });
  unsent.catch(() => {}); // the deposit may have ended already
  return Object.assign(request, { unsent });
}
