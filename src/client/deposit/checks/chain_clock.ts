/** Judges the chain time that an endpoint reports, because a payment request is valid until a chain time. */
import { Problem } from "../../../core/errors/problem.ts";
import { type Clock, monotonicClock } from "../../../core/time/clock.ts";

/** The first chain time of a visit may differ this much from the device's clock, which may be wrong. */
const MAX_DEVICE_DIFFERENCE_SECONDS = 86_400;
/** A later one may differ this much from the time that has passed since an earlier one. */
const MAX_DRIFT_SECONDS = 600;

interface Reading {
  readonly chain: number; // Unix seconds
  readonly device: number; // seconds
  readonly monotonic: number; // seconds
}

export class ChainClock {
  #reference: Reading | undefined;

  constructor(
    private readonly device: Pick<Clock, "now">,
    private readonly monotonic: Pick<Clock, "now"> = monotonicClock,
  ) {}

  /**
   * Returns whether a chain time in Unix seconds fits the earlier ones. After one that does not, a second one that
   * agrees with it is accepted: the earlier ones may have been wrong.
   */
  accepts(chain: number): boolean {
    const now: Reading = {
      chain,
      device: this.device.now() / 1000,
      monotonic: this.monotonic.now() / 1000,
    };
    const isNearDevice = Math.abs(chain - now.device) <= MAX_DEVICE_DIFFERENCE_SECONDS;
    const reference = this.#reference;
    const fits = reference === undefined ? isNearDevice : isConsistent(reference, now);
    if (reference === undefined ? fits : !fits && isNearDevice) this.#reference = now;
    return fits;
  }

  /** Returns the chain time. Throws `chain_inconsistent` if it is not accepted. */
  check(chain: number): number {
    if (this.accepts(chain)) return chain;
    throw new Problem("chain_inconsistent", "the endpoint's time is not plausible");
  }
}

/** The device's clock may be corrected, and the monotonic one may stop while the device sleeps: one of them must agree. */
function isConsistent(reference: Reading, now: Reading): boolean {
  const passed = now.chain - reference.chain;
  return [now.device - reference.device, now.monotonic - reference.monotonic]
    .some((elapsed) => Math.abs(passed - elapsed) <= MAX_DRIFT_SECONDS);
}
