/** What the flow of a deposit needs from the services. */
import type { Payer, PayerSource, PayMessage } from "../../ports.ts";
import type { DepositEvent, DepositTicket, OpenedDeposit, PoolChoice, Question } from "./deposit_state.ts";

export interface DepositServices {
  /** Counts the deposits of every pool, so the endpoint does not learn the choice. Omits pools that do not respond. */
  sizes(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /** Returns what a withdrawal from each pool costs now, in whole units. Omits pools that no relayer serves. */
  fees(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Verifies the pool, and stores a new note as `depositing` before it returns. */
  prepare(pool: PoolChoice, signal: AbortSignal): Promise<DepositTicket>;
  /** Verifies the pool of a stored note. Stores a `created` note as `depositing` if its backup is proven. */
  open(id: string, signal: AbortSignal): Promise<OpenedDeposit>;
  /** Builds the message to pay now. For a version 1 pool, it proves the next free leaf. */
  build(
    ticket: DepositTicket,
    payer: Payer,
    options: { readonly signal: AbortSignal; readonly onProgress: (fraction: number) => void },
  ): Promise<{ readonly message: PayMessage; readonly question: Question }>;
  /** Reports the note's events in the pool's log until it is deposited. A later call reports only later events. */
  watch(
    ticket: DepositTicket,
    signal: AbortSignal,
    send: (event: Extract<DepositEvent, { type: "seen" | "refused" | "chain_time" | "unreachable" }>) => void,
  ): Promise<void>;
  /** Returns whether a refused payment came back to the wallet within two minutes. */
  waitForReturn(ticket: DepositTicket, payer: Payer | undefined, signal: AbortSignal): Promise<boolean>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  connect(source: PayerSource, onLink: (link: string) => void, signal: AbortSignal): Promise<Payer>;
}
