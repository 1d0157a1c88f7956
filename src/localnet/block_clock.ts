/**
 * When blocks close, and at what time. The clock starts at wall time and moves with it, so that the chain never lags it
 * by more than a block; only a test may set it ahead.
 */
import type { Ledger } from "./ledger.ts";

/** Closes blocks of a ledger: at an interval, or as soon as there is something to put into one. */
export class BlockClock {
  readonly #ledger: Ledger;
  readonly #onError: (error: unknown) => void;
  #ahead = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<void> | undefined;

  constructor(ledger: Ledger, onError: (error: unknown) => void) {
    this.#ledger = ledger;
    this.#onError = onError;
  }

  /** Unix time of a block that closes now. */
  get now(): number {
    return Math.max(wallTime() + this.#ahead, this.#ledger.head.now);
  }

  /** From now on a block closes every `intervalMs`; until then, and with 0, whenever something waits. */
  start(intervalMs: number): void {
    if (intervalMs <= 0) return;
    this.#timer = setInterval(() => {
      this.#closing ??= this.closeBlock().catch(this.#onError).finally(() => this.#closing = undefined);
    }, intervalMs);
  }

  /** Closes a block at once. */
  async closeBlock(): Promise<void> {
    await this.#ledger.closeBlock(() => this.now);
  }

  /** To be called around every request: without an interval, this is when blocks close. */
  async settle(): Promise<void> {
    if (this.#timer !== undefined) return;
    if (this.#ledger.waiting > 0 || this.#ledger.head.now < this.now) await this.closeBlock();
  }

  /** Sets the clock and closes a block at that time. @throws {RangeError} for a time before the last block's. */
  async setNow(now: number): Promise<void> {
    await this.#ledger.closeBlock(() => now);
    this.#ahead = now - wallTime();
  }

  /** Ends the interval and waits for a block that is closing. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#closing;
  }
}

function wallTime(): number {
  return Math.floor(Date.now() / 1000);
}
