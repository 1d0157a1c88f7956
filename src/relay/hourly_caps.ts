/**
 * How many withdrawals are taken on in an hour, in all and from each pool: what a fault or a flood costs the wallet at
 * most. A withdrawal is counted once, however many equal requests of it are under way, and uncounted when none of them
 * gets in: whoever holds one good proof must not use up the hour of everybody else.
 */
import { Problem } from "../core/errors.ts";
import type { JobId } from "../store/store.ts";
import type { Allowance, Shared, Taken } from "../store/shared.ts";

const HOUR = 3_600;

/** Bounds; 0: none. */
export interface CapBounds {
  readonly hourly: number;
  readonly hourlyPerPool: number;
}

/** A withdrawal that requests under way share. */
interface Counted {
  /** Random, and all that the shared cache gets to know. */
  readonly token: string;
  readonly taken: Promise<Taken>;
  requests: number;
  accepted: boolean;
}

/** Counts withdrawals against the caps. */
export class HourlyCaps {
  readonly #shared: Shared;
  readonly #bounds: CapBounds;
  readonly #underWay = new Map<string, Counted>();

  constructor(shared: Shared, bounds: CapBounds) {
    this.#shared = shared;
    this.#bounds = bounds;
  }

  /**
   * Counts a withdrawal. Every call that returns `allowed` must be {@link end}ed.
   *
   * @throws {Problem} `cache_unavailable`: what cannot be counted is not allowed
   */
  async take(id: JobId): Promise<Taken> {
    const key = keyOf(id);
    const counted = this.#underWay.get(key) ?? this.#counting(id);
    this.#underWay.set(key, counted);
    counted.requests++;
    try {
      const taken = await counted.taken;
      if (!taken.allowed) this.#leave(key, counted);
      return taken;
    } catch (error) {
      this.#leave(key, counted);
      throw error;
    }
  }

  /** Ends what {@link take} allowed. @param accepted whether this very request became a job */
  async end(id: JobId, accepted: boolean): Promise<void> {
    const key = keyOf(id);
    const counted = this.#underWay.get(key);
    if (!counted) return;
    counted.accepted ||= accepted;
    if (this.#leave(key, counted) && !counted.accepted) {
      await this.#uncount(this.#allowances(id), counted.token);
    }
  }

  #counting(id: JobId): Counted {
    const token = crypto.randomUUID();
    return { token, taken: this.#count(id, token), requests: 0, accepted: false };
  }

  /** Whether that was the last request of this withdrawal. */
  #leave(key: string, counted: Counted): boolean {
    counted.requests--;
    if (counted.requests > 0) return false;
    if (this.#underWay.get(key) === counted) this.#underWay.delete(key);
    return true;
  }

  async #count(id: JobId, token: string): Promise<Taken> {
    const asked: [Allowance, string][] = [];
    let taken: Taken | undefined;
    try {
      for (const [allowance, key] of this.#allowances(id)) {
        asked.push([allowance, key]);
        taken = await this.#shared.hold(allowance, key, token);
        if (!taken.allowed) return taken;
      }
      return taken = { allowed: true };
    } finally {
      if (!taken?.allowed) await this.#uncount(asked, token); // one without answer may be counted all the same
    }
  }

  /** A count that cannot be given back ends with its hour: then a bound is too narrow for a while, never too wide. */
  async #uncount(counted: readonly [Allowance, string][], token: string): Promise<void> {
    for (const [allowance, key] of counted) {
      await this.#shared.release(allowance, key, token).catch((error) => {
        if (!(error instanceof Problem)) throw error;
      });
    }
  }

  #allowances({ pool }: JobId): [Allowance, string][] {
    const { hourly, hourlyPerPool } = this.#bounds;
    const all: [Allowance, string][] = [
      [{ name: "withdrawals-of-pool", times: hourlyPerPool, seconds: HOUR }, pool], // first: a full pool leaves the rest
      [{ name: "withdrawals", times: hourly, seconds: HOUR }, "all"],
    ];
    return all.filter(([{ times }]) => times > 0);
  }
}

function keyOf({ pool, nullifierHash }: JobId): string {
  return `${pool} ${nullifierHash}`;
}
