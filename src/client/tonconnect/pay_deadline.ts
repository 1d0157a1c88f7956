/** Limits the wait for a wallet's answer. */
import type { Clock } from "../../core/time/clock.ts";
import { abortable } from "../../core/time/deadline.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { PayOptions } from "../deposit/payer.ts";

/** A wallet that signed in time may answer a little later. */
const GRACE_MS = 5_000;
/** `validUntil` is chain time. If it is not within this time, the device's clock is wrong: wait a fixed time. */
const MAX_WAIT_MS = 600_000;
const WRONG_CLOCK_WAIT_MS = 180_000;

/** Throws `payment_timeout` a little after `validUntil`, `cancelled`. The payment may still arrive. */
export async function untilDeadline<T>(
  answer: Promise<T>,
  { validUntil, signal }: PayOptions,
  clock: Clock,
): Promise<T> {
  const over = new AbortController();
  const timeout = async (): Promise<never> => {
    const left = validUntil * 1000 - clock.now();
    await clock.sleep(GRACE_MS + (left > 0 && left <= MAX_WAIT_MS ? left : WRONG_CLOCK_WAIT_MS), over.signal);
    throw new Problem("payment_timeout", "the wallet did not answer in time");
  };
  const late = timeout();
  late.catch(() => {}); // the wallet has answered
  try {
    return await abortable(Promise.race([answer, late]), signal);
  } finally {
    over.abort();
  }
}
