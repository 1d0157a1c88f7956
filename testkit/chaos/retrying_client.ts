/**
 * A client that retries until its withdrawal is confirmed: it submits to any replica, repeats after a lost
 * connection, and proves again after a withdrawal failed or expired. It records all answers.
 */
import type { SeededRandom } from "../random/seeded_random.ts";
import type { Fleet, ReplicaResponse } from "./fleet.ts";
import type { DepositedNote, TrapdoorNetwork } from "../localnet/trapdoor_network.ts";

const PAUSE_MS = 250;
/** The probability of a second, equal submission at the same time. */
const DUPLICATE_PROBABILITY = 0.15;
const HTTP = { ok: 200, accepted: 202, notFound: 404, conflict: 409, unavailable: 503 };
/**
 * Statuses of requests that were not accepted and may be retried. A relayer answers 408 if it could not read
 * the body in time.
 */
const RETRYABLE_STATUSES = [408, 429, HTTP.unavailable];

/** The observations of clients. */
export interface ClientReport {
  readonly answers: Map<string, number>;
  /** The reported states other than payment: `failed` and `expired`. */
  readonly reported: string[];
  /** The withdrawals that were accepted and then unknown. */
  readonly lost: string[];
  /** Answers that should never occur. */
  readonly unexpected: string[];
  settled: number;
}

export function emptyClientReport(): ClientReport {
  return { answers: new Map(), reported: [], lost: [], unexpected: [], settled: 0 };
}

/** Withdraws notes through a fleet. */
export class RetryingClient {
  readonly #reportedEnds = new Set<string>();

  constructor(
    readonly net: TrapdoorNetwork,
    readonly fleet: Fleet,
    readonly random: SeededRandom,
    readonly tally: ClientReport,
    readonly signal: AbortSignal,
  ) {}

  /** Resolves when the relayer reports the payment. */
  async withdraw(placed: DepositedNote): Promise<void> {
    while (!this.signal.aborted) {
      await this.#submit(placed);
      if (await this.#end(placed)) {
        this.tally.settled++;
        return;
      }
    }
  }

  /**
   * Submits, and sometimes submits twice at once, to two replicas if possible. Only one submission may be
   * accepted.
   */
  async #submit(placed: DepositedNote): Promise<void> {
    const times = this.random.chance(DUPLICATE_PROBABILITY) ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, () => this.#submitOne(placed)));
    if (times === 2 && answers[0] !== undefined && answers[0] === answers[1]) {
      this.tally.unexpected.push(`accepted twice: ${JSON.stringify(this.net.statusQuery(placed))}`);
    }
  }

  /**
   * Submits once. Returns when the withdrawal was accepted, if the answer shows that it was this one. Another
   * may replace it after it has ended.
   */
  async #submitOne(placed: DepositedNote): Promise<number | undefined> {
    while (!this.signal.aborted) {
      const answer = await this.#ask("/withdraw", this.net.withdrawalBody(placed));
      if (answer?.status === HTTP.ok || answer?.status === HTTP.accepted) return answer.body.acceptedAt;
      if (answer?.status === HTTP.conflict) return undefined;
      // A process that died before it answered may have accepted the withdrawal.
      if (!answer && (await this.#status(placed))?.status === HTTP.ok) return undefined;
      const mayMend = answer === undefined || RETRYABLE_STATUSES.includes(answer.status) ||
        ["unknown_root", "stale_root"].includes(answer.body?.code);
      if (!mayMend) this.#wonder("/withdraw", answer);
      await this.#pause();
    }
  }

  /** Waits for the end. Returns true if the note is paid. */
  async #end(placed: DepositedNote): Promise<boolean> {
    while (!this.signal.aborted) {
      const answer = await this.#status(placed);
      if (answer?.status === HTTP.notFound) {
        this.tally.lost.push(JSON.stringify(this.net.statusQuery(placed)));
        return false;
      }
      if (answer && answer.status !== HTTP.ok && !RETRYABLE_STATUSES.includes(answer.status)) {
        this.#wonder("/withdraw/status", answer);
      }
      const state = answer?.body?.state;
      if (state === "confirmed") return true;
      if (state === "failed" || state === "expired") {
        const { nullifierHash, settledAt, reason } = answer!.body;
        const end = `${nullifierHash} ${settledAt}`;
        if (!this.#reportedEnds.has(end)) this.tally.reported.push(`${state}: ${reason}`);
        this.#reportedEnds.add(end);
        await this.#pause();
        return false;
      }
      await this.#pause();
    }
    return false;
  }

  #status(placed: DepositedNote): Promise<ReplicaResponse | undefined> {
    return this.#ask("/withdraw/status", this.net.statusQuery(placed));
  }

  async #ask(path: string, body: unknown): Promise<ReplicaResponse | undefined> {
    const answer = await this.fleet.pickRunning(this.random)?.request(path, body);
    const name = `${path} ${
      answer ? `${answer.status}${answer.body?.code ? ` ${answer.body.code}` : ""}` : "no answer"
    }`;
    this.tally.answers.set(name, (this.tally.answers.get(name) ?? 0) + 1);
    return answer;
  }

  #wonder(path: string, { status, body }: ReplicaResponse): void {
    this.tally.unexpected.push(`${path}: ${status} ${JSON.stringify(body)}`);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, PAUSE_MS + this.random.int(0, PAUSE_MS)));
  }
}
