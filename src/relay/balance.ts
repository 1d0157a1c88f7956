/**
 * The wallet's balance: asked at most every few seconds however many withdrawals come, and watched, so that the operator
 * hears before the wallet is empty. It decides nothing but when to speak.
 */
import { formatUnits } from "../core/units.ts";
import type { Log } from "../telemetry/log.ts";
import type { CallOptions } from "../ton/chain.ts";
import type { Wallet } from "../ton/wallet.ts";
import type { Clock } from "./clock.ts";
import { Fresh } from "./fresh.ts";
import type { Leadership } from "./leadership.ts";

/** For so long an answer is as good as a new one: less than a transfer takes. */
const FRESH_MS = 2_000;
const WATCH_MS = 30_000;
/** What a balance must be above a threshold to count as recovered, so that it does not waver around it. */
const RECOVERED = { of: 11n, by: 10n };

/** Balances below which it warns, and below which no withdrawal is taken on; nano, 0: never. */
export interface BalanceBounds {
  readonly warn: bigint;
  readonly stop: bigint;
}

/** How the wallet is doing. */
export type BalanceLevel = "ok" | "low" | "stopped";

/** A change of level that the operator must know. */
export interface BalanceAlert {
  readonly event: "balance_ok" | "balance_low" | "balance_stopped";
  /** Nano. */
  readonly balance: bigint;
  readonly bounds: BalanceBounds;
}

/** The balance of one wallet. */
export class Balance {
  readonly #wallet: Pick<Wallet, "balance">;
  readonly #asked: Fresh<bigint>;
  /** Nano, as last known; undefined until it is. */
  known: bigint | undefined;
  /** As the watch last found it. */
  level: BalanceLevel = "ok";

  constructor(wallet: Pick<Wallet, "balance">, clock: Clock, readonly bounds: BalanceBounds) {
    this.#wallet = wallet;
    this.#asked = new Fresh(clock, { ms: FRESH_MS });
  }

  /** Nano, two seconds old at most. @throws {Problem} `chain_unavailable` and the like */
  current(options?: CallOptions): Promise<bigint> {
    return this.#asked.get("balance", async () => this.known = await this.#wallet.balance(options));
  }

  /** The level that a balance means, coming from the present one. */
  levelOf(balance: bigint): BalanceLevel {
    const { warn, stop } = this.bounds;
    const below = (bound: bigint, already: boolean) =>
      balance < (already ? bound * RECOVERED.of / RECOVERED.by : bound);
    if (below(stop, this.level === "stopped")) return "stopped";
    return below(warn, this.level !== "ok") ? "low" : "ok";
  }
}

/** An alert as it is posted: amounts in whole native units, and a line for people that chats show. */
export function alertDocument(
  { event, balance, bounds }: BalanceAlert,
  relayer: { readonly network: string; readonly address: string },
): Record<string, string> {
  const [shown, warn, stop] = [balance, bounds.warn, bounds.stop].map((nano) => formatUnits(nano));
  const { network, address } = relayer;
  const says = {
    balance_ok: "holds enough again",
    balance_low: "runs low",
    balance_stopped: "holds too little to take withdrawals on",
  };
  const text = `tonado relayer ${address} of ${network} ${says[event]}: ${shown}`;
  return { event, network, relayer: address, balance: shown, warn, stop, text };
}

/** What watching needs. */
export interface BalanceWatch {
  readonly clock: Clock;
  /** Every replica watches, and one tells. */
  readonly leadership: Pick<Leadership, "leads">;
  readonly log: Log;
  /** Is told of each change of level, and must not throw. */
  readonly alert: (alert: BalanceAlert) => void;
}

/**
 * Watches until `signal` aborts. Who takes the lead over tells of a wallet that is low once more, because whoever led
 * before may have died on it.
 */
export async function watchBalance(
  balance: Balance,
  { clock, leadership, log, alert }: BalanceWatch,
  signal: AbortSignal,
): Promise<void> {
  let told: BalanceLevel = "ok";
  while (!signal.aborted) {
    try {
      const now = await unlessAborted(balance.current(), signal);
      if (now === undefined) return;
      const level = balance.levelOf(now);
      if (level !== balance.level) {
        balance.level = level;
        say(log, level, { balance: formatUnits(now) });
      }
      if (leadership.leads && level !== told) {
        alert({ event: `balance_${level}`, balance: now, bounds: balance.bounds });
      }
      if (leadership.leads || level === "ok") told = level;
    } catch {
      // An endpoint that does not answer is the indexer's to tell of.
    }
    await clock.sleep(WATCH_MS, signal);
  }
}

/** An endpoint that hangs must not keep the relayer from ending. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const end = () => aborted.resolve(undefined);
  signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", end); // the signal lives as long as the relayer, and this comes every half minute
  }
}

function say(log: Log, level: BalanceLevel, members: { balance: string }): void {
  if (level === "ok") log.info("the wallet holds enough again: {balance}", members);
  else if (level === "low") log.warning("the wallet runs low: {balance}; fund it", members);
  else log.error("the wallet holds too little to take withdrawals on: {balance}; fund it", members);
}
