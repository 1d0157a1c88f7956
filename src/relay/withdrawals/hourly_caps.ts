// Hourly caps limit the wallet's loss from a fault or a flood. A withdrawal that is not accepted, fails or expires
// does not count: resubmitting one valid proof must not exhaust a cap.
import { Problem } from "../../core/errors/problem.ts";
import { type Job, type JobId, jobKey } from "../../store/store.ts";
import type { RateLimit, RateLimitResult, RateLimitStore } from "../../store/rate_limit_store.ts";

const HOUR_SECONDS = 3_600;

/** 0: no cap. */
interface HourlyCapLimits {
  readonly hourly: number;
  readonly hourlyPerPool: number;
}

interface CapReservation {
  /** A random token, the only data that the shared cache receives. */
  readonly token: string;
  readonly result: Promise<RateLimitResult>;
  requestCount: number;
  accepted: boolean;
}

export class HourlyCaps {
  readonly #reservations = new Map<string, CapReservation>();

  constructor(private readonly rateLimitStore: RateLimitStore, private readonly limits: HourlyCapLimits) {}

  /** Counts a withdrawal. Call {@linkcode finish} for every `allowed` result. Throws `cache_unavailable`. */
  async reserve(id: JobId): Promise<RateLimitResult> {
    const key = jobKey(id);
    const counted = this.#reservations.get(key) ?? this.#createReservation(id);
    this.#reservations.set(key, counted);
    counted.requestCount++;
    try {
      const outcome = await counted.result;
      if (!outcome.allowed) this.#dropRequest(key, counted);
      return outcome;
    } catch (error) {
      this.#dropRequest(key, counted);
      throw error;
    }
  }

  /** Finishes an allowed {@linkcode reserve}. `accepted`: the request became a job. */
  async finish(id: JobId, accepted: boolean): Promise<void> {
    const key = jobKey(id);
    const counted = this.#reservations.get(key);
    if (!counted) return;
    counted.accepted ||= accepted;
    if (this.#dropRequest(key, counted) && !counted.accepted) {
      await this.#releaseAll(this.#rateLimits(id), counted.token);
    }
  }

  /** Returns the token of an unfinished reservation, which its job keeps for {@linkcode release}. */
  tokenOf(id: JobId): string | undefined {
    return this.#reservations.get(jobKey(id))?.token;
  }

  async release(job: Pick<Job, "pool" | "nullifierHash" | "capToken">): Promise<void> {
    if (job.capToken !== undefined) await this.#releaseAll(this.#rateLimits(job), job.capToken);
  }

  #createReservation(id: JobId): CapReservation {
    const token = crypto.randomUUID();
    return { token, result: this.#acquireAll(id, token), requestCount: 0, accepted: false };
  }

  /** Removes a request. Returns whether it was the withdrawal's last one. */
  #dropRequest(key: string, counted: CapReservation): boolean {
    counted.requestCount--;
    if (counted.requestCount > 0) return false;
    if (this.#reservations.get(key) === counted) this.#reservations.delete(key);
    return true;
  }

  async #acquireAll(id: JobId, token: string): Promise<RateLimitResult> {
    const requested: [RateLimit, string][] = [];
    let outcome: RateLimitResult | undefined;
    try {
      for (const [limit, key] of this.#rateLimits(id)) {
        requested.push([limit, key]);
        outcome = await this.rateLimitStore.acquire(limit, key, token);
        if (!outcome.allowed) return outcome;
      }
      return outcome = { allowed: true };
    } finally {
      if (!outcome?.allowed) await this.#releaseAll(requested, token); // a failed request may have been counted
    }
  }

  /** A count that cannot be released expires after its hour: the cap is too strict, never too loose. */
  async #releaseAll(counted: readonly [RateLimit, string][], token: string): Promise<void> {
    for (const [limit, key] of counted) {
      await this.rateLimitStore.release(limit, key, token).catch((error) => {
        if (!(error instanceof Problem)) throw error;
      });
    }
  }

  #rateLimits({ pool }: JobId): [RateLimit, string][] {
    const { hourly, hourlyPerPool } = this.limits;
    const all: [RateLimit, string][] = [
      [{ name: "withdrawals-of-pool", maxCount: hourlyPerPool, windowSeconds: HOUR_SECONDS }, pool], // first: withdrawals above the pool's cap must not use up the overall cap
      [{ name: "withdrawals", maxCount: hourly, windowSeconds: HOUR_SECONDS }, "all"],
    ];
    return all.filter(([{ maxCount: times }]) => times > 0);
  }
}
