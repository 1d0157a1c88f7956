/** Caches and watches the balance of the relayer's wallet. */
import { formatNative, formatUnits } from "../../core/protocol/units.ts";
import type { Log } from "../../telemetry/log.ts";
import type { CallOptions } from "../../ton/chain.ts";
import type { Wallet } from "../../ton/wallet/wallet.ts";
import type { Clock } from "../../core/time/clock.ts";
import { abortable } from "../../core/time/deadline.ts";
import { TtlCache } from "../../core/time/ttl_cache.ts";
import type { Leadership } from "../operations/leadership.ts";

const BALANCE_TTL_MS = 2_000; // shorter than a transfer takes
const BALANCE_POLL_MS = 30_000;
/** A balance counts as recovered only at this multiple of the threshold. */
const RECOVERY_RATIO = { of: 11n, by: 10n };

/** The relayer warns below `warn`, and rejects withdrawals below `stop`. In nano; 0: never. */
export interface BalanceThresholds {
  readonly warn: bigint;
  readonly stop: bigint;
}

type BalanceLevel = "ok" | "low" | "stopped";

export interface BalanceAlert {
  readonly event: "balance_ok" | "balance_low" | "balance_stopped";
  readonly balance: bigint; // nano
  readonly thresholds: BalanceThresholds;
}

export class WalletBalance {
  readonly #cache: TtlCache<bigint>;
  lastKnown: bigint | undefined; // nano; undefined before the first fetch
  level: BalanceLevel = "ok";

  constructor(
    private readonly wallet: Pick<Wallet, "balance">,
    clock: Clock,
    readonly thresholds: BalanceThresholds,
  ) {
    this.#cache = new TtlCache(clock, { ttlMs: BALANCE_TTL_MS });
  }

  /** Returns nano, at most two seconds old. Throws `chain_unavailable` and similar. */
  current(options?: CallOptions): Promise<bigint> {
    return this.#cache.get("balance", async () => this.lastKnown = await this.wallet.balance(options));
  }

  /** Returns the level of a balance, with hysteresis from the current level. */
  levelOf(balance: bigint): BalanceLevel {
    const { warn, stop } = this.thresholds;
    const below = (bound: bigint, already: boolean) =>
      balance < (already ? bound * RECOVERY_RATIO.of / RECOVERY_RATIO.by : bound);
    if (below(stop, this.level === "stopped")) return "stopped";
    return below(warn, this.level !== "ok") ? "low" : "ok";
  }
}

/** The JSON body: amounts in GRAM, and a line of text for chats. */
export function buildBalanceAlertBody(
  { event, balance, thresholds: bounds }: BalanceAlert,
  relayer: { readonly network: string; readonly address: string },
): Record<string, string> {
  const [balanceText, warn, stop] = [balance, bounds.warn, bounds.stop].map((nano) => formatUnits(nano));
  const { network, address } = relayer;
  const says = {
    balance_ok: "holds enough again",
    balance_low: "runs low",
    balance_stopped: "holds too little to accept withdrawals",
  };
  const text = `tonado relayer ${address} of ${network} ${says[event]}: ${formatNative(balance)}`;
  return { event, network, relayer: address, balance: balanceText, warn, stop, text };
}

interface BalanceWatchDeps {
  readonly clock: Clock;
  readonly leadership: Pick<Leadership, "isLeader">; // every replica watches; only the leader alerts
  readonly log: Log;
  readonly sendAlert: (alert: BalanceAlert) => void; // must not throw
}

/** A new leader reports a low balance again: the previous one may have died before its alert. */
export async function watchBalance(
  balance: WalletBalance,
  { clock, leadership, log, sendAlert: alert }: BalanceWatchDeps,
  signal: AbortSignal,
): Promise<void> {
  let reported: BalanceLevel = "ok";
  while (!signal.aborted) {
    try {
      const now = await abortable(balance.current(), signal); // an endpoint that hangs must not block shutdown
      const level = balance.levelOf(now);
      if (level !== balance.level) {
        balance.level = level;
        logLevelChange(log, level, { balance: formatNative(now) });
      }
      if (leadership.isLeader && level !== reported) {
        alert({ event: `balance_${level}`, balance: now, thresholds: balance.thresholds });
      }
      if (leadership.isLeader || level === "ok") reported = level;
    } catch {
      // The indexer reports endpoint failures; an abort ends the loop.
    }
    await clock.sleep(BALANCE_POLL_MS, signal);
  }
}

function logLevelChange(log: Log, level: BalanceLevel, members: { balance: string }): void {
  if (level === "ok") log.info("the wallet holds enough again: {balance}", members);
  else if (level === "low") log.warning("the wallet runs low: {balance}; fund it", members);
  else log.error("the wallet holds too little to accept withdrawals: {balance}; fund it", members);
}
