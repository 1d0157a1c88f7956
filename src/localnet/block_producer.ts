import type { Ledger } from "./ledger.ts";
import type { Clock } from "../core/time/clock.ts";

export class BlockProducer {
  #ahead = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: Pick<Clock, "now">,
    private readonly onError: (error: unknown) => void,
  ) {}

  get now(): number {
    return Math.max(this.#seconds() + this.#ahead, this.ledger.head.now);
  }

  /** Closes a block every `intervalMs`. Before this call, and with 0, blocks close when a message is pending. */
  start(intervalMs: number): void {
    if (intervalMs <= 0) return;
    this.#timer = setInterval(() => {
      this.#closing ??= this.closeBlock().catch(this.onError).finally(() => this.#closing = undefined);
    }, intervalMs);
  }

  async closeBlock(): Promise<void> {
    await this.ledger.closeBlock(() => this.now);
  }

  /** Answers a request. Without an interval, blocks close here: before and after every request. */
  async withBlocks<T>(respond: () => Promise<T>): Promise<T> {
    await this.#closeBlockIfPending();
    const response = await respond();
    await this.#closeBlockIfPending();
    return response;
  }

  async #closeBlockIfPending(): Promise<void> {
    if (this.#timer !== undefined) return;
    if (this.ledger.pendingMessages > 0 || this.ledger.head.now < this.now) await this.closeBlock();
  }

  /** Sets the clock and closes a block. Throws a RangeError for a time before the last block. */
  async setNow(now: number): Promise<void> {
    await this.ledger.closeBlock(() => now);
    this.#ahead = now - this.#seconds();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#closing;
  }

  #seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }
}
