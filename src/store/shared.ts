/**
 * The port to what replicas of one relayer must agree on and may all lose: how often something happened lately. Losing it
 * makes a bound start afresh, never a payment wrong, so nothing here is durable. Who is counted is the caller's business;
 * a name that comes in must not be one of a person.
 */

/** A bound on how often something may happen. */
export interface Allowance {
  /** Tells this bound from others: lower-case words with hyphens. */
  readonly name: string;
  /** Times within {@link seconds}; whole. */
  readonly times: number;
  readonly seconds: number;
}

/** Whether it may happen once more, and if not, after how many seconds (1 at least). */
export type Taken = { readonly allowed: true } | { readonly allowed: false; readonly retryAfter: number };

/** @param ms until it may be asked again */
export function refusedFor(ms: number): Taken {
  return { allowed: false, retryAfter: Math.max(1, Math.ceil(ms / 1_000)) };
}

/** Implementations: memory (one process) and Redis (replicas). Both pass `shared_contract_test.ts`. */
export interface Shared {
  /**
   * Takes one for `key` out of a bucket that holds {@link Allowance.times} and fills evenly in {@link Allowance.seconds}:
   * no burst is larger than the bucket, whenever it comes. What is refused is not counted.
   *
   * @throws {Problem} `cache_unavailable`, soon: whoever asks decides whether that means yes or no
   */
  take(allowance: Allowance, key: string): Promise<Taken>;

  /**
   * Counts `token` for `key` for {@link Allowance.seconds}: in no stretch of that length, wherever it begins, count more
   * than {@link Allowance.times}. It counts once however often it is asked: whoever got no answer may ask again. A bound
   * is held by tokens or taken without them, never both.
   *
   * @param token random: nothing may be told from it
   * @throws {Problem} `cache_unavailable`: it may be counted all the same, until it is {@link release}d or its time is over
   */
  hold(allowance: Allowance, key: string, token: string): Promise<Taken>;

  /**
   * Uncounts `token`, and never anything else: one that was not counted, or whose time is over, takes nothing away.
   *
   * @throws {Problem} `cache_unavailable`
   */
  release(allowance: Allowance, key: string, token: string): Promise<void>;

  /** Resolves when it answers. @throws {Problem} `cache_unavailable` */
  ping(): Promise<void>;

  close(): Promise<void>;
}
